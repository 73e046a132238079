import DatabaseHarness
import Foundation
import PostgreSQLHarness
import Testing

@testable import Database

@Suite("Migrations while others use the tables", .enabled(if: TestDatabase.isEnginesTurn))
struct UpgradeTests {
    private static let next =
        FreshPostgreSQL.schema + [
            Migration(number: 2, name: "later", sql: "ALTER TABLE items ADD COLUMN later {{text}};")
        ]

    private static let both =
        FreshPostgreSQL.schema + [
            Migration(
                number: 2,
                name: "both",
                sql: "ALTER TABLE owners ADD COLUMN later {{text}}; ALTER TABLE items ADD COLUMN later {{text}};"
            )
        ]

    @Test func `a node that is there goes on while the next version migrates`() async throws {
        let fresh = try FreshPostgreSQL()
        defer { fresh.remove() }
        try await fresh.database.write { try $0.enqueue("INSERT INTO items (key, note) VALUES ('a', 'kept')") }
        try PostgreSQLDatabase(configuration(of: fresh), migrations: Self.next).close()

        // On the same connections, with statements that were prepared before.
        for number in 0..<20 {
            try await fresh.database.write { try $0.enqueue("INSERT INTO items (key) VALUES (\("k\(number)"))") }
        }
        let note = try fresh.database.readNow {
            try $0.first("SELECT note FROM items WHERE key = 'a'") { try $0.text(0) }
        }
        #expect(note == "kept")
        #expect(try fresh.count() == 21)
        // A node that starts now has to know the step.
        #expect(throws: DatabaseError.self) {
            try PostgreSQLDatabase(configuration(of: fresh), migrations: FreshPostgreSQL.schema)
        }
    }

    @Test(arguments: [true, false])
    func `a migration step has an hour, and loses its locks only when its own connection is silent`(_ prepares: Bool)
        async throws
    {
        let fresh = try FreshPostgreSQL { $0.prepares = prepares }
        defer { fresh.remove() }
        let name = fresh.url.split(separator: "/").last ?? ""
        // As hosting providers do.
        try fresh.server.psql(fresh.url, "ALTER DATABASE \(name) SET statement_timeout = '300ms'")
        let slow = Migration(
            number: 2,
            name: "slow",
            sql: """
                UPDATE items SET note = CAST(pg_sleep(0.5) AS TEXT);
                UPDATE items SET note = current_setting('statement_timeout') || ' '
                    || current_setting('idle_in_transaction_session_timeout');
                """
        )
        try await fresh.database.write { try $0.enqueue("INSERT INTO items (key) VALUES ('a')") }
        var configuration = configuration(of: fresh)
        configuration.prepares = prepares
        try PostgreSQLDatabase(configuration, migrations: FreshPostgreSQL.schema + [slow]).close()
        let limits = try fresh.database.readNow { try $0.first("SELECT note FROM items") { try $0.text(0) } }
        #expect(limits == "1h 10s")
    }

    @Test func `a migration step waits for the lock on a table, and no call waits long for the step`() async throws {
        try await onThread {
            let fresh = try FreshPostgreSQL { $0.connections = 4 }
            defer { fresh.remove() }
            let isHeld = DispatchSemaphore(value: 0), isEnough = DispatchSemaphore(value: 0)
            // As pg_dump does.
            fresh.database.read(snapshot: true) { transaction in
                _ = try transaction.first("SELECT count(*) FROM items") { try $0.integer(0) }
                isHeld.signal()
                isEnough.wait()
            } completion: { _ in
            }
            isHeld.wait()
            defer { isEnough.signal() }
            let migrated = migrate(fresh, to: Self.next)

            let end = Deadline(in: 6_000)
            var longest: Int64 = 0
            for number in 0... {
                let asked = Deadline.now, answers = Answers<Void>()
                guard !end.isOver else { break }
                fresh.database.write(
                    { try $0.enqueue("INSERT INTO items (key) VALUES (\("k\(number)"))") },
                    completion: answers.completion(number)
                )
                try answers.wait(for: 1)[number]?.first?.get()
                longest = max(longest, Deadline.now - asked)
                usleep(20_000)
            }
            #expect(longest > 1_000, "the step never stood in the way, so this test shows nothing")
            // A call that waits until the step is done fails after 10 s.
            #expect(longest < 9_000)
            isEnough.signal()
            try #require(migrated.wait(for: 1)[0]?.first).get()
            let unset = try fresh.database.readNow {
                try $0.first("SELECT count(*) FROM items WHERE later IS NULL") { try $0.integer(0) }
            }
            #expect(unset == (try fresh.count()))
        }
    }

    @Test func `a step that was ended because it and another waited for one another is tried again`() async throws {
        try await onThread {
            let fresh = try FreshPostgreSQL {
                $0.connections = 2
                // The transaction of the test must go on waiting.
                $0.lockTimeout = 0
            }
            defer { fresh.remove() }
            let isHeld = DispatchSemaphore(value: 0), isWaitedFor = DispatchSemaphore(value: 0)
            let counted = Answers<Int64?>()
            fresh.database.write(
                { transaction in
                    // A transaction that has waited this long checks for a deadlock and ends itself; here that is the
                    // step.
                    try transaction.enqueue("SELECT set_config('deadlock_timeout', '60s', true)")
                    _ = try transaction.first("SELECT count(*) FROM items") { try $0.integer(0) }
                    isHeld.signal()
                    isWaitedFor.wait()
                    // Locked by the step, which waits for this transaction.
                    return try transaction.first("SELECT count(*) FROM owners") { try $0.integer(0) }
                },
                completion: counted.completion(0)
            )
            isHeld.wait()
            defer { isWaitedFor.signal() }
            let migrated = migrate(fresh, to: Self.both), deadline = Deadline(in: 10_000)
            var isWaiting = false
            while !isWaiting, !deadline.isOver {
                isWaiting =
                    try fresh.database.readNow {
                        try $0.first("SELECT 1 FROM pg_locks WHERE relation = 'items'::regclass AND NOT granted") { _ in
                            true
                        }
                    } ?? false
            }
            #expect(isWaiting)
            isWaitedFor.signal()
            #expect(try counted.wait(for: 1)[0]?.first?.get() == 0)
            try #require(migrated.wait(for: 1)[0]?.first).get()
            #expect(
                fresh.database.transactionStatistics.reduce(0) { $0 + $1.repeats } == 0,
                "the step was not the one that was ended"
            )
        }
    }

    /// Runs migrations on their own thread.
    private func migrate(_ fresh: FreshPostgreSQL, to steps: [Migration]) -> Answers<Void> {
        let migrated = Answers<Void>()
        Thread.detachNewThread {
            let result = Result { try PostgreSQLDatabase(configuration(of: fresh), migrations: steps).close() }
            migrated.completion(0)(result)
        }
        return migrated
    }

    private func configuration(of fresh: FreshPostgreSQL) -> PostgreSQLConfiguration {
        var configuration = PostgreSQLConfiguration(url: fresh.url)
        configuration.connections = 1
        return configuration
    }
}
