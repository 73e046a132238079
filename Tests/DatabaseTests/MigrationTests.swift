import Accounts
import Foundation
import Testing

@testable import Database

@Suite("Migrations", .sqlite)
struct MigrationTests {
    private let first = Migration(
        number: 1,
        name: "one",
        sql: "CREATE TABLE one (id {{id}}, name {{text}}) {{strict}};"
    )
    private let second = Migration(
        number: 2,
        name: "two",
        sql: """
            -- Two statements; and a trigger.
            CREATE TABLE two (id {{id}}, one {{integer}} REFERENCES one (id));
            CREATE TRIGGER both AFTER INSERT ON one BEGIN
                INSERT INTO two (one) VALUES (new.id);
                INSERT INTO two (one) VALUES (new.id);
            END;
            INSERT INTO one (name) VALUES ('a;b');
            """
    )

    /// Opens the database in a folder once with each list; the last one's error.
    private func open(_ lists: [Migration]...) throws -> DatabaseError? {
        let folder = try Fresh.folder()
        defer { try? FileManager.default.removeItem(atPath: folder) }
        for list in lists {
            do {
                try SQLiteDatabase(SQLiteConfiguration(path: "\(folder)/test.db"), migrations: list).close()
            } catch let error as DatabaseError {
                return error
            }
        }
        return nil
    }

    @Test func `steps are applied in order, once, and recorded`() throws {
        let fresh = try Fresh(migrations: [first, second])
        defer { fresh.remove() }
        for _ in 0..<2 {
            let again = try SQLiteDatabase(SQLiteConfiguration(path: fresh.path), migrations: [first, second])
            again.close()
        }
        let (rows, recorded) = try fresh.database.readNow { transaction in
            (
                try transaction.first("SELECT count(*) FROM two") { try $0.integer(0) },
                try transaction.all("SELECT number, name, checksum FROM schema_migrations ORDER BY number") {
                    "\(try $0.integer(0)) \(try $0.text(1)) \(try $0.text(2).count)"
                }
            )
        }
        #expect(rows == 2)
        #expect(recorded == ["1 one 16", "2 two 16"])
    }

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

    @Test func `a newer program brings the schema up to date`() throws {
        #expect(try open([first], [first, second]) == nil)
    }

    @Test func `a newer schema is refused`() throws {
        let error = try #require(try open([first, second], [first]))
        #expect(error.kind == .schema)
        #expect(error.message.contains("step 2 (two)"))
        #expect(error.message.contains("newer version"))
    }

    @Test func `an altered step is refused`() throws {
        let altered = Migration(number: 1, name: "one", sql: first.sql + " ")
        let error = try #require(try open([first, second], [altered, second]))
        #expect(error.kind == .schema)
        #expect(error.message.contains("step 1 (one) was altered"))
    }

    @Test func `numbers with gaps are refused`() throws {
        #expect(try open([Migration(number: 2, name: "two", sql: "")])?.kind == .schema)
        #expect(try open([first, first])?.kind == .schema)
    }

    @Test func `another program's database is refused`() throws {
        let folder = try Fresh.folder()
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let path = "\(folder)/test.db"
        try FileSystem.makeFile(path)
        let connection = try SQLiteConnection(path: path, busyTimeout: 0, cacheLimit: 1)
        try connection.runScript("CREATE TABLE theirs (id INTEGER)")
        connection.close()
        let result = Result { try SQLiteDatabase(SQLiteConfiguration(path: path), migrations: [first]) }
        let error = #expect(throws: DatabaseError.self) { try result.get() }
        #expect(error?.kind == .schema)
    }

    @Test(arguments: [
        "CREATE TABLE half (id {{id}}); CREATE TABLE half (id {{id}});",
        "CREATE TABLE half (id {{id}}, other {{uuid}});",
        "CREATE TABLE half (id {{id}}); COMMIT;",
        "CREATE TABLE half (id {{id}}, one {{integer}} REFERENCES one (id)); INSERT INTO half (one) VALUES (77);",
        "CREATE TABLE half (id {{id}}); SELECT",
    ])
    func `a step that fails leaves nothing and names itself`(sql: String) throws {
        let folder = try Fresh.folder()
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let configuration = SQLiteConfiguration(path: "\(folder)/test.db")
        let broken = Migration(number: 2, name: "broken", sql: sql)
        let result = Result { try SQLiteDatabase(configuration, migrations: [first, broken]) }
        let error = #expect(throws: DatabaseError.self) { try result.get() }
        #expect(error?.message.contains("migration 2 (broken)") == true)
        // The first step stands, and the right second one still fits.
        let database = try SQLiteDatabase(configuration, migrations: [first, second])
        defer { database.close() }
        guard !sql.contains("COMMIT") else { return }
        let tables: SQL = "SELECT count(*) FROM sqlite_schema WHERE name = 'half'"
        #expect(try database.readNow { try $0.first(tables) { try $0.integer(0) } } == 0)
    }

    @Test func `a table may be built anew without losing what refers to it`() throws {
        let rebuild = Migration(
            number: 3,
            name: "rebuild",
            sql: """
                CREATE TABLE new_one (id {{id}}, name {{text}}, extra {{text}});
                INSERT INTO new_one (id, name) SELECT id, name FROM one;
                DROP TABLE one;
                ALTER TABLE new_one RENAME TO one;
                """
        )
        let fresh = try Fresh(migrations: [first, second, rebuild])
        defer { fresh.remove() }
        #expect(try fresh.database.readNow { try $0.first("SELECT count(*) FROM two") { try $0.integer(0) } } == 2)
    }

    @Test(arguments: [1, 2, 3])
    func `eight that start at once make one schema`(round: Int) async throws {
        let folder = try Fresh.folder()
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let path = "\(folder)/sub/test.db"
        let more = (3...10).map { Migration(number: $0, name: "t", sql: "CREATE TABLE t\($0) (id {{id}});") }
        let steps = [first, second] + more
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<8 {
                group.addTask {
                    try await onThread {
                        let database = try SQLiteDatabase(SQLiteConfiguration(path: path), migrations: steps)
                        defer { database.close() }
                        let answers = Answers<Int>()
                        let name = "name-\(number)"
                        database.write(
                            { try $0.execute("INSERT INTO one (name) VALUES (\(name))") },
                            completion: answers.completion(0)
                        )
                        _ = try answers.wait(for: 1)[0]?.first?.get()
                    }
                }
            }
            try await group.waitForAll()
        }
        let database = try SQLiteDatabase(SQLiteConfiguration(path: path), migrations: steps)
        defer { database.close() }
        let (names, recorded) = try database.readNow { transaction in
            (
                try transaction.first("SELECT count(DISTINCT name) FROM one") { try $0.integer(0) },
                try transaction.first("SELECT count(*) FROM schema_migrations") { try $0.integer(0) }
            )
        }
        #expect(names == 9)
        #expect(recorded == 10)
    }

    @Test func `file names give number and name`() throws {
        let migration = try Migration(fileName: "0012_sign_in_codes.sql", sql: "")
        #expect(migration.number == 12)
        #expect(migration.name == "sign_in_codes")
        for wrong in ["12_a.sql", "0001.sql", "abcd_e.sql"] {
            #expect(throws: DatabaseError.self) { try Migration(fileName: Substring(wrong), sql: "") }
        }
    }

    @Test func `the embedded steps make a schema`() throws {
        let fresh = try Fresh(migrations: try Migration.embedded())
        fresh.remove()
    }
}
