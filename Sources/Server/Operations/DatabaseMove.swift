internal import Database
internal import Tokens

/// What `latchkey database copy` has copied.
package struct DatabaseCopyReport: Encodable, Sendable {
    package struct Table: Encodable, Sendable {
        package let name: String
        package let rows: Int64
        /// Of the rows as PostgreSQL's COPY writes them, in the order of their ids.
        package let sha256: String
    }

    package let tables: [Table]
    package let rows: Int64
    /// The operator's own tables in the source.
    package let leftOut: [String]
    /// Whether the source was written to since the copy began; `nil` where it could not be asked any more.
    package let sourceChanged: Bool?
}

/// Copying a whole database, to another engine too.
package enum DatabaseMove {
    /// How far a copy is.
    package enum Progress: Sendable {
        case copying(table: String, rows: Int64, of: Int64)
        case comparing(table: String)
    }

    /// Copies everything of ours, as it is at one moment, and compares both.
    ///
    /// The source is not changed. The target is as it was before wherever this throws, but for the schema, which an empty one of
    /// PostgreSQL's has then.
    ///
    /// - Parameters:
    ///   - source: a database's URL; `nil` for that of the configuration.
    ///   - target: another one's; `nil` for that of the configuration.
    ///   - replaces: whether what is in the target may go.
    ///   - file: the configuration file, or `nil`. Where it gives a secret, that must be the source's.
    ///   - environment: all environment variables.
    ///   - progress: told now and then.
    /// - Throws: ``ConfigurationError``, ``StartError``, or what keeps the databases from being used.
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
            // The copy is complete, and there to stay, whatever has become of the source.
            sourceChanged: try? snapshot.wasOvertaken()
        )
    }

    private static func configuration(
        of url: String?,
        _ option: String,
        _ file: String?,
        _ environment: [String: String]
    ) throws -> Configuration {
        guard let url else { return try Configuration.load(file: file, environment: environment) }
        var environment = environment
        environment["LATCHKEY_DATABASE"] = url
        environment["LATCHKEY_DATABASE_FILE"] = nil
        do {
            return try Configuration.load(file: file, environment: environment)
        } catch let error as ConfigurationError {
            throw ConfigurationError(
                problems: error.problems.map { $0.replacing("LATCHKEY_DATABASE:", with: "\(option):") }
            )
        }
    }

    /// What is sealed in the database goes along as it is; whoever gives a secret means to start on the copy with it.
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
    /// The database as it is now.
    func snapshot() throws -> DatabaseSnapshot {
        switch self {
        case .sqlite(let path): try DatabaseSnapshot(sqlite: path, migrations: Migration.embedded())
        case .postgreSQL(let settings): try DatabaseSnapshot(settings, migrations: Migration.embedded())
        }
    }

    /// A copy to here.
    fileprivate func copy(of source: DatabaseSnapshot, replacing: Bool) -> DatabaseCopy {
        switch self {
        case .sqlite(let path): DatabaseCopy(source, toSQLite: path, replaces: replacing)
        case .postgreSQL(let settings): DatabaseCopy(source, to: settings, replaces: replacing)
        }
    }
}
