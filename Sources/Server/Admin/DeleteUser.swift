internal import Accounts
internal import Database
internal import HTTPServer
internal import JSON

/// `POST /v1/projects/{project}/accounts:delete`: an administrator deletes a user (contract, 3.6).
struct DeleteUser: WritingEndpoint {
    let services: Services

    func decode(_ request: Request) throws -> String {
        let body = try services.administratorsBody(of: request, changing: true)
        guard let uid = try body.nonEmptyString("localId") else { throw Refusal(.missingLocalID) }
        return uid
    }

    func transact(_ uid: String, in transaction: Transaction) throws -> User {
        try services.flows.deleteUser(uid, in: transaction)
    }

    func inputAfterConstraint(_ uid: String) throws -> String? {
        throw Delete.keptByTables
    }

    func render(_ user: User) throws -> Response {
        services.changes.ended(user.uid)
        services.log("user.deleted", uid: user.uid, isAnonymous: user.isAnonymous, outcome: "by-administrator")
        return Delete.response
    }
}
