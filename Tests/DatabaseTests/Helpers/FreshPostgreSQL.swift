import PostgreSQLHarness

@testable import Database

/// A database of its own on the shared server.
struct FreshPostgreSQL: Sendable {
    static let schema = [
        Migration(
            number: 1,
            name: "items",
            sql: """
                CREATE TABLE items (
                    id {{id}},
                    key {{text}} NOT NULL UNIQUE,
                    amount {{integer}} NOT NULL DEFAULT 0 CHECK (amount >= 0),
                    note {{text}}
                );
                """
        )
    ]

    let url: String
    let server: PostgreSQLServer
    let database: PostgreSQLDatabase

    init(
        migrations: [Migration] = schema,
        on server: PostgreSQLServer? = nil,
        _ adjust: (inout PostgreSQLConfiguration) -> Void = { _ in }
    ) throws {
        self.server = try server ?? PostgreSQLServer.shared.get()
        url = try self.server.makeDatabase()
        var configuration = PostgreSQLConfiguration(url: url)
        configuration.connections = 8
        adjust(&configuration)
        database = try PostgreSQLDatabase(configuration, migrations: migrations)
    }

    func remove() { database.close() }

    func count() throws -> Int64 {
        try database.readNow { try $0.first("SELECT count(*) FROM items") { try $0.integer(0) } } ?? -1
    }
}

/// The engines that every test of what they have in common runs on.
enum Engine: CaseIterable {
    case sqlite
    case postgreSQL
    /// As behind a pooler.
    case postgreSQLUnprepared

    /// A new database with the table `items`, and what removes it.
    func open() throws -> (database: any Database, remove: () -> Void) {
        switch self {
        case .sqlite:
            let fresh = try Fresh()
            return (fresh.database, fresh.remove)
        case .postgreSQL, .postgreSQLUnprepared:
            let fresh = try FreshPostgreSQL { $0.prepares = self == .postgreSQL }
            return (fresh.database, fresh.remove)
        }
    }
}
