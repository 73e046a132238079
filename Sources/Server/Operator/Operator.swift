internal import AccountDatabase
internal import Accounts
internal import Database
internal import FoundationEssentials

/// The commands of the operator.
///
/// They run in the process of the command-line tool, on the server's database, whether or not a server runs.
///
/// Running servers notice changed keys and settings within seconds.
package struct Operator: Sendable {
    let configuration: Configuration
    let store: Store
    /// The person who gave the command, for the audit log.
    let actor: AuditActor

    /// Opens the database of a configuration.
    ///
    /// - Parameters:
    ///   - file: the configuration file, or `nil`.
    ///   - environment: all environment variables.
    ///   - makesDatabase: whether to create a missing SQLite database. Otherwise a missing one is an error, because it
    ///     usually means that this is not the server's configuration.
    ///   - reason: the reason of the command, for the audit log, one line; `nil` without one.
    ///   - instanceEnvironment: the clock and intervals, which tests replace.
    /// - Throws: ``Failure/badReason``, ``ConfigurationError``, ``StartError``, or the error that keeps the database from opening.
    package init(
        file: String?,
        environment: [String: String],
        makesDatabase: Bool = false,
        reason: String? = nil,
        instanceEnvironment: InstanceEnvironment = InstanceEnvironment()
    ) throws {
        if let reason, !(1...AuditActor.longestReason).contains(reason.count) || !SingleLine.accepts(reason) {
            throw Failure.badReason
        }
        configuration = try Configuration.load(file: file, environment: environment, secrets: .storage)
        if case .sqlite(let path) = configuration.database, !makesDatabase,
            !FileManager.default.fileExists(atPath: path)
        {
            throw StartError.noDatabase(path)
        }
        actor = AuditActor(.login, Login.current(environment), reason: reason)
        store = try Store.open(configuration, environment: instanceEnvironment, logger: Log { _ in })
    }

    /// The account rules, with ``actor`` as the author of changes.
    var flows: AccountFlows {
        AccountFlows(policy: configuration.policy, secrets: store.secrets).acting(as: actor)
    }

    /// Closes the database.
    package func close() {
        store.database.close()
    }

    /// Returns the reason why the database is unreachable; `nil` for other errors.
    package static func unreachable(_ error: any Error) -> String? {
        guard let error = error as? DatabaseError, error.kind == .unavailable else { return nil }
        return error.message
    }

    /// Returns the text of a database error, with its statement if known; `nil` for other errors.
    package static func words(_ error: any Error) -> String? {
        guard let error = error as? DatabaseError else { return nil }
        return error.statement.map { "\(error.message), in: \($0)" } ?? error.message
    }

    /// Copies a SQLite database to a new file, consistently, even while a server writes.
    ///
    /// - Parameters:
    ///   - path: the new file.
    ///   - replacing: whether an existing file is replaced.
    /// - Throws: ``Failure/notSQLite``; ``Failure/fileExists(_:)``; or the error of the copy.
    package func backUp(to path: String, replacing: Bool) throws {
        if case .postgreSQL = configuration.database { throw Failure.notSQLite }
        // Checked first for a clear message. The copy itself checks again.
        guard replacing || !FileManager.default.fileExists(atPath: path) else { throw Failure.fileExists(path) }
        try store.database.backup(to: path, replacing: replacing)
    }

    /// Reports what a merge does with the operator's own tables.
    package func scanAssets() throws -> AssetReport {
        try store.database.readNow { transaction in AssetReport(try transaction.scanAssets(counting: true)) }
    }
}
