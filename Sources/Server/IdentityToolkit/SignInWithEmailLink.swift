internal import Accounts
internal import Database
internal import HTTPServer
internal import JSON
internal import Tokens

/// `POST /v1/accounts:signInWithEmailLink`: redeems a sign-in link (contract, 3.3).
struct SignInWithEmailLink: WritingEndpoint {
    let services: Services

    func decode(_ request: Request) throws -> SignInLinkRedemption {
        let body = try services.body(of: request)
        guard services.flows.policy.emailLinkSignIn else { throw Refusal(.operationNotAllowed) }
        let token = try services.presentedToken(body)
        let (code, email) = try services.afterToken(token) {
            guard let email = try body.nonEmptyString("email") else { throw Refusal(.missingEmail) }
            guard let code = try body.nonEmptyString("oobCode") else { throw Refusal(.missingOobCode) }
            return (try services.actionCode(code), try services.address(email))
        }
        return SignInLinkRedemption(
            email: email,
            code: code,
            token: token,
            onConflict: try services.onConflict(body),
            uid: try UID.random(),
            opening: try services.opening(for: request, namesClient: true),
            notice: try services.noticeOpening(for: request),
            mergeID: try TokenID.random().text
        )
    }

    func runsAlone(_ input: SignInLinkRedemption) -> Bool {
        input.onConflict == .merge && services.mergesRunAlone
    }

    func inputAfterConstraint(_ input: SignInLinkRedemption) throws -> SignInLinkRedemption? {
        guard input.onConflict == .merge else { return nil }
        throw services.failedMerge()
    }

    func transact(_ input: SignInLinkRedemption, in transaction: Transaction) throws -> Decision<SignedIn> {
        try services.flows.redeemSignInLink(input, in: transaction)
    }

    func remember(_ decision: Decision<SignedIn>) {
        if case .done(let signedIn) = decision { services.signIns.note(signedIn, remembersClient: true) }
    }

    func render(_ decision: Decision<SignedIn>) throws -> Response {
        let signedIn = try decision.get()
        services.announce(signedIn.merged)
        // The sessions that a linked user had are over.
        services.changes.ended(signedIn.user.uid)
        services.log(signedIn.linked ? "user.linked" : "user.signed-in", signedIn)
        return try services.respond(kind: "EmailLinkSigninResponse", to: signedIn) { json in
            json.member("email", signedIn.user.email)
            json.member("localId", signedIn.user.uid)
            json.member("isNewUser", signedIn.isNewUser)
            json.members(of: signedIn.merged)
        }
    }
}
