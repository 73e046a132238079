package import Database
package import PostgreSQLHarness

/// A new database on the shared server.
package struct FreshPostgreSQL: Sendable {
    /// The counterpart of ``Fresh/schema``.
    package static let schema = [
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

    package let url: String
    package let server: PostgreSQLServer
    package let database: PostgreSQLDatabase

    package init(
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

    /// Closes the database and drops it from the server.
    package func remove() {
        database.close()
        server.removeDatabase(url)
    }

    package func count() throws -> Int64 {
        try database.readNow { try $0.first("SELECT count(*) FROM items") { try $0.integer(0) } } ?? -1
    }
}
