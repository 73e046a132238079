import DatabaseHarness
import Foundation
import Synchronization
import Testing

@testable import Database

@Suite("Backup", .sqlite)
struct BackupTests {
    /// Runs a writer that keeps the sum of all amounts at 1000, while the body runs.
    private func whileWriting(_ fresh: Fresh, _ body: @escaping @Sendable () throws -> Void) async throws {
        try await fresh.database.write { transaction in
            for number in 0..<14_000 {
                let note = String(repeating: "x", count: 500)
                let amount = number < 10 ? 100 : 0
                try transaction.execute(
                    "INSERT INTO items (key, amount, note) VALUES (\("\(number)"), \(amount), \(note))"
                )
            }
        }
        let isDone = Flag()
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask {
                var count = 0
                while !isDone.isSet {
                    count += 1
                    let (from, to, key) = (Int.random(in: 0..<10), Int.random(in: 0..<10), "new-\(count)")
                    _ = try? await fresh.database.write { transaction in
                        try transaction.execute("UPDATE items SET amount = amount - 30 WHERE key = \("\(from)")")
                        try transaction.execute("UPDATE items SET amount = amount + 30 WHERE key = \("\(to)")")
                        try transaction.execute("INSERT INTO items (key) VALUES (\(key))")
                    }
                }
            }
            defer { isDone.set() }
            try await Task.sleep(for: .milliseconds(30))
            try await onThread(body)
        }
    }

    private func sum(_ path: String) throws -> Int64? {
        let copy = try SQLiteDatabase(SQLiteConfiguration(path: path), migrations: Fresh.schema)
        defer { copy.close() }
        return try copy.readNow { try $0.first("SELECT sum(amount) FROM items") { try $0.integer(0) } }
    }

    @Test(arguments: [1, 2, 3])
    func `a copy made while others write is consistent, usable and private`(round: Int) async throws {
        let fresh = try Fresh()
        defer { fresh.remove() }
        let target = "\(fresh.folder)/copy.db"
        let steps = Mutex<[Int]>([])
        try await whileWriting(fresh) {
            try fresh.database.backup(to: target, replacing: false) { done, _ in steps.withLock { $0.append(done) } }
        }
        // The backup never restarts, however much is written between two steps.
        let done = steps.withLock { $0 }
        #expect(done.count >= 2)
        #expect(zip(done, done.dropFirst()).allSatisfy { $0 < $1 })
        let mode = try FileManager.default.attributesOfItem(atPath: target)[.posixPermissions] as? Int
        #expect(mode == 0o600)
        let files = try FileManager.default.contentsOfDirectory(atPath: fresh.folder).filter { $0.hasPrefix("copy") }
        #expect(files == ["copy.db"])
        #expect(try sum(target) == 1000)
    }

    @Test func `progress is told and ends complete`() async throws {
        let fresh = try Fresh()
        defer { fresh.remove() }
        try await fresh.database.write { transaction in
            for number in 0..<12_000 {
                let note = String(repeating: "x", count: 500)
                try transaction.execute("INSERT INTO items (key, note) VALUES (\("\(number)"), \(note))")
            }
        }
        var steps: [(Int, Int)] = []
        try fresh.database.backup(to: "\(fresh.folder)/copy.db", replacing: false) { steps.append(($0, $1)) }
        #expect(steps.count >= 2)
        #expect(steps.last.map { $0.0 == $0.1 } == true)
        #expect(zip(steps, steps.dropFirst()).allSatisfy { $0.0 < $1.0 })
    }

    @Test func `nothing is overwritten unless asked, the database itself never`() async throws {
        let fresh = try Fresh()
        defer { fresh.remove() }
        let target = "\(fresh.folder)/copy.db"
        try fresh.database.backup(to: target, replacing: false)
        #expect(await kind { try fresh.database.backup(to: target, replacing: false) } == .misuse)
        try await fresh.database.write { try $0.execute("INSERT INTO items (key, amount) VALUES ('a', 7)") }
        try fresh.database.backup(to: target, replacing: true) { _, _ in }
        #expect(try sum(target) == 7)
        let alias = "\(fresh.folder)/alias.db"
        try FileManager.default.createSymbolicLink(atPath: alias, withDestinationPath: fresh.path)
        for path in [fresh.path, alias] {
            #expect(await kind { try fresh.database.backup(to: path, replacing: true) { _, _ in } } == .misuse)
        }
        #expect(try fresh.count() == 1)
    }

    @Test func `a log at the destination, or a folder that is not there, is refused and leaves nothing`() async throws {
        let fresh = try Fresh()
        defer { fresh.remove() }
        let target = "\(fresh.folder)/copy.db"
        try Data([1]).write(to: URL(filePath: target + "-wal"))
        #expect(await kind { try fresh.database.backup(to: target, replacing: false) } == .misuse)
        #expect(await kind { try fresh.database.backup(to: "\(fresh.folder)/none/copy.db", replacing: false) } == .io)
        let files = try FileManager.default.contentsOfDirectory(atPath: fresh.folder).filter { $0.hasPrefix("copy") }
        #expect(files == ["copy.db-wal"])
    }
}
