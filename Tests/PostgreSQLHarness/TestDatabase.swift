package import AccountDatabase
package import Database
internal import Foundation

/// The database of a test, on the engine of this test run.
///
/// `Scripts/test-swift` sets `LATCHKEY_TEST_ENGINE=postgresql` for the second run of the targets that store data.
package final class TestDatabase: Sendable {
    /// The engine of a test run.
    package enum Engine: String, Sendable, CaseIterable {
        case sqlite
        case postgreSQL = "postgresql"

        /// The engine of this run.
        package static let current: Engine = {
            guard let name = ProcessInfo.processInfo.environment["LATCHKEY_TEST_ENGINE"] else { return .sqlite }
            guard let engine = Engine(rawValue: name) else {
                preconditionFailure("LATCHKEY_TEST_ENGINE is sqlite or postgresql, not \(name)")
            }
            return engine
        }()
    }

    /// Whether tests run that choose their engines themselves, or need none: once rather than for each engine, and also
    /// through a pooler.
    package static var isEnginesTurn: Bool { Engine.current == .sqlite || PgBouncer.isInUse }

    /// Whether this run's databases are files, which differ from servers in some properties.
    package static var isFile: Bool { Engine.current == .sqlite }

    /// The URL, in the form of the setting `database`.
    package let url: String

    /// Makes a new database.
    ///
    /// - Parameters:
    ///   - folder: the folder of a file.
    ///   - isMigrated: whether it has the product's schema already. Without it there is no file yet.
    ///   - engine: the engine.
    package init(in folder: String, isMigrated: Bool = true, engine: Engine = .current) throws {
        switch engine {
        case .sqlite:
            let path = "\(folder)/latchkey.db"
            url = "sqlite:\(path)"
            guard isMigrated else { return }
            let attributes: [FileAttributeKey: Any] = [.posixPermissions: 0o600]
            let file = try Self.migratedFile.get()
            guard FileManager.default.createFile(atPath: path, contents: file, attributes: attributes) else {
                throw CocoaError(.fileWriteUnknown)
            }
        case .postgreSQL:
            url = try PostgreSQLServer.shared.get().makeDatabase(isMigrated: isMigrated)
        }
    }

    /// A file with the product's schema.
    ///
    /// Copying it is faster than migrating a new one.
    private static let migratedFile = Result {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("latchkey-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: false)
        defer { try? FileManager.default.removeItem(at: folder) }
        let file = folder.appendingPathComponent("migrated.db")
        try SQLiteDatabase(
            SQLiteConfiguration(path: file.path),
            migrations: Migration.embedded(),
            latestSchema: Migration.embeddedLatestSchema
        ).close()
        return try Data(contentsOf: file)
    }

    /// Makes a database from a copy: of a file, or of a server's database as pg_dump wrote it.
    ///
    /// - Parameters:
    ///   - folder: the folder of the new file.
    ///   - file: the path of an SQLite file.
    ///   - dump: the path of the script of pg_dump.
    package init(in folder: String, fromFile file: String, orDump dump: String) throws {
        switch Engine.current {
        case .sqlite:
            url = "sqlite:\(folder)/latchkey.db"
            try FileManager.default.copyItem(atPath: file, toPath: "\(folder)/latchkey.db")
        case .postgreSQL:
            url = try PostgreSQLServer.shared.get().makeDatabase()
            let options = ["-X", "--quiet", "--single-transaction", "--set=ON_ERROR_STOP=1", "--file=\(dump)"]
            try PostgreSQLServer.run(["psql"] + options + [url], asServer: false)
        }
    }

    /// Opens the database with the product's schema; the caller closes it.
    ///
    /// - Parameters:
    ///   - connections: the number of writing closures that may run at once, if the engine allows several.
    ///   - statementTimeout: the server's time limit for a statement, in milliseconds.
    ///   - lockTimeout: the time in milliseconds that a transaction waits for a lock before it runs again; 0 for no limit.
    ///   - clock: the clock; `nil` for the engine's own.
    ///   - assets: the operator's declarations about their own tables.
    ///   - omittedProtections: the names of protections that are left out, with PostgreSQL.
    ///   - onStatement: called for each statement, which fails with what it throws.
    package func open(
        connections: Int = 4,
        statementTimeout: Int = 10_000,
        lockTimeout: Int = 100,
        clock: (@Sendable () -> Int64)? = nil,
        assets: AssetSettings = AssetSettings(),
        omittedProtections: Set<String> = [],
        onStatement: (@Sendable (String) throws(DatabaseError) -> Void)? = nil
    ) throws -> any Database {
        guard !url.hasPrefix("sqlite:") else {
            var configuration = SQLiteConfiguration(path: String(url.dropFirst("sqlite:".count)))
            if let clock { configuration.clock = clock }
            configuration.declare(assets)
            configuration.onStatement = onStatement
            return try SQLiteDatabase(configuration, migrations: Migration.embedded())
        }
        var configuration = PostgreSQLConfiguration(url: url)
        configuration.connections = connections
        configuration.statementTimeout = statementTimeout
        configuration.lockTimeout = lockTimeout
        configuration.clock = clock
        configuration.omittedProtections = omittedProtections
        configuration.declare(assets)
        configuration.onStatement = onStatement
        return try PostgreSQLDatabase(configuration, migrations: Migration.embedded())
    }

    deinit {
        // A file is deleted with its folder.
        if !url.hasPrefix("sqlite:") { try? PostgreSQLServer.shared.get().removeDatabase(url) }
    }
}
