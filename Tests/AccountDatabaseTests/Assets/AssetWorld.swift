import Accounts
import CSQLite
import DatabaseHarness
import Foundation
import PostgreSQLHarness
import Testing

@testable import AccountDatabase
@testable import Database

/// A database of the product with tables of an operator, and three users: `guest`, `target` and `other`.
struct AssetWorld: Sendable {
    let database: any Database
    private let place: any Place
    static let guest = "guest"
    static let target = "target"

    /// The place of the data, for access from outside the product.
    private protocol Place: Sendable {
        /// Runs statements as an operator's program would, on its own connection.
        func script(_ text: String) throws
        /// Returns the rows of a query, one line each, on a connection independent of the product's.
        func rows(_ query: String) throws -> [String]
        /// A query for all tables, with names for statements and names for people.
        var tables: String { get }
        func remove()
    }

    /// Makes a world.
    ///
    /// - Parameter isPlain: whether the product's role is not a superuser, in PostgreSQL.
    init(
        _ script: String,
        assets: AssetSettings = AssetSettings(),
        busyTimeout: Int = 5000,
        isPlain: Bool = false
    ) throws {
        switch TestDatabase.Engine.current {
        case .sqlite:
            let file = try File(assets, busyTimeout)
            (database, place) = (file.fresh.database, file)
        case .postgreSQL:
            let server = try Server(assets, isPlain: isPlain)
            (database, place) = (server.database, server)
        }
        do {
            try self.script(Self.users + script)
        } catch {
            remove()
            throw error
        }
    }

    private static let users = ["other", "guest", "target"].map { uid in
        """
        INSERT INTO users (uid, anonymous_since, valid_since, created_at, last_login_at, last_refresh_at)
            VALUES ('\(uid)', \(uid == "guest" ? "1" : "NULL"), 1, 1, 1, 1);

        """
    }.joined()

    func remove() { place.remove() }

    func script(_ text: String) throws { try place.script(text) }

    /// Resets the world, with other tables.
    func renew(dropping tables: [String], _ script: String) throws {
        let drops = tables.map { "DROP TABLE IF EXISTS \($0) \(either("", "CASCADE"));" }.joined()
        try place.script(drops + "DELETE FROM users; DELETE FROM former_users;" + Self.users + script)
    }

    func rows(_ query: String) throws -> [String] { try place.rows(query) }

    /// Returns the content of the operator's tables and `users`.
    func everything() throws -> [String] {
        try rows(place.tables).flatMap { line in
            let parts = line.split(separator: "\t").map(String.init)
            let (name, text) = (parts[0], parts[1])
            guard !OwnTables.all.contains(text) || text == "users" else { return [String]() }
            return try rows("SELECT * FROM \(name)").map { "\(text): \($0)" }.sorted()
        }
    }

    /// Returns rows with broken references.
    func brokenReferences() throws -> [String] {
        // PostgreSQL has none after a commit.
        TestDatabase.Engine.current == .sqlite ? try rows("PRAGMA foreign_key_check") : []
    }

    /// Merges the guest into the target as the product does: moves the rows, and deletes the guest.
    @discardableResult
    func merge() async throws -> [RowMove] {
        try await database.write(alone: true) { try Self.merge(in: $0) }
    }

    static func merge(in transaction: Transaction) throws -> [RowMove] {
        let moves = try transaction.moveRows(from: guest, to: target)
        try transaction.deleteUser(guest, mergedInto: nil)
        return moves
    }

    func scan() throws -> AssetScan { try database.readNow { try $0.scanAssets(counting: true) } }

    /// Whether a write still succeeds.
    func isAlive() async -> Bool {
        (try? await database.write { try $0.set("alive", to: "yes") }) != nil
    }
}

extension AssetWorld {
    private struct File: Place {
        let fresh: Fresh

        init(_ assets: AssetSettings, _ busyTimeout: Int) throws {
            fresh = try Fresh(migrations: Migration.embedded()) {
                $0.clock = { moment }
                $0.declare(assets)
                $0.busyTimeout = busyTimeout
            }
        }

        func script(_ text: String) throws {
            let connection = try SQLiteConnection(path: fresh.path, busyTimeout: 5000, cacheLimit: 8)
            defer { connection.close() }
            try connection.runScript("PRAGMA foreign_keys = ON;")
            try connection.runScript(text)
        }

