internal import Accounts

/// The errors of commands.
extension Operator {
    /// The reason why a command of the operator failed.
    package enum Failure: Error, Sendable, CustomStringConvertible {
        case noSuchUser(String)
        case noSuchMail(String)
        case noSuchMessage(String)
        case noSuchPage(String)
        /// A network with too many clients.
        case tooLarge(String)
        /// A reason that the audit log does not take.
        case badReason
        /// Neither a user nor a request of this name.
        case noTrace(String)
        case noAddress(String)
        /// An e-mail or message that a server is sending.
        case beingSent(String)
        case fileExists(String)
        /// No listener serves the console, for this reason.
        case noConsole(String)
        /// A name for the audit log that is empty, too long, or not of a single line.
        case badName
        /// The database is on a PostgreSQL server, which this command cannot copy.
        case notSQLite
        /// A folder that backups cannot go to, such as another installation's.
        case unusableFolder(String, reason: String)
        case keepsRows(String, tables: [String])
        case refused(String, reason: String)
        case unresolved(String, reason: String)
        /// A UID that the list of administrators cannot hold.
        case unfit(String)
        /// No move from Firebase is configured.
        case noFirebaseMove
        /// The move from Firebase is over for good.
        case firebaseMoveOver

        package var description: String {
            switch self {
            case .noSuchUser(let uid): "There is no user \(uid)"
            case .noSuchMail(let id): "No e-mail \(id) is waiting"
            case .noSuchMessage(let id): "No message \(id) is waiting or has failed"
            case .noSuchPage(let token): "\(token) is not the token of a page; give the nextPage of an earlier output"
            case .tooLarge(let network):
                "\(network) has more than 256 clients; give an IPv4 /24, an IPv6 /56, or a part of them"
            case .badReason: "A reason has 1 to \(AuditActor.longestReason) characters on one line"
            case .noTrace(let name):
                "Neither a user nor a traced request or e-mail is called \(name); events are kept for life.trace"
            case .noAddress(let text): "\(text) is not an e-mail address"
            case .beingSent(let id): "\(id) is being sent; try again in a moment"
            case .noConsole(let reason): "No URL for the console was made: \(reason)"
            case .badName: "A name has 1 to \(AuditActor.longestName) characters on one line"
            case .fileExists(let path): "\(path) already exists; --force replaces it"
            case .notSQLite:
                "The database is on a PostgreSQL server, which makes its own backups: pg_dump, or pg_basebackup with archived "
                    + "write-ahead logs for any moment; docs/scaling.md says how"
            case .unusableFolder(let path, let reason): "\(path) cannot be used for backups: \(reason)"
            case .keepsRows(let uid, let tables):
                "\(uid) cannot be deleted: "
                    + (tables.isEmpty ? "a table of your own" : "table \(tables.joined(separator: ", "))")
                    + " has rows or a trigger that prevent it"
            case .refused(let uid, let reason): "\(uid) cannot be deleted now: \(reason)"
            case .unresolved(let uid, let reason): "The contested account \(uid) cannot be resolved: \(reason)"
            case .noFirebaseMove:
                "No move from Firebase is configured: set firebase.project, firebase.exchangeUntil and firebase.apiKeys"
            case .firebaseMoveOver:
                "The move from Firebase has been off for 30 days and cannot go on, because its records are deleted"
            case .unfit(let uid): "\(uid) contains a space, so it cannot be an administrator"
            }
        }

        /// A stable name for scripts.
        package var code: String {
            switch self {
            case .noSuchUser, .noSuchMail, .noSuchMessage, .noSuchPage, .noTrace: "not-found"
            case .badReason: "bad-reason"
            case .noAddress: "invalid"
            case .tooLarge: "too-large"
            case .beingSent: "being-sent"
            case .noConsole: "no-console"
            case .badName: "bad-name"
            case .fileExists: "exists"
            case .notSQLite: "not-sqlite"
            case .unusableFolder: "unusable-folder"
            case .keepsRows: "keeps-rows"
            case .refused, .unresolved: "refused"
            case .unfit: "unfit"
            case .noFirebaseMove: "no-firebase-move"
            case .firebaseMoveOver: "firebase-move-over"
            }
        }
    }
}
