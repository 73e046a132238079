internal import Accounts
internal import Database
internal import HTTPServer
internal import JSON

/// `POST /v1/accounts:lookup`: the user of an ID token (contract, 3.4).
struct Lookup: ReadingEndpoint {
    struct Outcome: Sendable {
        let user: User
        let identities: [Identity]
        let username: String?
    }

    let services: Services

    func decode(_ request: Request) throws -> PresentedToken {
        guard let token = try services.presentedToken(services.body(of: request)) else {
            throw Refusal(.missingIDToken)
        }
        return token
    }

    func transact(_ token: PresentedToken, in transaction: Transaction) throws -> Outcome {
        let (user, _) = try services.flows.authenticate(token, in: transaction)
        return Outcome(
            user: user,
            identities: user.isAnonymous ? [] : try transaction.identities(of: user.uid),
            username: try transaction.username(of: user.uid)
        )
    }

    func render(_ outcome: Outcome) throws -> Response {
        var json = JSONWriter(capacity: 512)
        json.beginObject()
        json.member("kind", "identitytoolkit#GetAccountInfoResponse")
        json.beginArray("users")
        json.beginObject()
        json.members(of: outcome.user, identities: outcome.identities, username: outcome.username)
        json.endObject()
        json.endArray()
        json.endObject()
        return .json(json.bytes)
    }
}
