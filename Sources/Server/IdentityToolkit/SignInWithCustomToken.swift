internal import Accounts
internal import Database
internal import HTTPServer
internal import JSON

/// `POST /v1/accounts:signInWithCustomToken`: signs in a user whom the operator's back end authenticated (contract,
/// 3.9).
struct SignInWithCustomToken: WritingEndpoint {
    let services: Services

    func decode(_ call: AuthorizedRequest) throws -> CustomTokenSignIn {
        let body = try services.body(of: call)
        guard let token = try body.nonEmptyString("token", limit: 16_384) else { throw Refusal(.missingCustomToken) }
        let (uid, claims) = try services.issuers.backEnd.check(token, at: services.clock() / 1000)
        return CustomTokenSignIn(uid: uid, claims: claims, opening: try services.opening(for: call.request))
    }

    func transact(_ input: CustomTokenSignIn, in transaction: Transaction) throws -> SignedIn {
        try services.flows.signIn(by: input, in: transaction)
    }

    func committed(_ signedIn: SignedIn, of call: CallContext) {
        services.signIns.record(signedIn, remembersClient: false)
        // Linking ends the guest's sessions.
        if signedIn.linked { services.changes.ended(signedIn.user.uid) }
        services.log(signedIn.isNewUser ? "user.created" : signedIn.linked ? "user.linked" : "user.signed-in", signedIn)
    }

    func render(_ signedIn: SignedIn) throws -> Response {
        // There is no localId: clients look up the user (contract, 3.9).
        try services.respond(kind: "VerifyCustomTokenResponse", to: signedIn) { json in
            json.member("isNewUser", signedIn.isNewUser)
        }
    }
}
