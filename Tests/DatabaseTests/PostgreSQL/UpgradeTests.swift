import Dispatch
import PostgreSQLHarness
import Testing

@testable import Database

@Suite("Migrations while others use the tables", .enabled(if: TestDatabase.isEnginesTurn))
struct UpgradeTests {
    private static let next =
        FreshPostgreSQL.schema + [
            Migration(number: 2, name: "later", sql: "ALTER TABLE items ADD COLUMN later {{text}};")
        ]

    @Test func `a node that is there goes on while the next version migrates`() async throws {
        let fresh = try FreshPostgreSQL()
        defer { fresh.remove() }
        try await fresh.database.write { try $0.perform("INSERT INTO items (key, note) VALUES ('a', 'kept')") }
        try PostgreSQLDatabase(configuration(of: fresh), migrations: Self.next).close()

        // On the same connections, with statements that were prepared before.
        for number in 0..<20 {
            try await fresh.database.write { try $0.perform("INSERT INTO items (key) VALUES (\("k\(number)"))") }
        }
        let note = try fresh.database.readNow {
            try $0.first("SELECT note FROM items WHERE key = 'a'") { try $0.text(0) }
        }
        #expect(note == "kept")
        #expect(try fresh.count() == 21)
        // But who starts now has to know the step.
        #expect(throws: DatabaseError.self) {
            try PostgreSQLDatabase(configuration(of: fresh), migrations: FreshPostgreSQL.schema)
        }
    }

    @Test func `a step waits for whoever holds the table, and nobody waits long for the step`() async throws {
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
        await inThread { isHeld.wait() }
        defer { isEnough.signal() }
        async let migrated: Void = inThread {
            try? PostgreSQLDatabase(configuration(of: fresh), migrations: Self.next).close()
        }

        let began = ContinuousClock.now
        var longest = Duration.zero
        for number in 0... {
            let asked = ContinuousClock.now
            guard asked < began + .seconds(6) else { break }
            try await fresh.database.write { try $0.perform("INSERT INTO items (key) VALUES (\("k\(number)"))") }
            longest = max(longest, ContinuousClock.now - asked)
            try await Task.sleep(for: .milliseconds(20))
        }
        #expect(longest > .seconds(1), "the step never stood in the way, so this test shows nothing")
        #expect(longest < .seconds(4))
        isEnough.signal()
        await migrated
        let unset = try fresh.database.readNow {
            try $0.first("SELECT count(*) FROM items WHERE later IS NULL") { try $0.integer(0) }
        }
        #expect(unset == (try fresh.count()))
    }

    @Test func `a step that was ended because it and another waited for one another is tried again`() async throws {
        let fresh = try FreshPostgreSQL(migrations: FreshPostgreSQL.wholeSchema) { $0.connections = 2 }
        defer { fresh.remove() }
        let both =
            FreshPostgreSQL.wholeSchema + [
                Migration(
                    number: 2,
                    name: "both",
                    sql: "ALTER TABLE owners ADD COLUMN later {{text}}; ALTER TABLE items ADD COLUMN later {{text}};"
                )
            ]
        let isHeld = DispatchSemaphore(value: 0), isWaitedFor = DispatchSemaphore(value: 0)
        async let attempts = fresh.database.write { transaction in
            _ = try transaction.first("SELECT count(*) FROM items") { try $0.integer(0) }
            isHeld.signal()
            isWaitedFor.wait()
            // Held by the step, which waits for this transaction: the server ends whoever has waited for longer.
            return try transaction.first("SELECT count(*) FROM owners") { try $0.integer(0) }
        }
        await inThread { isHeld.wait() }
        let configuration = configuration(of: fresh)
        async let failure: String? = withCheckedContinuation { continuation in
            DispatchQueue(label: "migrating").async {
                do {
                    try PostgreSQLDatabase(configuration, migrations: both).close()
                    continuation.resume(returning: nil)
                } catch {
                    continuation.resume(returning: "\(error)")
                }
            }
        }
        let database = fresh.database
        await inThread {
            let deadline = Deadline(in: 5_000)
            while !deadline.isOver {
                let waiting = try? database.readNow {
                    try $0.first("SELECT count(*) FROM pg_locks WHERE relation = 'items'::regclass AND NOT granted") {
                        try $0.integer(0)
                    }
                }
                if waiting == 1 { break }
            }
            isWaitedFor.signal()
        }
        #expect(try await attempts == 0)
        #expect(await failure == nil)
        #expect(
            fresh.database.tallies.reduce(0) { $0 + $1.repeats } == 0,
            "the step was not the one that was ended"
        )
    }

    private func configuration(of fresh: FreshPostgreSQL) -> PostgreSQLConfiguration {
        var configuration = PostgreSQLConfiguration(url: fresh.url)
        configuration.connections = 1
        return configuration
    }

    /// Waits in a thread that has nothing else to do.
    private func inThread(_ body: @escaping @Sendable () -> Void) async {
        await withCheckedContinuation { continuation in
            DispatchQueue(label: "waiting").async {
                body()
                continuation.resume()
            }
        }
    }
}
