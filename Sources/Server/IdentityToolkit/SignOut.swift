internal import Accounts
internal import Database
internal import HTTPServer
internal import JSON
internal import Tokens

/// `POST /v1/accounts:signOut`: ends a session; an anonymous user goes with it.
struct SignOut: WritingEndpoint {
    let services: Services

    func decode(_ request: Request) throws -> RefreshToken {
        guard let text = try services.body(of: request).nonEmptyString("refreshToken") else {
            throw Refusal(.missingRefreshToken)
        }
        return try services.refreshToken(text)
    }

    func transact(_ token: RefreshToken, in transaction: Transaction) throws -> SignedOut {
        try services.flows.signOut(token, in: transaction)
    }

    func render(_ signedOut: SignedOut) throws -> Response {
        if let uid = signedOut.uid { services.changes.ended(uid) }
        services.log(
            signedOut.reset ? "user.deleted" : "user.signed-out",
            uid: signedOut.uid,
            isAnonymous: signedOut.reset
        )
        var json = JSONWriter(capacity: 64)
        json.beginObject()
        json.member("kind", "identitytoolkit#SignOutResponse")
        json.member("reset", signedOut.reset)
        json.endObject()
        return .json(json.bytes)
    }
}
