import Foundation
import Synchronization
import Testing

@testable import Database

@Suite("Opening and closing")
struct LifecycleTests {
    @Test func `after closing everything answers closed`() async throws {
        let fresh = try Fresh()
        defer { fresh.remove() }
        fresh.database.close()
        fresh.database.close()
        #expect(await kind { try await fresh.database.write { $0.now } } == .closed)
        #expect(await kind { try await fresh.database.read { $0.now } } == .closed)
        #expect(await kind { try fresh.database.readNow { $0.now } } == .closed)
        #expect(await kind { try fresh.database.backup(to: "\(fresh.folder)/copy.db", replacing: false) } == .closed)
    }

    @Test func `closing does what waits first and leaves one file`() throws {
        let fresh = try Fresh()
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
        #expect(try FileManager.default.contentsOfDirectory(atPath: fresh.folder) == ["test.db"])
        let again = try SQLiteDatabase(SQLiteConfiguration(path: fresh.path), migrations: Fresh.schema)
        defer { again.close() }
        #expect(try again.readNow { try $0.first("SELECT count(*) FROM items") { try $0.integer(0) } } == 40)
    }

    @Test func `a completion may close the database`() throws {
        let fresh = try Fresh()
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
        #expect(FileSystem.exists(fresh.path + "-wal") == false)
    }

    @Test(arguments: [1, 2, 3])
    func `closing under load answers everything once and keeps what it acknowledged`(round: Int) async throws {
        let fresh = try Fresh()
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
        try await Task.sleep(for: .milliseconds(150))
        try await onThread { fresh.database.close() }
        try await onThread { writersEnded.wait(for: 8) }
        let again = try SQLiteDatabase(SQLiteConfiguration(path: fresh.path), migrations: Fresh.schema)
        defer { again.close() }
        let keys = try again.readNow { try $0.all("SELECT key FROM items") { try $0.text(0) } }
        let expected = acknowledged.withLock { $0 }
        #expect(!expected.isEmpty)
        #expect(Set(keys) == expected)
    }

    @Test func `a forgotten database closes itself`() throws {
        let folder = try Fresh.folder()
        defer { try? FileManager.default.removeItem(atPath: folder) }
        do { _ = try SQLiteDatabase(SQLiteConfiguration(path: "\(folder)/test.db"), migrations: Fresh.schema) }
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder) == ["test.db"])
    }
}
