import DatabaseHarness
import Foundation
import PostgreSQLHarness
import Testing

@testable import Database

@Suite("Rows that are locked for long", .enabled(if: TestDatabase.isEnginesTurn))
struct LockedRowTests {
    /// A row that another program has locked.
    private final class LockedRow: Sendable {
        private let connection: PostgreSQLDatabase
        private let entered = DispatchSemaphore(value: 0)
        private let released = DispatchSemaphore(value: 0)

        /// Returns once the row is locked.
        init(_ key: String, of fresh: FreshPostgreSQL) throws {
            var configuration = PostgreSQLConfiguration(url: fresh.url)
            configuration.statementTimeout = 60_000
            connection = try PostgreSQLDatabase(configuration, migrations: FreshPostgreSQL.schema)
            connection.write("lock", alone: true, isolation: .readCommitted) { [entered, released] transaction in
                _ = try transaction.first("SELECT 1 FROM items WHERE key = \(key) FOR UPDATE") { _ in true }
                entered.signal()
                released.wait()
            } completion: { _ in
            }
            entered.wait()
        }

        /// Unlocks the row.
        func release() {
            released.signal()
            connection.close()
        }
    }

    private static func add(to key: String, in database: PostgreSQLDatabase, _ answers: Answers<Void>, _ number: Int) {
        database.write("add", alone: false, isolation: .readCommitted) { transaction in
            try transaction.execute("UPDATE items SET amount = amount + 1 WHERE key = \(key)")
        } completion: {
            answers.completion(number)($0)
        }
    }

    private func fresh(_ adjust: (inout PostgreSQLConfiguration) -> Void = { _ in }) throws -> FreshPostgreSQL {
        let fresh = try FreshPostgreSQL {
            $0.connections = 2
            $0.patience = 60_000
            adjust(&$0)
        }
        _ = try fresh.server.psql(fresh.url, "INSERT INTO items (key) VALUES ('held'), ('free')")
        return fresh
    }

    private func amount(of key: String, in fresh: FreshPostgreSQL) throws -> Int64? {
        try fresh.database.readNow { try $0.first("SELECT amount FROM items WHERE key = \(key)") { try $0.integer(0) } }
    }

    @Test func `closures about a locked row occupy no connection for long, and run once it is free`() throws {
        let fresh = try fresh()
        defer { fresh.remove() }
        let row = try LockedRow("held", of: fresh)
        let waiting = Answers<Void>(), others = Answers<Void>()
        for number in 0..<16 { Self.add(to: "held", in: fresh.database, waiting, number) }
        for number in 0..<50 { Self.add(to: "free", in: fresh.database, others, number) }
        let done = others.wait(for: 50)
        #expect(done.values.joined().allSatisfy { (try? $0.get()) != nil } && done.count == 50)
        #expect(try amount(of: "free", in: fresh) == 50)
        #expect(waiting.wait(for: 0).isEmpty)
        row.release()
        let late = waiting.wait(for: 16)
        #expect(late.values.joined().allSatisfy { (try? $0.get()) != nil } && late.count == 16)
        #expect(try amount(of: "held", in: fresh) == 16)
        let statistics = try #require(fresh.database.transactionStatistics.first { $0.kind == "add" })
        #expect(statistics.closures == 66 && statistics.repeats >= 16 && statistics.failures == 0)
    }

    @Test func `a closure whose row stays locked is given up as busy`() throws {
        let fresh = try fresh { $0.patience = 500 }
        defer { fresh.remove() }
        let row = try LockedRow("held", of: fresh)
        defer { row.release() }
        let answers = Answers<Void>()
        Self.add(to: "held", in: fresh.database, answers, 0)
        guard case .failure(let error as DatabaseError)? = answers.wait(for: 1)[0]?.first else {
            Issue.record("the closure got the lock")
            return
        }
        #expect([.busy, .overloaded].contains(error.kind))
        #expect(try amount(of: "held", in: fresh) == 0)
    }

    @Test func `closing waits for the closures that wait for a lock`() throws {
        let fresh = try fresh()
        defer { fresh.server.removeDatabase(fresh.url) }
        let row = try LockedRow("held", of: fresh)
        let answers = Answers<Void>()
        Self.add(to: "held", in: fresh.database, answers, 0)
        // By then it usually is a blocked closure.
        Thread.sleep(forTimeInterval: 0.3)
        let closed = DispatchSemaphore(value: 0)
        DispatchQueue.global().async {
            fresh.database.close()
            closed.signal()
        }
        #expect(closed.wait(timeout: .now() + 0.3) == .timedOut)
        row.release()
        #expect(closed.wait(timeout: .now() + 30) == .success)
        #expect(throws: Never.self) { try answers.wait(for: 1)[0]?.first?.get() }
        #expect(try fresh.server.psql(fresh.url, "SELECT amount FROM items WHERE key = 'held'") == "1")
    }

    @Test func `an old call that newer ones have joined is given up when its own time is over`() throws {
        let fresh = try FreshPostgreSQL {
            $0.connections = 1
            $0.patience = 1000
        }
        defer { fresh.remove() }
        let answers = Answers<Int>()
        func call(_ number: Int) {
            fresh.database.readShared("shared", number) { inputs, _ in
                inputs.map { .success($0) }
            } completion: {
                answers.completion(number)($0)
            }
        }
        let blocker = Blocker(fresh.database)
        call(0)
        Thread.sleep(forTimeInterval: 1.1)
        call(1)
        blocker.release()
        let results = answers.wait(for: 2)
        #expect(try results[1]?.first?.get() == 1)
        guard case .failure(let error as DatabaseError)? = results[0]?.first else {
            Issue.record("the call outlived its time")
            return
        }
        #expect(error.kind == .overloaded)
    }
}
