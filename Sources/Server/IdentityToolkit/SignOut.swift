internal import Accounts
internal import Database
internal import HTTPServer
internal import JSON
internal import Tokens

/// `POST /v1/accounts:signOut`: ends the session of a refresh token, and deletes its user if that is a guest.
struct SignOut: WritingEndpoint {
    struct Input: Sendable {
        let token: RefreshToken
        /// Whether a guest is kept: true in the second attempt, after rows in the operator's own tables prevented the
        /// deletion.
        var keepsUser = false
    }

    struct Outcome: Sendable {
        let signedOut: SignedOut
        let keepsUser: Bool
    }

    let services: Services

    func decode(_ call: AuthorizedRequest) throws -> Input {
        guard let text = try services.body(of: call).nonEmptyString("refreshToken") else {
            throw Refusal(.missingRefreshToken)
        }
        return Input(token: try services.refreshToken(text))
    }

    func transact(_ input: Input, in transaction: Transaction) throws -> Outcome {
        Outcome(
            signedOut: try services.flows.signOut(input.token, keepsUser: input.keepsUser, in: transaction),
            keepsUser: input.keepsUser
        )
    }

    func inputAfterConstraint(_ input: Input) -> Input? {
        Input(token: input.token, keepsUser: true)
    }

    func committed(_ outcome: Outcome, of call: CallContext) {
        let signedOut = outcome.signedOut
        if let uid = signedOut.uid {
            services.changes.hint(.sessionEnded, to: uid)
            services.changes.ended(uid)
        }
        services.log(
            signedOut.reset ? "user.deleted" : "user.signed-out",
            uid: signedOut.uid,
            isAnonymous: signedOut.isAnonymous,
            outcome: outcome.keepsUser ? "user-kept" : "done"
        )
    }

    func render(_ outcome: Outcome) throws -> Response {
        var json = JSONWriter(capacity: 64)
        json.beginObject()
        json.member("kind", "identitytoolkit#SignOutResponse")
        json.member("reset", outcome.signedOut.reset)
        json.endObject()
        return .json(json.bytes)
    }
}
