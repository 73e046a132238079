import DatabaseHarness
import Foundation
import Testing

@testable import Database

@Suite("Connections", .sqlite)
struct ConnectionTests {
    /// Opens a connection of the test next to the database's own.
    private func connection(_ fresh: Fresh, cacheLimit: Int = 8, busyTimeout: Int = 0) throws -> SQLiteConnection {
        var configuration = SQLiteConfiguration(path: fresh.path)
        configuration.statementCacheLimit = cacheLimit
        configuration.busyTimeout = busyTimeout
        return try SQLiteConnection.open(configuration, as: .writer)
    }

    @Test func `the cache is bounded, used again, and keeps what was used last`() throws {
        let fresh = try Fresh()
        defer { fresh.remove() }
        let connection = try connection(fresh, cacheLimit: 4)
        defer { connection.close() }
        let transaction = Transaction(connection, now: 0)
        let statements: [SQL] = [
            "SELECT 1", "SELECT 2", "SELECT 3", "SELECT 4", "SELECT 5", "SELECT 6", "SELECT 7", "SELECT 8",
        ]
        for statement in statements {
            try transaction.execute(statement)
            try transaction.execute("SELECT 1")
        }
        #expect(connection.cachedStatements == 4)
        let open = connection.openStatements
        #expect(open.count == 4)
        #expect(Set(open) == ["SELECT 1", "SELECT 8", "SELECT 7", "SELECT 6"])
    }

    @Test func `no statement is left busy or bound, whatever happened`() throws {
        let fresh = try Fresh()
        defer { fresh.remove() }
        let connection = try connection(fresh)
        defer { connection.close() }
        func transact(_ body: (Transaction) throws -> Void) { try? body(Transaction(connection, now: 0)) }
        transact { try $0.execute("INSERT INTO items (key) VALUES (\("a"))") }
        transact { try $0.execute("INSERT INTO items (key) VALUES (\("a"))") }
        transact { try $0.execute("INSERT INTO items (key) VALUES (\("a\u{0}"))") }
        transact { _ = try $0.first("SELECT 1 UNION SELECT 2") { try $0.integer(0) } }
        transact { _ = try $0.first("SELECT 1 UNION SELECT 3") { try $0.text(0) } }
        transact { _ = try $0.all("SELECT 1 UNION SELECT 4") { _ in throw CancellationError() } }
        transact { _ = try $0.first("INSERT INTO items (key) VALUES ('b'), ('c') RETURNING id") { try $0.integer(0) } }
        #expect(connection.busyStatements.isEmpty)
        #expect(!connection.isInTransaction)
        // Earlier bindings are cleared: a statement with fewer values fails instead of using old ones.
        #expect(try connection.value("SELECT count(*) FROM items") == "3")
    }

    @Test func `one statement may run inside its own loop`() throws {
        let fresh = try Fresh()
        defer { fresh.remove() }
        let pairs = try fresh.database.readNow { transaction in
            let numbers: SQL = "SELECT 1 UNION SELECT 2"
            return try transaction.all(numbers) { outer in
                let outer = try outer.integer(0)
                return try transaction.all(numbers) { "\(outer)\(try $0.integer(0))" }
            }.flatMap { $0 }
        }
        #expect(pairs == ["11", "12", "21", "22"])
    }

    @Test func `connections are set as the design wants them`() throws {
        let fresh = try Fresh()
        defer { fresh.remove() }
        let connection = try connection(fresh, busyTimeout: 123)
        defer { connection.close() }
        #expect(try connection.value("PRAGMA journal_mode") == "wal")
        #expect(try connection.value("PRAGMA synchronous") == "2")
        #expect(try connection.value("PRAGMA foreign_keys") == "1")
        #expect(try connection.value("PRAGMA busy_timeout") == "123")
        #expect(try connection.value("PRAGMA trusted_schema") == "0")
        #expect(try connection.value("PRAGMA mmap_size") == "0")
        #expect(try connection.value("PRAGMA wal_autocheckpoint") == "0")
        #expect(try connection.value("PRAGMA temp_store") == "2")
        #expect(try connection.value("PRAGMA cell_size_check") == "1")
        #expect(try connection.value("PRAGMA application_id") == "1280001369")
        #expect(try connection.value("PRAGMA user_version") == "1")
    }

    @Test func `files and folders are made for the owner alone`() throws {
        let folder = try Fresh.folder()
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let path = "\(folder)/new/deep/test.db"
        let database = try SQLiteDatabase(SQLiteConfiguration(path: path), migrations: Fresh.schema)
        defer { database.close() }
        func mode(_ path: String) throws -> Int? {
            try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
        }
        #expect(try mode("\(folder)/new") == 0o700)
        #expect(try mode("\(folder)/new/deep") == 0o700)
        for suffix in ["", "-wal", "-shm"] { #expect(try mode(path + suffix) == 0o600) }
    }

    @Test(arguments: [1, 2, 3])
    func `a lock that another holds for a while is waited for`(round: Int) async throws {
        // A thread that is never blocked releases the lock.
        try await onThread {
            let fresh = try Fresh { $0.busyTimeout = 10_000 * patience }
            defer { fresh.remove() }
            let other = try connection(fresh)
            defer { other.close() }
            try other.run(.beginImmediate)
            let answers = Answers<Int>()
            fresh.database.write(
                { try $0.execute("INSERT INTO items (key) VALUES ('a')") },
                completion: answers.completion(0)
            )
            usleep(150_000)
            try other.runScript("INSERT INTO items (key) VALUES ('other'); COMMIT")
            #expect(try answers.wait(for: 1)[0]?.first?.get() == 1)
            #expect(try fresh.keys() == ["a", "other"])
        }
    }

    @Test func `a lock held too long is answered busy, and all is well afterwards`() async throws {
        let fresh = try Fresh { $0.busyTimeout = 1_000 }
        defer { fresh.remove() }
        let other = try connection(fresh)
        defer { other.close() }
        try other.run(.beginImmediate)
        let start = ContinuousClock.now
        let answers = Answers<Int>()
        for number in 0..<20 {
            fresh.database.write(
                { try $0.execute("INSERT INTO items (key) VALUES (\("\(number)"))") },
                completion: answers.completion(number)
            )
        }
        let results = answers.wait(for: 20)
        #expect(start.duration(to: .now) >= .seconds(1))
        // One wait for the batch, not one for each closure, which would take 20 s.
        #expect(start.duration(to: .now) < .seconds(10))
        #expect(results.count == 20)
        for (_, result) in results {
            let kind = await kind { try result[0].get() }
            #expect(kind == .busy)
        }
        // Reading does not wait for writers.
        #expect(try fresh.count() == 0)
        other.rollback()
        try await fresh.database.write { try $0.execute("INSERT INTO items (key) VALUES ('a')") }
        #expect(try fresh.count() == 1)
    }

    @Test func `what is no database is refused`() throws {
        let folder = try Fresh.folder()
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let path = "\(folder)/test.db"
        try Data(repeating: 0x41, count: 8192).write(to: URL(filePath: path))
        let result = Result { try SQLiteDatabase(SQLiteConfiguration(path: path), migrations: Fresh.schema) }
        let error = #expect(throws: DatabaseError.self) { try result.get() }
        #expect(error?.kind == .corrupt)
    }
}
