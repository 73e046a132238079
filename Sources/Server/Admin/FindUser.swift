internal import AccountDatabase
internal import Accounts
internal import Database
internal import HTTPServer
internal import JSON

/// `GET /v1/projects/{project}/users/{uid}`: returns a user; for a former user, when they were deleted, or merged into
/// which other user.
///
/// An app's back end can thereby assign late writes to the right user.
struct FindUser: ReadingEndpoint {
    enum Outcome: Sendable {
        case present(UserRecord)
        case former(FormerUser)
    }

    let services: Services

    func decode(_ call: AuthorizedRequest) throws -> String {
        try services.checkAdministrator(call, changing: false)
        return try call.request.userID
    }

    func transact(_ uid: String, in transaction: Transaction) throws -> Outcome {
        if let user = try transaction.user(uid) {
            return .present(try UserRecord(user, in: transaction))
        }
        // Read after the user: a deleted user never comes back, and at worst was deleted between the two reads.
        guard let former = try transaction.formerUser(uid) else { throw RequestError.noSuchUser }
        return .former(former)
    }

    func render(_ outcome: Outcome) throws -> Response {
        var json = JSONWriter(capacity: 512)
        json.beginObject()
        switch outcome {
        case .present(let record):
            json.members(of: record.user, identities: record.identities, username: record.username)
        case .former(let former):
            json.member("localId", former.uid)
            let goneAt = Timestamp.rfc3339(milliseconds: former.goneAt)
            if let successor = former.mergedInto {
                json.member("mergedInto", successor)
                json.member("mergedAt", goneAt)
            } else {
                json.member("deleted", true)
                json.member("deletedAt", goneAt)
            }
        }
        json.endObject()
        return .json(json.bytes)
    }
}
