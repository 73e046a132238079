package import Database
internal import Foundation

/// The database of a test, on the engine that this run of the tests is about.
///
/// `LATCHKEY_TEST_ENGINE=postgresql` is what `Scripts/test-swift` sets for the second run of the targets that store anything.
package final class TestDatabase: Sendable {
    /// What a run of the tests stores on.
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

    /// Whether tests have their turn that pick their engines by themselves: once, and not for each engine, but through a pooler.
    package static var isEnginesTurn: Bool { Engine.current == .sqlite || PgBouncer.isInUse }

    /// Whether this run's databases are files, of which some things are true and possible that are not of servers.
    package static var isFile: Bool { Engine.current == .sqlite }

    /// As the setting `database` has it.
    package let url: String

    /// Makes a new one.
    ///
    /// - Parameters:
    ///   - folder: where a file goes.
    ///   - isMigrated: whether one on a server has the product's schema already; a file has to be made by whoever opens it.
    ///   - engine: on what it is.
    package init(in folder: String, isMigrated: Bool = true, engine: Engine = .current) throws {
        url =
            switch engine {
            case .sqlite: "sqlite:\(folder)/latchkey.db"
            case .postgreSQL: try PostgreSQLServer.shared.get().makeDatabase(isMigrated: isMigrated)
            }
    }

    /// Opens it with the product's schema; whoever does so closes it.
    ///
    /// - Parameters:
    ///   - connections: how many closures that write may run at once where more than one can.
    ///   - statementTimeout: how long a server lets a statement take, in milliseconds.
    ///   - clock: what it goes by; `nil` for the engine's own.
    ///   - assets: what the operator declared about tables of their own.
    ///   - onStatement: told of each statement, which fails with what it throws.
    package func open(
        connections: Int = 4,
        statementTimeout: Int = 10_000,
        clock: (@Sendable () -> Int64)? = nil,
        assets: AssetSettings = AssetSettings(),
        onStatement: (@Sendable (String) throws(DatabaseError) -> Void)? = nil
    ) throws -> any Database {
        guard !url.hasPrefix("sqlite:") else {
            var configuration = SQLiteConfiguration(path: String(url.dropFirst("sqlite:".count)))
            if let clock { configuration.clock = clock }
            configuration.assets = assets
            configuration.onStatement = onStatement
            return try SQLiteDatabase(configuration, migrations: Migration.embedded())
        }
        var configuration = PostgreSQLConfiguration(url: url)
        configuration.connections = connections
        configuration.statementTimeout = statementTimeout
        configuration.clock = clock
        configuration.assets = assets
        configuration.onStatement = onStatement
        return try PostgreSQLDatabase(configuration, migrations: Migration.embedded())
    }

    deinit {
        // A file goes with its folder.
        if !url.hasPrefix("sqlite:") { try? PostgreSQLServer.shared.get().removeDatabase(url) }
    }
}
