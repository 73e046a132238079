internal import Accounts
internal import Database
internal import FoundationEssentials
internal import Mail
internal import Tokens
internal import Transfer

/// What operators do from the command line, with the server running or not: the same code, on the same database.
///
/// Running servers notice changed keys and settings within seconds.
package struct Operator: Sendable {
    let configuration: Configuration
    let store: Store

    /// Opens the database of a configuration.
    ///
    /// - Parameters:
    ///   - file: the configuration file, or `nil`.
    ///   - environment: all environment variables.
    ///   - makesDatabase: whether a database that is not there is made; usually it means that the configuration is not the
    ///     server's.
    ///   - surroundings: what it takes from the machine.
    /// - Throws: ``ConfigurationError``, ``StartError``, or what keeps the database from opening.
    package init(
        file: String?,
        environment: [String: String],
        makesDatabase: Bool = false,
        surroundings: Surroundings = Surroundings()
    ) throws {
        configuration = try Configuration.load(file: file, environment: environment)
        if case .sqlite(let path) = configuration.database, !makesDatabase,
            !FileManager.default.fileExists(atPath: path)
        {
            throw StartError.noDatabase(path)
        }
        store = try Store.open(configuration, surroundings: surroundings, logger: Log { _ in })
    }

    /// The rules of the product.
    var flows: AccountFlows { AccountFlows(policy: configuration.policy, secrets: store.secrets) }

    /// Lets the database go.
    package func close() {
        store.database.close()
    }

    /// Why the database could not be reached; `nil` for other errors.
    package static func unreachable(_ error: any Error) -> String? {
        guard let error = error as? DatabaseError, error.kind == .unavailable else { return nil }
        return error.message
    }

    /// What the database says of an error of its own; `nil` for other errors.
    package static func words(_ error: any Error) -> String? {
        guard let error = error as? DatabaseError else { return nil }
        return error.statement.map { "\(error.message), in: \($0)" } ?? error.message
    }

    /// Why a command could not be done.
    package enum Failure: Error, Sendable, CustomStringConvertible {
        case noSuchUser(String)
        case noSuchMail(String)
        case noSuchMessage(String)
        /// A mail or message that a server has in hand.
        case beingSent(String)
        case fileExists(String)
        /// The database is on a server.
        case notSQLite
        case keepsRows(String, tables: [String])
        case refused(String, reason: String)
        case unresolved(String, reason: String)
        /// A UID that the list of administrators cannot hold.
        case unfit(String)

        package var description: String {
            switch self {
            case .noSuchUser(let uid): "there is no user \(uid)"
            case .noSuchMail(let id): "no mail \(id) is waiting"
            case .noSuchMessage(let id): "no message \(id) is waiting or has failed"
            case .beingSent(let id): "\(id) is being sent just now; look again in a moment"
            case .fileExists(let path): "\(path) exists already; --force replaces it"
            case .notSQLite:
                "the database is on a PostgreSQL server, which makes its own backups: pg_dump, or pg_basebackup with archived "
                    + "write-ahead logs for any moment; docs/scaling.md says how"
            case .keepsRows(let uid, let tables):
                "\(uid) cannot be deleted: "
                    + (tables.isEmpty ? "a table of your own" : "table \(tables.joined(separator: ", "))")
                    + " has rows or a trigger that do not let go of it"
            case .refused(let uid, let reason): "\(uid) cannot be deleted now: \(reason)"
            case .unresolved(let uid, let reason): "the contest about \(uid) cannot be resolved: \(reason)"
            case .unfit(let uid): "\(uid) has a space, and so cannot be an administrator"
            }
        }

        /// A stable name for scripts.
        package var code: String {
            switch self {
            case .noSuchUser, .noSuchMail, .noSuchMessage: "not-found"
            case .beingSent: "being-sent"
            case .fileExists: "exists"
            case .notSQLite: "not-sqlite"
            case .keepsRows: "keeps-rows"
            case .refused, .unresolved: "refused"
            case .unfit: "unfit"
            }
        }
    }

    // MARK: Backup

    /// Copies the database to a new file, consistently, while a server may be writing.
    ///
    /// - Parameter replacing: whether a file that is there already is replaced.
    package func backUp(to path: String, replacing: Bool) throws {
        if case .postgreSQL = configuration.database { throw Failure.notSQLite }
        // Asked first for the sake of the message; the copy itself makes sure.
        guard replacing || !FileManager.default.fileExists(atPath: path) else { throw Failure.fileExists(path) }
        try store.database.backup(to: path, replacing: replacing)
    }

    // MARK: The operator's own tables

    /// What a merge finds of the operator's own tables.
    package func scanAssets() throws -> AssetReport {
        try store.database.readNow { transaction in AssetReport(try transaction.scanAssets(counting: true)) }
    }

    // MARK: Keys

    /// The signing keys that are published.
    package func keys() throws -> [SigningKeyReport] {
        try store.database.readNow { transaction in
            let keys = try transaction.signingKeys()
            let signer = keys.last { $0.signsFrom <= transaction.now }?.kid
            return keys.map { SigningKeyReport($0, isSigning: $0.kid == signer) }
        }
    }

    /// Makes a new signing key.
    ///
    /// - Parameter algorithm: `ES256`, `EdDSA` or `RS256`; `nil` for the configured one.
    package func rotateKeys(algorithm: String?) throws -> SigningKeyReport {
        let keys = SigningKeys(secrets: store.secrets)
        let name = algorithm ?? configuration.signingAlgorithm
        return try store.database.writeNow { transaction in
            SigningKeyReport(try keys.rotate(algorithm: name, in: transaction), isSigning: false)
        }
    }

    /// Seals signing keys and the check value under the newest secret.
    ///
    /// Waiting mails stay as they are: they are short-lived.
    ///
    /// - Returns: how many keys were sealed under an older secret, and how many mails still are.
    package func resealKeys() throws -> ResealReport {
        let keys = SigningKeys(secrets: store.secrets)
        let sealer = Sealer(store.secrets)
        return try store.database.writeNow { [store] transaction in
            let count = try keys.reseal(in: transaction)
            try store.resealCheck(in: transaction)
            let mails = try transaction.waitingPayloads().count { mail in
                try !sealer.isSealedByNewest(mail.payload, table: "outbox", column: "payload", row: mail.mail)
            }
            return ResealReport(keys: count, waitingMails: mails)
        }
    }

    // MARK: Mail

    /// The mails of the outbox, the newest first.
    ///
    /// - Parameter state: `waiting`, `sent`, `failed` or `moot`; `nil` for all.
    package func outbox(state: String?, limit: Int) throws -> [OutboxReport] {
        let wanted = state.flatMap { $0 == "waiting" ? OutboxState.queued : OutboxState(rawValue: $0) }
        return try store.database.readNow { transaction in
            try transaction.outbox(wanted, limit: Int64(limit)).map(OutboxReport.init)
        }
    }

    /// One mail of the outbox.
    package func mail(_ id: String) throws -> OutboxReport {
        let mail = try store.database.readNow { try $0.outboxEntry(id) }
        guard let mail else { throw Failure.noSuchMail(id) }
        return OutboxReport(mail)
    }

    /// What came of trying a mail again.
    package enum RetriedMail: Sendable, Equatable {
        /// The mail is due at once.
        case due
        /// The mail is gone, since its mailbox was said not to exist; further ones are sent there again.
        case mailboxReleased
    }

    /// Makes a waiting mail due at once, and lets mails go to its address again if they were stopped.
    package func retryMail(_ id: String) throws -> RetriedMail {
        let answer = try store.database.writeNow { [flows] transaction -> RetryAnswer? in
            if let payload = try transaction.waitingPayload(of: id), let mail = try? flows.open(payload, mail: id) {
                try flows.endSuppression(of: mail.to, in: transaction)
            }
            let answer = try transaction.retryMail(id)
            return try answer == .noneWaits && transaction.endSuppression(ofMail: id) ? nil : answer
        }
        guard let answer else { return .mailboxReleased }
        try check(answer, of: id, otherwise: .noSuchMail(id))
        return .due
    }

    private func check(_ answer: RetryAnswer, of id: String, otherwise failure: Failure) throws(Failure) {
        switch answer {
        case .due: break
        case .inHand: throw .beingSent(id)
        case .noneWaits: throw failure
        }
    }

    // MARK: Hooks

    /// The messages to hooks, the newest first.
    ///
    /// - Parameter state: `asked`, `waiting`, `delivered` or `failed`; `nil` for all.
    package func hookMessages(state: String?, limit: Int) throws -> [HookMessageReport] {
        let wanted = state.flatMap { $0 == "waiting" ? HookMessageState.queued : HookMessageState(rawValue: $0) }
        return try store.database.readNow { transaction in
            try transaction.hookMessages(wanted, limit: Int64(limit)).map(HookMessageReport.init)
        }
    }

    /// Makes a message due at once, one that was given up too.
    package func retryHookMessage(_ id: String) throws {
        try check(store.database.writeNow { try $0.retryMessage(id) }, of: id, otherwise: .noSuchMessage(id))
    }

    // MARK: Users

    /// Users in the order of their UIDs, after a given one.
    package func users(after uid: String?, limit: Int) throws -> [UserReport] {
        try store.database.readNow { transaction in
            let administrators = try transaction.administrators()
            return try transaction.users(after: uid ?? "", limit: Int64(limit)).map { user in
                UserReport(user, identities: [], isAdministrator: administrators.contains(user.uid))
            }
        }
    }

    /// One user.
    package func user(_ uid: String) throws -> UserReport {
        try store.database.readNow { transaction in
            guard let user = try transaction.user(uid) else { throw Failure.noSuchUser(uid) }
            return UserReport(
                user,
                identities: try transaction.identities(of: uid),
                isAdministrator: try transaction.administrators().contains(uid)
            )
        }
    }

    /// Ends a user's sessions and lets them sign in no more, or lets them sign in again.
    package func setDisabled(_ isDisabled: Bool, _ uid: String) throws {
        try store.database.writeNow { [flows] transaction in
            guard var user = try transaction.user(uid) else { throw Failure.noSuchUser(uid) }
            if isDisabled {
                user.disabledAt = user.disabledAt ?? transaction.now
                try transaction.endSessions(of: uid, except: nil, reason: .revoked)
            } else {
                try flows.enable(&user, in: transaction)
            }
            try transaction.update(user)
        }
    }

    /// Ends the contest about an account that was taken over.
    ///
    /// - Parameters:
    ///   - uid: the account's UID.
    ///   - keepsOldAddress: whether the address that objected keeps the account, instead of the present one.
    /// - Returns: the account's address.
    package func resolve(_ uid: String, keepsOldAddress: Bool) throws -> String? {
        do {
            return try store.database.writeNow { [flows] transaction in
                guard let user = try flows.resolve(uid, keeping: keepsOldAddress ? .old : .new, in: transaction) else {
                    throw Failure.noSuchUser(uid)
                }
                return user.email
            }
        } catch let refusal as Refusal {
            throw Failure.unresolved(uid, reason: refusal.detail ?? refusal.code.rawValue)
        }
    }

    /// Deletes a user and all that belongs to them, for good.
    package func deleteUser(_ uid: String) throws {
        do {
            try store.database.writeNow { [flows] transaction in
                guard let user = try transaction.user(uid) else { throw Failure.noSuchUser(uid) }
                try flows.delete(user, because: .operator, in: transaction)
            }
        } catch let error as DatabaseError {
            guard case .constraint = error.kind else { throw error }
            let blockers = try store.database.writeNow(alone: true) { try $0.blockers(of: [uid]) }
            throw Failure.keepsRows(uid, tables: Array(blockers.values))
        } catch let refusal as Refusal {
            throw Failure.refused(uid, reason: refusal.detail ?? refusal.code.rawValue)
        }
    }

    // MARK: Administrators

    /// The UIDs of the administrators.
    package func administrators() throws -> [String] {
        try store.database.readNow { try $0.administrators() }
    }

    /// Makes a user an administrator, or no longer one.
    package func setAdministrator(_ isAdministrator: Bool, _ uid: String) throws {
        // The setting is a list with spaces between: such a UID would be two others.
        guard !isAdministrator || !uid.contains(" ") else { throw Failure.unfit(uid) }
        try store.database.writeNow { transaction in
            if isAdministrator {
                guard var user = try transaction.user(uid) else { throw Failure.noSuchUser(uid) }
                // Whom an operator has chosen is no guest any more, and is never cleaned up.
                user.anonymousSince = nil
                try transaction.update(user)
            }
            let others = try transaction.administrators().filter { $0 != uid }
            try transaction.setAdministrators(isAdministrator ? others + [uid] : others)
        }
    }
}

