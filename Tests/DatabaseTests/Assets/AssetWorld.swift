import Accounts
import CSQLite
import Foundation
import Testing

@testable import Database

/// A database of the product with tables of an operator's, and three users: `guest`, `target` and `other`.
struct AssetWorld {
    let fresh: Fresh
    static let guest = "guest"
    static let target = "target"

    var database: SQLiteDatabase { fresh.database }

    init(_ script: String, assets: AssetSettings = AssetSettings(), busyTimeout: Int = 5000) throws {
        fresh = try Fresh(migrations: Migration.embedded()) {
            $0.clock = { moment }
            $0.assets = assets
            $0.busyTimeout = busyTimeout
        }
        do {
            try self.script(Self.users + script)
        } catch {
            fresh.remove()
            throw error
        }
    }

    private static let users = ["other", "guest", "target"].map { uid in
        """
        INSERT INTO users (uid, anonymous_since, valid_since, created_at, last_login_at, last_refresh_at)
            VALUES ('\(uid)', iif('\(uid)' = 'guest', 1, NULL), 1, 1, 1, 1);

        """
    }.joined()

    func remove() {
        fresh.remove()
    }

    /// Runs statements as an operator's program would, on a connection of its own.
    func script(_ text: String) throws {
        let connection = try SQLiteConnection(path: fresh.path, busyTimeout: 5000, cacheLimit: 8)
        defer { connection.close() }
        try connection.runScript("PRAGMA foreign_keys = ON;")
        try connection.runScript(text)
    }

    /// What a query answers, a line for each row, on a connection that owes nothing to ours.
    func rows(_ query: String) throws -> [String] {
        try Self.rows(query, file: fresh.path)
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

    /// Everything in the operator's tables and `users`.
    func everything() throws -> [String] {
        let tables = try rows(
            "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite%' ORDER BY name"
        )
        .filter { !SchemaContent.ownTables.contains($0) || $0 == "users" }
        return try tables.flatMap { table in
            let name = table.replacing("\"", with: "\"\"")
            return try rows("SELECT * FROM \"\(name)\"").map { "\(table): \($0)" }.sorted()
        }
    }

    /// Merges the guest into the target as the product does: moves the rows, and deletes the guest.
    @discardableResult
    func merge() async throws -> [RowMove] {
        try await database.write(alone: true) { transaction in
            let moves = try transaction.moveRows(from: Self.guest, to: Self.target)
            try transaction.deleteUser(Self.guest, mergedInto: nil)
            return moves
        }
    }

    /// Whether a write after all that goes through.
    func isAlive() async -> Bool {
        (try? await database.write { try $0.set("alive", to: "yes") }) != nil
    }
}

extension RowMove {
    /// `table.column moved/dropped`.
    var text: String { "\(table).\(column) \(moved)/\(dropped)" }
}
