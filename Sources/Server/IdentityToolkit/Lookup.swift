internal import AccountDatabase
internal import Accounts
internal import Database
internal import HTTPServer
internal import JSON

/// `POST /v1/accounts:lookup`: returns the user of an ID token (contract, 3.4).
struct Lookup: ReadingEndpoint {
    static let sharesTransactions = true
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

    func transact(
        _ tokens: [PresentedToken],
        in transaction: Transaction
    ) throws -> [Result<UserRecord, any Error>] {
        // A call alone gets by with statements whose plans are simpler.
        if let token = tokens.first, tokens.count == 1 { return [Result { try transact(token, in: transaction) }] }
        let sids = tokens.map(\.sid), uids = tokens.map(\.uid)
        try transaction.prefetch { transaction in
            _ = try transaction.sessionsAndUsers(sids)
            _ = try transaction.identities(ofUsers: uids)
            _ = try transaction.usernames(ofUsers: uids)
        }
        let found = try transaction.sessionsAndUsers(sids)
        let identities = try transaction.identities(ofUsers: uids)
        let usernames = try transaction.usernames(ofUsers: uids)
        return tokens.map { token in
            Result {
                let user = try services.flows.authenticate(token, as: found[token.sid], in: transaction).user
                return UserRecord(
                    user,
                    identities: user.isAnonymous ? [] : identities[user.uid] ?? [],
                    username: usernames[user.uid]
                )
            }
        }
    }

    func render(_ record: UserRecord) throws -> Response {
        FindUsers.response([record])
    }
}
