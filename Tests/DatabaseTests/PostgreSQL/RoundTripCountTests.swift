import DatabaseHarness
import PostgreSQLHarness
import Testing

@testable import Database

@Suite("Round trips to PostgreSQL", .enabled(if: TestDatabase.isEnginesTurn))
struct RoundTripCountTests {
    /// Counts the round trips of a database while the body runs.
    private func trips(_ database: PostgreSQLDatabase, _ body: () async throws -> Void) async rethrows -> Int {
        func count() -> Int { database.transactionStatistics.reduce(0) { $0 + $1.roundTrips } }
        let before = count()
        try await body()
        return count() - before
    }

    @Test(arguments: [true, false])
    func `a transaction waits once for each question, and once for its end`(_ prepares: Bool) async throws {
        let fresh = try FreshPostgreSQL {
            $0.prepares = prepares
            $0.connections = 1
        }
        defer { fresh.remove() }
        let database = fresh.database
        @Sendable func ask(_ transaction: Transaction, _ key: String) throws {
            _ = try transaction.first("SELECT amount FROM items WHERE key = \(key)") { _ in }
        }
        #expect(try await trips(database) { _ = try await database.read { try ask($0, "a") } } == 1)
        #expect(
            try await trips(database) {
                try await database.write { transaction in
                    for key in ["a", "b", "c"] { try transaction.enqueue("INSERT INTO items (key) VALUES (\(key))") }
                }
            } == 1
        )
        #expect(
            try await trips(database) {
                try await database.write { transaction in
                    try ask(transaction, "a")
                    try transaction.enqueue("UPDATE items SET amount = 1 WHERE key = 'a'")
                    try ask(transaction, "a")
                    try transaction.enqueue("UPDATE items SET amount = 2 WHERE key = 'a'")
                }
            } == 3
        )
    }

    @Test func `questions that were prefetched are asked together, and not again`() async throws {
        let fresh = try FreshPostgreSQL()
        defer { fresh.remove() }
        let database = fresh.database
        try await database.write { try $0.enqueue("INSERT INTO items (key, amount) VALUES ('a', 1), ('b', 2)") }
        @Sendable func amount(_ key: String, _ transaction: Transaction) throws -> Int64? {
            try transaction.first("SELECT amount FROM items WHERE key = \(key)") { try $0.integer(0) }
        }
        let waits = try await trips(database) {
            let amounts = try await database.write { transaction in
                try transaction.prefetch { transaction in
                    for key in ["a", "b", "none"] { #expect(try amount(key, transaction) == nil) }
                    _ = try transaction.all("SELECT key FROM items ORDER BY key") { try $0.text(0) }
                }
                let keys = try transaction.all("SELECT key FROM items ORDER BY key") { try $0.text(0) }
                #expect(keys == ["a", "b"])
                return [try amount("b", transaction), try amount("a", transaction), try amount("none", transaction)]
            }
            #expect(amounts == [2, 1, nil])
        }
        #expect(waits == 2)
    }

    @Test func `what was prefetched is asked anew once something was changed`() async throws {
        let fresh = try FreshPostgreSQL()
        defer { fresh.remove() }
        try await fresh.database.write { try $0.enqueue("INSERT INTO items (key) VALUES ('a')") }
        let question: SQL = "SELECT amount FROM items WHERE key = 'a'"
        let amounts = try await fresh.database.write { transaction in
            var amounts: [Int64?] = []
            for change: SQL in [
                "UPDATE items SET amount = amount + 1", "UPDATE items SET amount = amount + 10 RETURNING key",
            ] {
                try transaction.prefetch { _ = try $0.first(question) { _ in } }
                if amounts.isEmpty {
                    try transaction.enqueue(change)
                } else {
                    _ = try transaction.first(change) { _ in }
                }
                amounts.append(try transaction.first(question) { try $0.integer(0) })
                try transaction.prefetch { _ = try $0.first(question) { _ in } }
                // Prefetched already, and changed before the result is read.
                _ = try transaction.first("SELECT 1") { _ in }
                try transaction.execute(change)
                amounts.append(try transaction.first(question) { try $0.integer(0) })
            }
            return amounts
        }
        #expect(amounts == [1, 2, 12, 22])
    }

    @Test func `a prefetched question that fails, fails the transaction`() async throws {
        let fresh = try FreshPostgreSQL()
        defer { fresh.remove() }
        let error = await kind {
            try await fresh.database.write { transaction in
                try transaction.enqueue("INSERT INTO items (key) VALUES ('a')")
                try transaction.prefetch { _ = try $0.first("SELECT nothing FROM nowhere") { _ in } }
            }
        }
        #expect(error == .misuse)
        #expect(try fresh.count() == 0)
    }

    @Test func `an error that a dry run did not read comes out of it`() async throws {
        let fresh = try FreshPostgreSQL()
        defer { fresh.remove() }
        try await fresh.database.write { try $0.enqueue("INSERT INTO items (key) VALUES ('a')") }
        let error = await kind {
            try await fresh.database.write { transaction in
                try transaction.dryRun { try $0.enqueue("INSERT INTO items (key) VALUES ('a')") }
            }
        }
        #expect(error == .constraint(.unique))
        let settled = await kind {
            try await fresh.database.write { transaction in
                try transaction.enqueue("INSERT INTO items (key) VALUES ('a')")
                try transaction.flush()
                throw CancellationError()
            }
        }
        #expect(settled == .constraint(.unique))
    }
}
