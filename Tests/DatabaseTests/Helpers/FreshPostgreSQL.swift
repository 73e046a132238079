import PostgreSQLHarness

@testable import Database

/// A database of its own on the shared server.
struct FreshPostgreSQL: Sendable {
    /// What ``Fresh/schema`` is to SQLite.
    static let schema = [
        Migration(
            number: 1,
            name: "items",
            sql: """
                CREATE TABLE owners (id {{id}}, name {{text}} NOT NULL UNIQUE);
                CREATE TABLE items (
                    id {{id}},
                    key {{text}} NOT NULL UNIQUE,
                    owner {{integer}} REFERENCES owners (id) DEFERRABLE INITIALLY DEFERRED,
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

    /// Closes it and takes it off the server.
    func remove() {
        database.close()
        server.removeDatabase(url)
    }

    func count() throws -> Int64 {
        try database.readNow { try $0.first("SELECT count(*) FROM items") { try $0.integer(0) } } ?? -1
    }
}