/// Sends a mail past the outbox, to try the configuration.
package enum MailTest {
    /// Sends one mail and tells what the mail server answered.
    ///
    /// - Throws: what is wrong with the configuration or the address.
    package static func send(
        to address: String,
        file: String?,
        environment: [String: String]
    ) async throws -> MailTestReport {
        let configuration = try Configuration.load(file: file, environment: environment)
        let recipient: EmailAddress
        do { recipient = try EmailAddress(parsing: address) } catch {
            throw ConfigurationError(problems: ["\(address) is no address that mail can go to"])
        }
        let smtp = try configuration.smtp(mailbox: "smtp://\(configuration.mailboxListen)")
        let sender: MailSender
        do { sender = try MailSender(parsing: configuration.mailFrom) } catch {
            throw StartError.invalidMailSender(error.description)
        }
        let mail = try TestMail.compose(
            to: recipient.canonical,
            from: sender,
            messageID: MessageID.make(random: try TokenID.random().bytes, domain: sender.domain),
            now: SystemClock.now()
        )
        let client = SMTPClient(smtp)
        let result = await client.send(mail)
        await client.close()
        return switch result {
        case .accepted(let reply):
            MailTestReport(server: smtp.server, accepted: true, answer: "\(reply.code) \(reply.text)")
        case .failed(let failure): MailTestReport(server: smtp.server, accepted: false, answer: failure.description)
        }
    }
}
