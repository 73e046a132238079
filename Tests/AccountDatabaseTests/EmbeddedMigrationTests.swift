import Accounts
import DatabaseHarness
import Foundation
import Testing

@testable import AccountDatabase
@testable import Database

@Suite("Embedded migrations", .sqlite)
struct EmbeddedMigrationTests {
    @Test func `the sessions of a database of the first version are found after the upgrade`() throws {
        let folder = try Fresh.folder()
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let settings = SQLiteConfiguration(path: "\(folder)/test.db")
        let embedded = try Migration.embedded()
        let old = try SQLiteDatabase(settings, migrations: Array(embedded.prefix(1)))
        old.close()
        let connection = try SQLiteConnection(path: settings.path, busyTimeout: 0, cacheLimit: 1)
        try connection.runScript(
            """
            INSERT INTO users (uid, valid_since, created_at, last_login_at, last_refresh_at)
            VALUES ('b', 1, 1, 1, 1), ('a', 1, 1, 1, 1);
            INSERT INTO sessions (sid, uid, provider, generation, generation_at, auth_time, created_at, last_used_at)
            VALUES ('1', 'a', 'anonymous', 0, 1, 1, 1, 1), ('2', 'b', 'anonymous', 0, 1, 1, 1, 1),
                ('3', 'gone', 'anonymous', 0, 1, 1, 1, 1);
            """
        )
        connection.close()
        let new = try SQLiteDatabase(settings, migrations: embedded)
        defer { new.close() }
        let connected = try SQLiteConnection(path: settings.path, busyTimeout: 1000, cacheLimit: 8)
        defer { connected.close() }
        let transaction = Transaction(connected, now: 7)
        try transaction.endSessions(of: "a", except: nil, reason: .revoked)
        let ended = try transaction.all("SELECT sid FROM sessions WHERE ended_at = 7 ORDER BY sid") { try $0.text(0) }
        #expect(ended == ["1"])
        try transaction.deleteSessions(of: "b")
        let left = try transaction.all("SELECT sid FROM sessions ORDER BY sid") { try $0.text(0) }
        #expect(left == ["1", "3"])
    }

    @Test func `file names give number and name`() throws {
        let migration = try Migration(fileName: "0012_sign_in_codes.sql", sql: "")
        #expect(migration.number == 12)
        #expect(migration.name == "sign_in_codes")
        for wrong in ["12_a.sql", "0001.sql", "abcd_e.sql"] {
            #expect(throws: DatabaseError.self) { try Migration(fileName: Substring(wrong), sql: "") }
        }
    }

    @Test func `a new file gets the schema that the steps make`() throws {
        let byStep = try Fresh(migrations: Migration.embedded())
        defer { byStep.remove() }
        let objects = try byStep.database.readNow { transaction in
            try transaction.all(
                """
                SELECT sql FROM sqlite_schema
                WHERE sql IS NOT NULL AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\' AND name <> 'schema_migrations' ORDER BY rowid
                """
            ) { try $0.text(0) }
        }
        let note = """
            -- What all migrations together make on SQLite, for a new file. `make schema` writes this file; do not edit it.


            """
        let script = note + objects.map { "\($0);\n" }.joined(separator: "\n")
        if let path = ProcessInfo.processInfo.environment["LATCHKEY_WRITE_SCHEMA"] {
            try script.write(toFile: path, atomically: true, encoding: .utf8)
            return
        }
        #expect(Migration.embeddedLatestSchema == script, "Run `make schema`")

        let atOnce = try Fresh(migrations: Migration.embedded(), latestSchema: Migration.embeddedLatestSchema)
        defer { atOnce.remove() }
        #expect(try content(of: atOnce) == content(of: byStep))
    }

    /// Returns the objects of a database, its applied migrations, the numbers of its file, and how many rows each table has.
    private func content(of fresh: Fresh) throws -> [String] {
        let connection = try SQLiteConnection(path: fresh.path, busyTimeout: 1000, cacheLimit: 8)
        defer { connection.close() }
        let transaction = Transaction(connection, now: 0)
        let objects = try transaction.all("SELECT type, name, tbl_name, sql FROM sqlite_schema ORDER BY type, name") {
            row in
            "\(try row.text(0)) \(try row.text(1)) \(try row.text(2)): \(try row.optionalText(3) ?? "")"
        }
        let steps = try transaction.all("SELECT number, name, checksum FROM schema_migrations ORDER BY number") { row in
            "\(try row.integer(0)) \(try row.text(1)) \(try row.text(2))"
        }
        let numbers = [try connection.value("PRAGMA application_id"), try connection.value("PRAGMA user_version")]
            .map { $0 ?? "" }
        let rows = try transaction.countRows().map { "\($0.table) \($0.rows)" }
        return objects + steps + numbers + rows
    }
}
