import DatabaseHarness
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

    /// Opens the database in a folder once with each list, and returns the last error.
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
        let broken = Migration(number: 2, name: "broken", sql: sql)
        for isNew in [false, true] {
            let folder = try Fresh.folder()
            defer { try? FileManager.default.removeItem(atPath: folder) }
            let configuration = SQLiteConfiguration(path: "\(folder)/test.db")
            if !isNew { try SQLiteDatabase(configuration, migrations: [first]).close() }
            let result = Result { try SQLiteDatabase(configuration, migrations: [first, broken]) }
            let error = #expect(throws: DatabaseError.self) { try result.get() }
            #expect(error?.message.contains("migration 2 (broken)") == true)
            // A corrected second step fits whether the first one is committed or has to run again.
            let database = try SQLiteDatabase(configuration, migrations: [first, second])
            defer { database.close() }
            guard !sql.contains("COMMIT") else { continue }
            let tables: SQL = "SELECT count(*) FROM sqlite_schema WHERE name = 'half'"
            #expect(try database.readNow { try $0.first(tables) { try $0.integer(0) } } == 0)
        }
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
}
