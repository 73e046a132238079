import DatabaseHarness
import PostgreSQLHarness
import Testing

@testable import Database

/// The engines of this test run.
enum Engine: CaseIterable {
    case sqlite
    case postgreSQL
    /// Without prepared statements, as behind a pooler.
    case postgreSQLUnprepared

    static let ofThisRun: [Engine] =
        TestDatabase.Engine.current == .sqlite ? [.sqlite] : [.postgreSQL, .postgreSQLUnprepared]

    /// Makes a new database with the table `items`.
    ///
    /// - Parameters:
    ///   - connections: the number of writing closures that may run at once, if the engine allows several.
    ///   - maximumQueued: the number of closures that may wait.
    func open(
        connections: Int = 8,
        maximumQueued: Int = 10_000,
        clock: (@Sendable () -> Int64)? = nil
    ) async throws -> Items {
        switch self {
        case .sqlite:
            let fresh = try Fresh {
                $0.maximumQueuedWrites = maximumQueued
                if let clock { $0.clock = clock }
            }
            return Items(database: fresh.database, remove: fresh.remove) {
                try SQLiteDatabase(SQLiteConfiguration(path: fresh.path), migrations: Fresh.schema)
            }
        case .postgreSQL, .postgreSQLUnprepared:
            let fresh = try FreshPostgreSQL {
                $0.prepares = self == .postgreSQL
                $0.connections = connections
                $0.maximumQueued = maximumQueued
                $0.clock = clock
            }
            try await fresh.database.write { transaction in
                try transaction.execute(
                    """
                    CREATE FUNCTION forbidden() RETURNS trigger LANGUAGE plpgsql AS
                    $$ BEGIN RAISE EXCEPTION 'forbidden; truly'; END $$
                    """
                )
                try transaction.execute(
                    """
                    CREATE TRIGGER forbidden BEFORE INSERT ON items FOR EACH ROW WHEN (new.key = 'forbidden')
                    EXECUTE FUNCTION forbidden()
                    """
                )
            }
            return Items(database: fresh.database, remove: fresh.remove) {
                try PostgreSQLDatabase(
                    PostgreSQLConfiguration(url: fresh.url),
                    migrations: FreshPostgreSQL.schema
                )
            }
        }
    }
}

/// A database with the table `items`; each test ends with `defer { items.remove() }`.
struct Items: Sendable {
    let database: any Database
    let remove: @Sendable () -> Void
    /// Opens the database once more.
    let reopen: @Sendable () throws -> any Database

    func count() throws -> Int64 { try Self.count(database) }

    static func count(_ database: any Database) throws -> Int64 {
        try database.readNow { try $0.first("SELECT count(*) FROM items") { try $0.integer(0) } } ?? -1
    }

    func keys() throws -> [String] { try Self.keys(database) }

    static func keys(_ database: any Database) throws -> [String] {
        try database.readNow { try $0.all("SELECT key FROM items") { try $0.text(0) } }.sorted()
    }
}

extension Trait where Self == ConditionTrait {
    /// Enables a test on SQLite only.
    static var sqlite: Self { .enabled(if: TestDatabase.Engine.current == .sqlite, "about SQLite alone") }
    /// Enables a test on PostgreSQL only.
    static var postgreSQL: Self { .enabled(if: TestDatabase.Engine.current == .postgreSQL, "about PostgreSQL alone") }
}

/// Returns the text for the engine of this run.
func either(_ sqlite: String, _ postgreSQL: String) -> String {
    TestDatabase.Engine.current == .sqlite ? sqlite : postgreSQL
}