        func rows(_ query: String) throws -> [String] { try AssetWorld.rows(query, file: fresh.path) }

        var tables: String {
            """
            SELECT '"' || replace(name, '"', '""') || '"' || char(9) || name FROM sqlite_schema
            WHERE type = 'table' AND name NOT LIKE 'sqlite%' ORDER BY name
            """
        }

        func remove() { fresh.remove() }
    }

    static func rows(_ query: String, file: String) throws -> [String] {
        var database: OpaquePointer?
        defer { unsafe sqlite3_close_v2(database) }
        try #require(unsafe sqlite3_open_v2(file, &database, SQLITE_OPEN_READWRITE, nil) == SQLITE_OK)
        unsafe sqlite3_busy_timeout(database, 5000)
        var statement: OpaquePointer?
        defer { unsafe sqlite3_finalize(statement) }
        try #require(unsafe sqlite3_prepare_v2(database, query, -1, &statement, nil) == SQLITE_OK, "\(query)")
        var rows: [String] = []
        while unsafe sqlite3_step(statement) == SQLITE_ROW {
            let columns = (0..<(unsafe sqlite3_column_count(statement))).map { column in
                unsafe sqlite3_column_text(statement, column).map { unsafe String(cString: $0) } ?? "-"
            }
            rows.append(columns.joined(separator: " "))
        }
        return rows
    }
}

extension AssetWorld {
    private struct Server: Place {
        private let server: PostgreSQLServer
        private let url: String
        private let connection: Operator
        let database: PostgreSQLDatabase

        /// The operator's connection, used by one test at a time.
        private final class Operator: @unchecked Sendable {
            let connection: PostgreSQLConnection

            init(_ url: String) throws {
                var configuration = PostgreSQLConfiguration(url: url)
                // Tables of the same name are dropped and recreated.
                configuration.prepares = false
                connection = try PostgreSQLConnection(configuration)
            }
        }

        init(_ assets: AssetSettings, isPlain: Bool) throws {
            server = try PostgreSQLServer.shared.get()
            url = try server.makeDatabase()
            connection = try Operator(url)
            var own = url
            if isPlain {
                try server.psql(
                    url,
                    """
                    DO $$ BEGIN
                        PERFORM pg_advisory_xact_lock(4711);
                        IF NOT EXISTS (SELECT 1 FROM pg_roles WHERE rolname = 'plain') THEN
                            CREATE ROLE plain LOGIN; CREATE ROLE app LOGIN;
                        END IF;
                    END $$;
                    GRANT ALL ON SCHEMA public TO plain; GRANT ALL ON SCHEMA public TO app;
                    """
                )
                own = url.replacing("//latchkey@", with: "//plain@")
            }
            var configuration = PostgreSQLConfiguration(url: own)
            configuration.connections = 1
            configuration.clock = { moment }
            configuration.declare(assets)
            database = try PostgreSQLDatabase(configuration, migrations: Migration.embedded())
        }

        func script(_ text: String) throws { try server.psql(url, text) }

        func rows(_ query: String) throws -> [String] {
            connection.connection.begin(.single)
            defer { connection.connection.rollback() }
            let cursor = try connection.connection.open(SQL(migration: query))
            var rows: [String] = []
            while try cursor.step() {
                var columns: [String] = []
                while let value = try? cursor.value(columns.count) { columns.append(Self.text(value)) }
                rows.append(columns.joined(separator: " "))
            }
            return rows
        }

        private static func text(_ value: SQLValue) -> String {
            switch value {
            case .null: "-"
            case .integer(let integer): "\(integer)"
            case .real(let real): "\(real)"
            case .text(let text): text
            case .blob(let bytes): "\(bytes)"
            }
        }

        var tables: String {
            """
            SELECT CAST(CAST(c.oid AS regclass) AS TEXT) || chr(9) || c.relname FROM pg_class c
                JOIN pg_namespace n ON n.oid = c.relnamespace
            WHERE c.relkind IN ('r', 'p') AND NOT c.relispartition AND n.nspname <> 'information_schema'
                AND n.nspname NOT LIKE 'pg\\_%' ORDER BY 1
            """
        }

        func remove() {
            database.close()
            server.removeDatabase(url)
        }
    }
}

extension RowMove {
    /// `table.column moved/dropped`.
    var text: String { "\(table).\(column) \(moved)/\(dropped)" }
}
