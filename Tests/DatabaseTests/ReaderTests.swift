import DatabaseHarness
import Foundation
import Testing

@testable import Database

@Suite("Readers")
struct ReaderTests {
    private static let count: SQL = "SELECT count(*) FROM items"

    @Test(arguments: Engine.ofThisRun)
    func `a reader keeps its snapshot while others write`(engine: Engine) async throws {
        let items = try await engine.open()
        defer { items.remove() }
        let seen = try await onThread {
            try items.database.readNow { transaction in
                let before = try transaction.first(Self.count) { try $0.integer(0) }
                let answers = Answers<Int>()
                items.database.write(
                    { try $0.execute("INSERT INTO items (key) VALUES ('a')") },
                    completion: answers.completion(0)
                )
                _ = answers.wait(for: 1)
                let after = try transaction.first(Self.count) { try $0.integer(0) }
                return [before, after, try items.count()]
            }
        }
        #expect(seen == [0, 0, 1])
    }

    @Test(arguments: Engine.ofThisRun)
    func `without a snapshot each statement sees the newest state`(engine: Engine) async throws {
        let items = try await engine.open()
        defer { items.remove() }
        let seen = try await onThread {
            try items.database.readNow(snapshot: false) { transaction in
                let before = try transaction.first(Self.count) { try $0.integer(0) }
                let answers = Answers<Int>()
                items.database.write(
                    { try $0.execute("INSERT INTO items (key) VALUES ('a')") },
                    completion: answers.completion(0)
                )
                _ = answers.wait(for: 1)
                return [before, try transaction.first(Self.count) { try $0.integer(0) }]
            }
        }
        #expect(seen == [0, 1])
    }

    @Test(arguments: Engine.ofThisRun)
    func `no reader on any thread ever sees half a transfer`(engine: Engine) async throws {
        let items = try await engine.open()
        defer { items.remove() }
        try await items.database.write { transaction in
            for number in 0..<10 {
                try transaction.execute("INSERT INTO items (key, amount) VALUES (\("\(number)"), 100)")
            }
        }
        let isDone = Flag()
        let sums = try await withThrowingTaskGroup(of: Set<Int64>.self) { group in
            for _ in 0..<4 {
                group.addTask {
                    try await onThread {
                        var sums: Set<Int64> = []
                        while !isDone.isSet {
                            try items.database.readNow { transaction in
                                let amounts = try transaction.all("SELECT amount FROM items") { try $0.integer(0) }
                                let sum = try transaction.first("SELECT sum(amount) FROM items") { try $0.integer(0) }
                                sums.insert(amounts.reduce(0, +))
                                sums.insert(sum ?? -1)
                            }
                        }
                        return sums
                    }
                }
            }
            for _ in 0..<300 {
                let (from, to) = (Int.random(in: 0..<10), Int.random(in: 0..<10))
                _ = try? await items.database.write { transaction in
                    try transaction.execute("UPDATE items SET amount = amount - 30 WHERE key = \("\(from)")")
                    try transaction.execute("UPDATE items SET amount = amount + 30 WHERE key = \("\(to)")")
                }
            }
            isDone.set()
            return try await group.reduce(into: Set<Int64>()) { $0.formUnion($1) }
        }
        #expect(sums == [1000])
    }

    @Test(.sqlite) func `reading inside reading works, on another connection`() throws {
        let fresh = try Fresh { $0.maximumReaders = 2 }
        defer { fresh.remove() }
        let nested = try fresh.database.readNow { _ in try fresh.count() }
        #expect(nested == 0)
        let tooDeep = Result {
            try fresh.database.readNow { _ in try fresh.database.readNow { _ in try fresh.count() } }
        }
        #expect(throws: DatabaseError.overloaded) { try tooDeep.get() }
        #expect(try fresh.count() == 0)
    }

    @Test(arguments: Engine.ofThisRun)
    func `a throw in a reader comes back and leaves the connection clean`(engine: Engine) async throws {
        let items = try await engine.open()
        defer { items.remove() }
        for _ in 0..<3 {
            #expect(throws: CancellationError.self) {
                try items.database.readNow { transaction in
                    try transaction.all("SELECT 1 UNION ALL SELECT 2") { _ in throw CancellationError() }
                }
            }
        }
        #expect(try items.count() == 0)
    }
}
