internal import Accounts
internal import Database
internal import HTTPServer
internal import JSON

/// `POST /v1/projects/{project}/accounts:delete`: deletes a user for an administrator (contract, 3.6).
struct DeleteUser: WritingEndpoint {
    struct Input: Sendable {
        let uid: String
        let actor: AuditActor
    }

    let services: Services

    func decode(_ call: AuthorizedRequest) throws -> Input {
        let (body, actor) = try services.administratorsCall(of: call, changing: true)
        guard let uid = try body.nonEmptyString("localId") else { throw Refusal(.missingLocalID) }
        return Input(uid: uid, actor: actor)
    }

    func transact(_ input: Input, in transaction: Transaction) throws -> User {
        try services.flows.acting(as: input.actor).deleteUser(input.uid, in: transaction)
    }

    func inputAfterConstraint(_ input: Input) throws -> Input? {
        throw Delete.keptByTables
    }

    func committed(_ user: User, of call: CallContext) {
        services.changes.ended(user.uid)
        services.log("user.deleted", uid: user.uid, isAnonymous: user.isAnonymous, outcome: "by-administrator")
    }

    func render(_ user: User) throws -> Response {
        Delete.response
    }
}
