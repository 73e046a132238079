internal import Accounts
internal import Database
internal import HTTPServer
internal import JSON
internal import Tokens

/// `POST /v1/accounts:signInWithEmailLink`: redeems a sign-in link (contract, 3.3).
struct SignInWithEmailLink: AwaitingEndpoint {
    let services: Services

    func decode(_ call: AuthorizedRequest) throws -> Decoded<SignInLinkRedemption> {
        let body = try services.body(of: call)
        guard services.flows.policy.emailLinkSignIn else { throw Refusal.emailSignInIsOff }
        let token = try services.presentedToken(body)
        let proof = try Decoded.after(token) {
            guard let email = try body.nonEmptyString("email") else { throw Refusal(.missingEmail) }
            guard let code = try body.nonEmptyString("oobCode") else { throw Refusal(.missingOobCode) }
            return (try services.actionCode(code), try services.address(email))
        }
        return try proof.map { code, email in
            SignInLinkRedemption(
                email: email,
                code: code,
                token: token,
                onConflict: try services.onConflict(body, of: call.request),
                uid: try UID.random(),
                opening: try services.opening(for: call.request, namesClient: true),
                notice: try services.noticeOpening(for: call.request, body),
                mergeID: try TokenID.random().text
            )
        }
    }

    func runsAlone(_ input: SignInLinkRedemption) -> Bool {
        input.onConflict != .error && services.mergesRunAlone
    }

    // Linking and merging depend on more than the rows of the ticket and of one user.
    func isolation(_ input: SignInLinkRedemption) -> Isolation {
        input.token == nil && input.onConflict == .error ? .readCommitted : .serializable
    }

    func sharedKey(_ input: SignInLinkRedemption) -> String? {
        isolation(input) == .readCommitted ? input.email.canonical : nil
    }

    func transact(
        _ inputs: [SignInLinkRedemption],
        in transaction: Transaction
    ) throws -> [SharedOutcome<Decision<SignedIn>>] {
        try services.flows.redeemSignInLinks(inputs, in: transaction).map { $0.map { .answered($0) } ?? .postponed }
    }

    func inputAfterConstraint(_ input: SignInLinkRedemption) throws -> SignInLinkRedemption? {
        guard input.onConflict != .error else { return nil }
        throw services.failedMerge()
    }

    func transact(_ input: SignInLinkRedemption, in transaction: Transaction) throws -> Decision<SignedIn> {
        try services.flows.redeemSignInLink(input, in: transaction)
    }

    func committed(_ decision: Decision<SignedIn>, of call: CallContext) {
        services.announce(decision, of: call)
    }

    func render(_ decision: Decision<SignedIn>) throws -> Response {
        let signedIn = try decision.get()
        return try services.respond(kind: "EmailLinkSigninResponse", to: signedIn) { json in
            json.member("email", signedIn.user.email)
            json.member("localId", signedIn.user.uid)
            json.member("isNewUser", signedIn.isNewUser)
            json.members(of: signedIn.merged)
        }
    }
}
