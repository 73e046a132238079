import DatabaseHarness
import Foundation
import Synchronization
import Testing

@testable import Database

@Suite("Group commit")
struct WriterTests {
    private struct Refusal: Error, Equatable {}

    /// Queues closures while the writer is blocked, so that they share a batch; returns the results by number.
    private func batch(
        _ items: Items,
        count: Int,
        _ body: @escaping @Sendable (Int, Transaction) throws -> Void
    ) -> [Int: [Result<Void, any Error>]] {
        let answers = Answers<Void>()
        let blocker = Blocker(items.database)
        for number in 0..<count {
            items.database.write({ try body(number, $0) }, completion: answers.completion(number))
        }
        blocker.release()
        return answers.wait(for: count)
    }

    @Test(arguments: Engine.ofThisRun)
    func `of 50 at once, a deferred violation, a trigger that refuses and a throw cost only themselves`(engine: Engine)
        async throws
    {
        for _ in 0..<3 {
            let fresh = try await engine.open()
            defer { fresh.remove() }
            let answers = batch(fresh, count: 50) { number, transaction in
                try transaction.execute("INSERT INTO items (key) VALUES (\("item-\(number)"))")
                switch number {
                case 7: try transaction.execute("INSERT INTO items (key, owner) VALUES ('orphan', 99)")
                case 21: try transaction.execute("INSERT INTO items (key) VALUES ('forbidden')")
                case 33: throw Refusal()
                default: break
                }
            }
            #expect(answers.count == 50)
            #expect(answers.values.allSatisfy { $0.count == 1 })
            let failed = answers.filter { if case .failure = $0.value[0] { true } else { false } }
            #expect(failed.keys.sorted() == [7, 21, 33])
            func error(_ number: Int) -> (any Error)? {
                if case .failure(let error)? = answers[number]?.first { error } else { nil }
            }
            #expect((error(7) as? DatabaseError)?.kind == .constraint(.foreignKey))
            #expect((error(21) as? DatabaseError)?.kind == .constraint(.trigger))
            #expect(error(33) is Refusal)
            let expected = (0..<50).filter { ![7, 21, 33].contains($0) }.map { "item-\($0)" }
            #expect(try fresh.keys() == expected.sorted())
            guard let statistics = (fresh.database as? SQLiteDatabase)?.statistics else { continue }
            #expect(statistics.largestBatch == 50)
            #expect(statistics.brokenBatches == 1)
        }
    }

    @Test(.sqlite) func `a deferred violation and a throw do not break the batch`() async throws {
        let fresh = try await Engine.sqlite.open()
        defer { fresh.remove() }
        let runs = Mutex(0)
        let answers = batch(fresh, count: 20) { number, transaction in
            runs.withLock { $0 += 1 }
            try transaction.execute("INSERT INTO items (key) VALUES (\("item-\(number)"))")
            if number == 3 { try transaction.execute("INSERT INTO items (key, owner) VALUES ('orphan', 99)") }
            if number == 5 { throw Refusal() }
        }
        #expect(answers.filter { if case .failure = $0.value[0] { true } else { false } }.keys.sorted() == [3, 5])
        let statistics = try #require((fresh.database as? SQLiteDatabase)?.statistics)
        #expect(statistics.brokenBatches == 0)
        #expect(statistics.repeatedBatches == 1)
        // Four until the first that fails, and then all once more.
        #expect(runs.withLock { $0 } == 24)
        #expect(try fresh.count() == 18)
    }

    @Test(.sqlite) func `closures that fail before they write, or one after another, repeat few batches`() async throws
    {
        let fresh = try await Engine.sqlite.open()
        defer { fresh.remove() }
        _ = batch(fresh, count: 20) { number, transaction in
            if number.isMultiple(of: 2) { throw Refusal() }
            try transaction.execute("INSERT INTO items (key) VALUES (\("kept-\(number)"))")
        }
        let database = try #require(fresh.database as? SQLiteDatabase)
        #expect(database.statistics.repeatedBatches == 0)
        for round in 0..<20 {
            _ = batch(fresh, count: 4) { number, transaction in
                try transaction.execute("INSERT INTO items (key) VALUES (\("\(round)-\(number)"))")
                if number == 2 { throw Refusal() }
            }
        }
        #expect(database.statistics.repeatedBatches == 1)
        #expect(try fresh.count() == 10 + 20 * 3)
    }

    @Test(arguments: Engine.ofThisRun)
    func `a deferred reference that is satisfied before the end is kept`(engine: Engine) async throws {
        let items = try await engine.open()
        defer { items.remove() }
        let answers = batch(items, count: 2) { number, transaction in
            try transaction.execute("INSERT INTO items (key, owner) VALUES (\("item-\(number)"), \(number + 1))")
            try transaction.execute("INSERT INTO owners (id, name) VALUES (\(number + 1), \("owner-\(number)"))")
        }
        #expect(answers.values.allSatisfy { if case .success = $0[0] { true } else { false } })
        #expect(try items.count() == 2)
    }

