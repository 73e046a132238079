package import Database
internal import Foundation

/// A new database in its own folder; each test ends with `defer { fresh.remove() }`.
package struct Fresh: Sendable {
    package let folder: String
    package let database: SQLiteDatabase

    package var path: String { "\(folder)/test.db" }

    package static let schema = [
        Migration(
            number: 1,
            name: "items",
            sql: """
                CREATE TABLE owners (id {{id}}, name {{text}} NOT NULL UNIQUE) {{strict}};
                CREATE TABLE items (
                    id {{id}},
                    key {{text}} NOT NULL UNIQUE,
                    owner {{integer}} REFERENCES owners (id) DEFERRABLE INITIALLY DEFERRED,
                    amount {{integer}} NOT NULL DEFAULT 0 CHECK (amount >= 0),
                    note {{text}}
                ) {{strict}};
                -- A trigger with ; inside: the splitter must not stop there.
                CREATE TRIGGER forbidden BEFORE INSERT ON items WHEN new.key = 'forbidden'
                BEGIN SELECT 1; SELECT RAISE(ROLLBACK, 'forbidden; truly'); END;
                """
        )
    ]

    package static func folder() throws -> String {
        let folder = NSTemporaryDirectory() + "latchkey-database-" + UUID().uuidString
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        return folder
    }

    package init(
        migrations: [Migration] = schema,
        latestSchema: String? = nil,
        _ adjust: (inout SQLiteConfiguration) -> Void = { _ in }
    ) throws {
        folder = try Self.folder()
        var configuration = SQLiteConfiguration(path: "\(folder)/test.db")
        adjust(&configuration)
        database = try SQLiteDatabase(configuration, migrations: migrations, latestSchema: latestSchema)
    }

    /// Closes the database and removes its folder.
    package func remove() {
        database.close()
        try? FileManager.default.removeItem(atPath: folder)
    }

    /// Counts the items.
    package func count() throws -> Int64 {
        try database.readNow { try $0.first("SELECT count(*) FROM items") { try $0.integer(0) } } ?? -1
    }

    package func keys() throws -> [String] {
        try database.readNow { try $0.all("SELECT key FROM items ORDER BY key") { try $0.text(0) } }
    }
}

/// Returns the kind of the error that a closure throws; nil if it throws none or another one.
package func kind<Result>(_ body: () async throws -> Result) async -> DatabaseError.Kind? {
    do {
        _ = try await body()
        return nil
    } catch {
        return (error as? DatabaseError)?.kind
    }
}

/// The factor by which timeouts are longer than usual, for example under a sanitizer.
package let patience = ProcessInfo.processInfo.environment["LATCHKEY_TEST_PATIENCE"].flatMap(Int.init) ?? 1

/// Whether the tests run at full depth.
package let isFullDepth = ProcessInfo.processInfo.environment["DEPTH"] == "full"
