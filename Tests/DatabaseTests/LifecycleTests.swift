import DatabaseHarness
import Foundation
import PostgreSQLHarness
import Synchronization
import Testing

@testable import Database

@Suite("Opened and closed databases")
struct LifecycleTests {
    @Test(arguments: Engine.ofThisRun)
    func `after closing everything answers closed`(engine: Engine) async throws {
        let fresh = try await engine.open()
        defer { fresh.remove() }
        fresh.database.close()
        fresh.database.close()
        #expect(await kind { try await fresh.database.write { $0.now } } == .closed)
        #expect(await kind { try await fresh.database.read { $0.now } } == .closed)
        #expect(await kind { try fresh.database.readNow { $0.now } } == .closed)
        guard engine == .sqlite else { return }
        #expect(await kind { try fresh.database.backup(to: "/tmp/no-copy.db", replacing: false) } == .closed)
    }

    @Test(arguments: Engine.ofThisRun)
    func `closing does what waits first`(engine: Engine) async throws {
        let fresh = try await engine.open(connections: 1)
        defer { fresh.remove() }
        let answers = Answers<Int>()
        let blocker = Blocker(fresh.database)
        for number in 0..<40 {
            fresh.database.write(
                { try $0.execute("INSERT INTO items (key) VALUES (\("\(number)"))") },
                completion: answers.completion(number)
            )
        }
        Thread {
            Thread.sleep(forTimeInterval: 0.1)
            blocker.release()
        }.start()
        fresh.database.close()
        #expect(answers.wait(for: 40).values.allSatisfy { if case .success = $0[0] { true } else { false } })
        let again = try fresh.reopen()
        defer { again.close() }
        #expect(try Items.count(again) == 40)
    }

    @Test(arguments: Engine.ofThisRun)
    func `a completion may close the database`(engine: Engine) async throws {
        let fresh = try await engine.open()
        defer { fresh.remove() }
        let answers = Answers<Int>()
        fresh.database.write(
            { try $0.execute("INSERT INTO items (key) VALUES ('a')") },
            completion: { [database = fresh.database] result in
                database.close()
                answers.completion(0)(result)
            }
        )
        #expect(answers.wait(for: 1).count == 1)
        fresh.database.close()
        let again = try fresh.reopen()
        defer { again.close() }
        #expect(try Items.count(again) == 1)
    }

    @Test(arguments: Engine.ofThisRun, [1, 2, 3])
    func `closing under load answers everything once and keeps what it acknowledged`(engine: Engine, round: Int)
        async throws
    {
        let fresh = try await engine.open()
        defer { fresh.remove() }
        let acknowledged = Mutex<Set<String>>([])
        let writersEnded = Counter()
        for thread in 0..<8 {
            Thread { [database = fresh.database] in
                var isOpen = true
                var number = 0
                while isOpen {
                    number += 1
                    let key = "\(thread)-\(number)"
                    let answers = Answers<Int>()
                    database.write(
                        { try $0.execute("INSERT INTO items (key) VALUES (\(key))") },
                        completion: answers.completion(0)
                    )
                    let results = answers.wait(for: 1)[0] ?? []
                    if results.count != 1 { break }
                    switch results[0] {
                    case .success: acknowledged.withLock { _ = $0.insert(key) }
                    case .failure(let error): isOpen = (error as? DatabaseError)?.kind != .closed
                    }
                    _ = try? database.readNow { transaction in
                        try transaction.first("SELECT max(id) FROM items") { try $0.optionalInteger(0) }
                    }
                }
                writersEnded.add()
            }.start()
        }
        _ = try await eventually { acknowledged.withLock(\.count) >= 20 }
        try await onThread { fresh.database.close() }
        try await onThread { writersEnded.wait(for: 8) }
        let again = try fresh.reopen()
        defer { again.close() }
        let keys = try Items.keys(again)
        let expected = acknowledged.withLock { $0 }
        #expect(!expected.isEmpty)
        #expect(Set(keys) == expected)
    }

    @Test(.postgreSQL) func `a forgotten database on a server lets go of its connections`() async throws {
        let fresh = try FreshPostgreSQL()
        defer { fresh.remove() }
        do { _ = try PostgreSQLDatabase(PostgreSQLConfiguration(url: fresh.url), migrations: FreshPostgreSQL.schema) }
        fresh.database.close()
        let connected =
            "SELECT count(*) FROM pg_stat_activity WHERE datname = '\(fresh.url.split(separator: "/").last ?? "")'"
        let deadline = ContinuousClock.now + .seconds(60)
        var left = ""
        repeat {
            left = try fresh.server.psql(fresh.server.url(of: "postgres"), connected)
        } while left != "0" && ContinuousClock.now < deadline
        #expect(left == "0")
    }

    @Test(.sqlite) func `a closed database leaves one file`() throws {
        let fresh = try Fresh()
        defer { fresh.remove() }
        fresh.database.close()
        #expect(try FileManager.default.contentsOfDirectory(atPath: fresh.folder) == ["test.db"])
    }

    @Test(.sqlite) func `a forgotten database closes itself`() throws {
        let folder = try Fresh.folder()
        defer { try? FileManager.default.removeItem(atPath: folder) }
        do { _ = try SQLiteDatabase(SQLiteConfiguration(path: "\(folder)/test.db"), migrations: Fresh.schema) }
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder) == ["test.db"])
    }
}