    @Test(arguments: Engine.ofThisRun)
    func `alone, a deferred violation, a trigger and a throw keep nothing`(engine: Engine) async throws {
        let items = try await engine.open()
        defer { items.remove() }
        func write(_ body: @escaping @Sendable (Transaction) throws -> Void) async -> DatabaseError.Kind? {
            await kind {
                try await items.database.write(alone: true) { transaction in
                    try transaction.execute("INSERT INTO items (key) VALUES ('a')")
                    try body(transaction)
                }
            }
        }
        #expect(await write { try $0.execute("UPDATE items SET owner = 9") } == .constraint(.foreignKey))
        #expect(await write { try $0.execute("INSERT INTO items (key) VALUES ('forbidden')") } == .constraint(.trigger))
        #expect(await write { _ in throw Refusal() } == nil)
        #expect(try items.count() == 0)
        #expect(await write { _ in } == nil)
        #expect(try items.count() == 1)
    }

    @Test(.sqlite) func `closures of a batch run in order and see those before them`() async throws {
        let fresh = try await Engine.sqlite.open()
        defer { fresh.remove() }
        let seen = Mutex<[Int64]>([])
        _ = batch(fresh, count: 30) { number, transaction in
            let count = try transaction.first("SELECT count(*) FROM items") { try $0.integer(0) } ?? -1
            seen.withLock { $0.append(count) }
            try transaction.execute("INSERT INTO items (key) VALUES (\("\(number)"))")
        }
        #expect(seen.withLock { $0 } == (0..<30).map(Int64.init))
    }

    @Test(.sqlite) func `a closure that must be alone shares no batch, and batches are bounded`() throws {
        let fresh = try Fresh { $0.maximumBatch = 8 }
        defer { fresh.remove() }
        let answers = Answers<Void>()
        let blocker = Blocker(fresh.database)
        let before = fresh.database.statistics.batches
        for number in 0..<21 {
            fresh.database.write(
                "test",
                alone: number == 10,
                { try $0.execute("INSERT INTO items (key) VALUES (\("\(number)"))") },
                completion: { answers.completion(number)($0.map { _ in }) }
            )
        }
        blocker.release()
        _ = answers.wait(for: 21)
        let statistics = fresh.database.statistics
        // 8 and 2 before it, itself, 8 and 2 after it.
        #expect(statistics.batches - before == 5)
        #expect(statistics.largestBatch == 8)
        #expect(try fresh.count() == 21)
    }

    @Test(arguments: Engine.ofThisRun)
    func `no reader sees a write before its commit`(engine: Engine) async throws {
        let items = try await engine.open()
        defer { items.remove() }
        let inserted = DispatchSemaphore(value: 0)
        let goOn = DispatchSemaphore(value: 0)
        let answers = Answers<Void>()
        items.database.write(
            { transaction in
                try transaction.execute("INSERT INTO items (key) VALUES ('a')")
                inserted.signal()
                goOn.wait()
            },
            completion: answers.completion(0)
        )
        // All on one thread, because the open transaction could time out while this test waits to resume.
        try await onThread { () throws in
            inserted.wait()
            defer { goOn.signal() }
            #expect(try items.count() == 0)
            let counted = try items.database.readNow {
                try $0.first("SELECT count(*) FROM items") { try $0.integer(0) }
            }
            #expect(counted == 0)
        }
        _ = answers.wait(for: 1)
        #expect(try items.count() == 1)
    }

    @Test(.sqlite) func `no reader sees a batch before its commit`() async throws {
        let fresh = try Fresh()
        defer { fresh.remove() }
        let blocker = Blocker(fresh.database)
        let inserted = DispatchSemaphore(value: 0)
        let goOn = DispatchSemaphore(value: 0)
        let answers = Answers<Void>()
        for number in 0..<2 {
            fresh.database.write(
                { transaction in
                    try transaction.execute("INSERT INTO items (key) VALUES (\("\(number)"))")
                    if number == 1 {
                        inserted.signal()
                        goOn.wait()
                    }
                },
                completion: answers.completion(number)
            )
        }
        blocker.release()
        try await onThread { inserted.wait() }
        #expect(try fresh.count() == 0)
        #expect(try await fresh.database.read { try $0.first("SELECT count(*) FROM items") { try $0.integer(0) } } == 0)
        goOn.signal()
        _ = answers.wait(for: 2)
        #expect(try fresh.count() == 2)
    }

    @Test(arguments: Engine.ofThisRun)
    func `too many waiting closures are refused at once, the others are done`(engine: Engine) async throws {
        let fresh = try await engine.open(connections: 1, maximumQueued: 10)
        defer { fresh.remove() }
        let answers = Answers<Void>()
        let blocker = Blocker(fresh.database)
        for number in 0..<15 {
            fresh.database.write(
                { _ = try $0.execute("INSERT INTO items (key) VALUES (\("\(number)"))") },
                completion: answers.completion(number)
            )
        }
        let refused = answers.wait(for: 5)
        #expect(refused.keys.sorted() == [10, 11, 12, 13, 14])
        for (_, results) in refused {
            #expect(throws: DatabaseError.overloaded) { try results[0].get() }
        }
        blocker.release()
        #expect(answers.wait(for: 15).count == 15)
        #expect(try fresh.count() == 10)
    }
}
