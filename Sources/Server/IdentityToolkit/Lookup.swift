internal import AccountDatabase
internal import Accounts
internal import Database
internal import HTTPServer
internal import JSON

/// `POST /v1/accounts:lookup`: returns the user of an ID token (contract, 3.4).
struct Lookup: ReadingEndpoint {
    let services: Services

    func decode(_ call: AuthorizedRequest) throws -> PresentedToken {
        guard let token = try services.presentedToken(services.body(of: call)) else {
            throw Refusal(.missingIDToken)
        }
        return token
    }

    func transact(_ token: PresentedToken, in transaction: Transaction) throws -> UserRecord {
        try transaction.prefetch { transaction in
            _ = try transaction.sessionAndUser(token.sid)
            _ = try transaction.identities(of: token.uid)
            _ = try transaction.username(of: token.uid)
        }
        return try UserRecord(services.flows.authenticate(token, in: transaction).user, in: transaction)
    }

    func render(_ record: UserRecord) throws -> Response {
        FindUsers.response([record])
    }
}
