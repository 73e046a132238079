internal import AccountDatabase
internal import Database
internal import Tokens

/// The result of `latchkey database copy`.
package struct DatabaseCopyReport: Encodable, Sendable {
    package struct Table: Encodable, Sendable {
        package let name: String
        package let rows: Int64
        /// The hash of the rows in the format of PostgreSQL's COPY, in the order of their ids.
        package let sha256: String
    }

    package let tables: [Table]
    package let rows: Int64
    /// The operator's own tables in the source.
    package let leftOut: [String]
    /// Whether the source was written to since the copy began; `nil` if it could not be read any more.
    ///
    /// Writes of the last moments on a PostgreSQL server may be missed.
    package let sourceChanged: Bool?
}

/// Copies a whole database, also to another engine.
package enum DatabaseMove {
    /// The progress of a copy.
    package enum Progress: Sendable {
        case copying(table: String, rows: Int64, of: Int64)
        case comparing(table: String)
    }

    /// Copies all of Latchkey's tables as of one moment, and compares both copies.
    ///
    /// The source is not changed. If this throws, the target is unchanged, except that an empty PostgreSQL database
    /// keeps the schema.
    ///
    /// - Parameters:
    ///   - source: the URL of the source; `nil` for the configured database.
    ///   - target: the URL of the target; `nil` for the configured database.
    ///   - replaces: whether existing contents of the target may be deleted.
    ///   - file: the configuration file, or `nil`. A secret in it must be the source's.
    ///   - environment: all environment variables.
    ///   - progress: called from time to time.
    /// - Returns: the copied tables with their numbers of rows and hashes.
    /// - Throws: ``ConfigurationError``; ``StartError/wrongSecret`` if the configured secret is not the source's; or
    ///   the error that keeps the databases from being used.
    package static func copy(
        from source: String?,
        to target: String?,
        replacing replaces: Bool,
        file: String?,
        environment: [String: String],
        progress: (Progress) -> Void
    ) throws -> DatabaseCopyReport {
        let from = try configuration(of: source, "--from", file, environment)
        let to = try configuration(of: target, "--to", file, environment)
        let snapshot = try from.database.snapshot()
        defer { snapshot.close() }
        try check(from.secret, snapshot)
        let leftOut = try snapshot.operatorsTables()
        let sums = try to.database.copy(of: snapshot, replacing: replaces)
            .run(Migration.embedded()) { progress(Progress($0)) }
        return DatabaseCopyReport(
            tables: sums.map { DatabaseCopyReport.Table(name: $0.table, rows: $0.rows, sha256: $0.digest) },
            rows: sums.reduce(0) { $0 + $1.rows },
            leftOut: leftOut,
            // The copy is complete and stays, whatever happens to the source.
            sourceChanged: try? snapshot.wasOvertaken()
        )
    }

    private static func configuration(
        of url: String?,
        _ option: String,
        _ file: String?,
        _ environment: [String: String]
    ) throws -> Configuration {
        guard let url else { return try Configuration.load(file: file, environment: environment, secrets: .storage) }
        var environment = environment
        environment["LATCHKEY_DATABASE"] = url
        environment["LATCHKEY_DATABASE_FILE"] = nil
        do {
            return try Configuration.load(file: file, environment: environment, secrets: .storage)
        } catch let error as ConfigurationError {
            throw ConfigurationError(
                problems: error.problems.map { $0.key == "LATCHKEY_DATABASE" ? $0.named(option) : $0 }
            )
        }
    }

    /// Checks that a configured secret is the source's, because sealed values are copied unchanged.
    ///
    /// Does nothing without a configured secret.
    ///
    /// - Throws: ``StartError/wrongSecret``.
    private static func check(_ secret: String?, _ snapshot: DatabaseSnapshot) throws {
        guard let secret, let value = try snapshot.transaction.setting(Store.checkSetting) else { return }
        guard try CheckValue.verify(value, Sealer(ServerSecrets(text: secret))) else { throw StartError.wrongSecret }
    }
}

extension DatabaseMove.Progress {
    fileprivate init(_ progress: DatabaseCopy.Progress) {
        self =
            switch progress {
            case .copying(let table, let rows, let total): .copying(table: table, rows: rows, of: total)
            case .comparing(let table): .comparing(table: table)
            }
    }
}

extension Configuration.DatabaseLocation {
    /// Opens a snapshot of the database as of one moment, for reading, which the caller must close.
    func snapshot() throws -> DatabaseSnapshot {
        switch self {
        case .sqlite(let path):
            try DatabaseSnapshot(sqlite: path, migrations: Migration.embedded(), tables: OwnTables.copied)
        case .postgreSQL(let settings):
            try DatabaseSnapshot(settings, migrations: Migration.embedded(), tables: OwnTables.copied)
        }
    }

    /// Prepares a copy into this database, which its `run` then makes.
    fileprivate func copy(of source: DatabaseSnapshot, replacing: Bool) -> DatabaseCopy {
        switch self {
        case .sqlite(let path): DatabaseCopy(source, toSQLite: path, replaces: replacing)
        case .postgreSQL(let settings): DatabaseCopy(source, to: settings, replaces: replacing)
        }
    }
}
