internal import Accounts
internal import Database
internal import HTTPServer
internal import JSON

/// `POST /v1/accounts:delete`: deletes the user of an ID token (contract, 3.6).
struct Delete: WritingEndpoint {
    let services: Services

    func decode(_ request: Request) throws -> PresentedToken {
        guard let token = try services.presentedToken(services.body(of: request)) else {
            throw Refusal(.missingIDToken)
        }
        return token
    }

    func transact(_ token: PresentedToken, in transaction: Transaction) throws -> User {
        try services.flows.deleteUser(token, in: transaction)
    }

    func inputAfterConstraint(_ token: PresentedToken) throws -> PresentedToken? {
        throw Self.keptByTables
    }

    /// Rows in the operator's own tables keep the user.
    static let keptByTables = Refusal(
        .operationNotAllowed,
        detail: "The app keeps something of this user that must go first."
    )

    func render(_ user: User) throws -> Response {
        services.changes.ended(user.uid)
        services.log("user.deleted", uid: user.uid, isAnonymous: user.isAnonymous)
        return Self.response
    }

    /// The answer to whoever deletes one user.
    static var response: Response {
        var json = JSONWriter(capacity: 64)
        json.beginObject()
        json.member("kind", "identitytoolkit#DeleteAccountResponse")
        json.endObject()
        return .json(json.bytes)
    }
}
