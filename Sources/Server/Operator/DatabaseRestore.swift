internal import AccountDatabase
internal import Database
internal import FoundationEssentials
internal import Tokens

/// The result of `latchkey restore`.
package struct RestoreReport: Encodable, Sendable {
    package let file: String
    package let database: String
    /// The file with what was there before; `nil` if there was no database.
    package let kept: String?
    package let users: Int64
}

/// Puts a backup in the place of the SQLite database.
package enum DatabaseRestore {
    /// Checks a backup, and replaces the configured database by it.
    ///
    /// The backup must be an undamaged database of this or an earlier version, of the configured secret. The existing
    /// database is kept under another name.
    ///
    /// - Parameters:
    ///   - backup: the file that `latchkey backup` made.
    ///   - file: the configuration file, or `nil`.
    ///   - environment: all environment variables.
    /// - Returns: what was done.
    /// - Throws: ``ConfigurationError``; ``Operator/Failure/notSQLite``; ``StartError/wrongSecret``; or the error that
    ///   keeps the backup from being used. Nothing is changed then.
    package static func run(from backup: String, file: String?, environment: [String: String]) throws -> RestoreReport {
        let configuration = try Configuration.load(file: file, environment: environment, secrets: .storage)
        guard case .sqlite(let path) = configuration.database else { throw Operator.Failure.notSQLite }
        var secrets = try configuration.secret.map { try ServerSecrets(text: $0) }
        if secrets == nil, FileManager.default.fileExists(atPath: "\(path).secret") {
            secrets = try SecretFile.loadOrCreate("\(path).secret")
        }
        var users: Int64 = 0
        let restore = Restore(from: backup, to: path, migrations: try Migration.embedded())
        let outcome = try restore.run(label: BackupFolder.stamp(SystemClock.now())) { transaction in
            if let secrets, let value = try transaction.setting(Store.checkSetting) {
                guard try CheckValue.verify(value, Sealer(secrets)) else { throw StartError.wrongSecret }
            }
            users = try transaction.first("SELECT count(*) FROM users") { try $0.integer(0) } ?? 0
        }
        return RestoreReport(file: backup, database: path, kept: outcome.kept, users: users)
    }
}
