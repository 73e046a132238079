internal import AccountDatabase
internal import Accounts
internal import Database
internal import HTTPServer
internal import JSON

/// `POST /v1/projects/{project}/accounts:lookup`: finds users by UID, e-mail address and identity at a provider
/// (contract, 3.4).
struct FindUsers: ReadingEndpoint {
    struct Input: Sendable {
        var uids: [String] = []
        var emails: [String] = []
        var identities: [(provider: String, subject: String)] = []
    }

    let services: Services

    func decode(_ call: AuthorizedRequest) throws -> Input {
        let body = try services.administratorsBody(of: call, changing: false)
        if body.has("initialEmail") {
            throw RequestError.notImplemented("Latchkey does not support lookup by initialEmail.")
        }
        var input = Input()
        input.uids = try body.strings("localId")
        // An invalid address belongs to no user.
        input.emails = try body.strings("email").compactMap { try? EmailAddress(parsing: $0).canonical }
        let identities = try body.objects("federatedUserId") ?? []
        guard identities.count <= 100 else { throw RequestError.schema("/federatedUserId must be array") }
        input.identities = try identities.compactMap { identity in
            guard let provider = try identity.string("providerId"), let subject = try identity.string("rawId") else {
                return nil
            }
            return (provider, subject)
        }
        return input
    }

    func transact(_ input: Input, in transaction: Transaction) throws -> [UserRecord] {
        var users: [User] = []
        users += try input.uids.compactMap { try transaction.user($0) }
        users += try input.emails.compactMap { try transaction.user(email: $0) }
        users += try input.identities.compactMap { identity in
            try transaction.identity(identity.subject, at: identity.provider).flatMap { try transaction.user($0.uid) }
        }
        var seen: Set<String> = []
        return try users.filter { seen.insert($0.uid).inserted }.map { try UserRecord($0, in: transaction) }
    }

    func render(_ records: [UserRecord]) throws -> Response {
        Self.response(records)
    }

    /// Makes the response that lists users.
    ///
    /// Without users the response has no list at all, which the Admin SDK for Node relies on (contract, 3.4).
    static func response(_ records: [UserRecord]) -> Response {
        var json = JSONWriter(capacity: 64 + 512 * records.count)
        json.beginObject()
        json.member("kind", "identitytoolkit#GetAccountInfoResponse")
        if !records.isEmpty { json.member("users", records) }
        json.endObject()
        return .json(json.bytes)
    }
}
