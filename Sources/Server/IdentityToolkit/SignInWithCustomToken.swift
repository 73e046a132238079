internal import Accounts
internal import Database
internal import HTTPServer
internal import JSON

/// `POST /v1/accounts:signInWithCustomToken`: signs in whom the operator's back end vouches for (contract, 3.9).
struct SignInWithCustomToken: WritingEndpoint {
    let services: Services

    func decode(_ request: Request) throws -> CustomTokenSignIn {
        let body = try services.body(of: request)
        guard let token = try body.nonEmptyString("token", limit: 16_384) else { throw Refusal(.missingCustomToken) }
        let (uid, claims) = try services.customTokens.check(token, at: services.clock() / 1000)
        return CustomTokenSignIn(uid: uid, claims: claims, opening: try services.opening(for: request))
    }

    func transact(_ input: CustomTokenSignIn, in transaction: Transaction) throws -> SignedIn {
        try services.flows.signIn(by: input, in: transaction)
    }

    func remember(_ signedIn: SignedIn) {
        services.signIns.note(signedIn, remembersClient: false)
    }

    func render(_ signedIn: SignedIn) throws -> Response {
        // The sessions that a guest had are over.
        if signedIn.linked { services.changes.ended(signedIn.user.uid) }
        services.log(signedIn.isNewUser ? "user.created" : signedIn.linked ? "user.linked" : "user.signed-in", signedIn)
        // No localId: clients look the user up (contract, 3.9).
        return try services.respond(kind: "VerifyCustomTokenResponse", to: signedIn) { json in
            json.member("isNewUser", signedIn.isNewUser)
        }
    }
}
