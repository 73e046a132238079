internal import Accounts
internal import Database
internal import HTTPServer
internal import JSON

/// `POST /v1/accounts:delete`: deletes the user of an ID token (contract, 3.6).
struct Delete: WritingEndpoint {
    let services: Services

    func decode(_ call: AuthorizedRequest) throws -> PresentedToken {
        guard let token = try services.presentedToken(services.body(of: call)) else {
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

    /// The refusal when rows in the operator's own tables keep the user.
    static let keptByTables = Refusal(
        .operationNotAllowed,
        detail: "The app has data of this user that must be deleted first."
    )

    func committed(_ user: User, of call: CallContext) {
        services.changes.ended(user.uid)
        services.log("user.deleted", uid: user.uid, isAnonymous: user.isAnonymous)
    }

    func render(_ user: User) throws -> Response {
        Self.response
    }

    /// The response to the deletion of one user.
    static var response: Response {
        var json = JSONWriter(capacity: 64)
        json.beginObject()
        json.member("kind", "identitytoolkit#DeleteAccountResponse")
        json.endObject()
        return .json(json.bytes)
    }
}
