import DatabaseHarness
import Foundation
import PostgreSQLHarness
import Synchronization
import Testing

@testable import Database

@Suite("Connections to PostgreSQL", .enabled(if: TestDatabase.isEnginesTurn))
struct PoolTests {
    /// Runs closures that only end once all have begun, and returns the number of connections that each sees then.
    private func sawTogether(_ count: Int, _ database: PostgreSQLDatabase) async throws -> [Int] {
        try await onThread {
            let inside = DispatchGroup(), answers = Answers<Int>()
            for _ in 0..<count { inside.enter() }
            for number in 0..<count {
                database.read(
                    { [unowned database] transaction in
                        _ = try transaction.first("SELECT 1") { _ in }
                        inside.leave()
                        return inside.wait(timeout: .now() + 10) == .success ? database.connectionCount : 0
                    },
                    completion: answers.completion(number)
                )
                // One after the other, as calls arrive, because each has to wake its own thread.
                usleep(20_000)
            }
            return try answers.wait(for: count).values.joined().map { try $0.get() }
        }
    }

    @Test func `closures run side by side, on as many connections as there are threads`() async throws {
        let fresh = try FreshPostgreSQL { $0.connections = 6 }
        defer { fresh.remove() }
        for _ in 0..<3 { #expect(try await sawTogether(6, fresh.database) == Array(repeating: 6, count: 6)) }
    }

    @Test func `unused connections are closed`() async throws {
        let fresh = try FreshPostgreSQL {
            $0.connections = 4
            $0.idleLimit = 1_000
        }
        defer { fresh.remove() }
        let database = fresh.database
        #expect(try await sawTogether(4, database) == Array(repeating: 4, count: 4))
        #expect(try await eventually { database.connectionCount == 0 })
        #expect(try fresh.count() == 0)
    }

    @Test func `a server without a free connection refuses some calls, and is not taken for unavailable`() async throws
    {
        let server = try PostgreSQLServer(["max_connections=12", "superuser_reserved_connections=0"])
        defer { try? server.stop("immediate") }
        let fresh = try FreshPostgreSQL(on: server) { $0.connections = 4 }
        defer { fresh.remove() }
        let database = fresh.database
        // Opens one connection, which goes on serving.
        #expect(try await sawTogether(1, database) == [1])
        var others: [PostgreSQLConnection] = []
        while let other = try? PostgreSQLConnection(PostgreSQLConfiguration(url: fresh.url)), others.count < 12 {
            others.append(other)
        }
        #expect((1..<12).contains(others.count))
        let kinds = await withTaskGroup(of: DatabaseError.Kind?.self) { group in
            for number in 0..<40 {
                group.addTask {
                    await kind {
                        try await database.write { try $0.enqueue("INSERT INTO items (key) VALUES (\("k\(number)"))") }
                    }
                }
            }
            return await group.reduce(into: []) { $0.append($1) }
        }
        #expect(kinds.contains(nil) && kinds.allSatisfy { $0 == nil || $0 == .unavailable }, "\(kinds)")
        #expect(database.absence == nil)
        #expect(try fresh.count() == Int64(kinds.count { $0 == nil }))
        others = []
        #expect(try await eventually { try await sawTogether(4, database) == Array(repeating: 4, count: 4) })
    }

    @Test func `a statement that an administrator cancels fails alone, and its connection serves on`() async throws {
        let fresh = try FreshPostgreSQL { $0.connections = 1 }
        defer { fresh.remove() }
        let database = fresh.database
        async let cancelled = kind {
            try await database.write { transaction in
                try transaction.enqueue("INSERT INTO items (key) VALUES ('lost')")
                _ = try transaction.first("SELECT pg_sleep(60)") { _ in }
            }
        }
        let sleeper = "FROM pg_stat_activity WHERE datname = current_database() AND wait_event = 'PgSleep'"
        #expect(
            try await eventually { try fresh.server.psql(fresh.url, "SELECT pg_cancel_backend(pid) \(sleeper)") == "t" }
        )
        #expect(await cancelled == .timeout)
        try await database.write { try $0.enqueue("INSERT INTO items (key) VALUES ('kept')") }
        #expect(try fresh.count() == 1)
        #expect(database.absence == nil)
    }

    @Test func `behind a pooler each transaction has its limits, and the session none`() async throws {
        let pooler = try PgBouncer.shared.get()
        let fresh = try FreshPostgreSQL {
            $0.url = pooler.url(to: $0.url)
            $0.prepares = false
            $0.connections = 1
            $0.statementTimeout = 2_500
        }
        defer { fresh.remove() }
        let database = fresh.database
        #expect(await kind { try await database.read { _ = try $0.first("SELECT pg_sleep(30)") { _ in } } } == .timeout)
        #expect(await kind { try database.readNow { _ = try $0.first("SELECT pg_sleep(30)") { _ in } } } == .timeout)
        #expect(
            await kind { try await database.write { _ = try $0.first("SELECT pg_sleep(30)") { _ in } } } == .timeout
        )
        let limits: SQL = """
            SELECT CAST(pg_backend_pid() AS TEXT) || '|' || current_setting('statement_timeout') || '|'
            || current_setting('idle_in_transaction_session_timeout')
            """
        let ours = try await database.write { try $0.first(limits) { try $0.text(0) } }
        // The pooler gives the next transaction, of any client, the session that has just run this one.
        let theirs = try fresh.server.psql(
            pooler.url(to: fresh.url),
            "SELECT pg_backend_pid(), current_setting('statement_timeout'), "
                + "current_setting('idle_in_transaction_session_timeout')"
        )
        let session = try #require(theirs.split(separator: "|").first)
        #expect(ours == "\(session)|2500ms|2500ms")
        #expect(theirs == "\(session)|0|0")
    }

    @Test(arguments: [true, false])
    func `a server that falls silent delays no call for long, and is found again`(_ prepares: Bool) async throws {
        let server = try PostgreSQLServer()
        defer { try? server.stop("immediate") }
        let events = Mutex<[String]>([])
        let fresh = try FreshPostgreSQL(on: server) {
            $0.prepares = prepares
            $0.connections = 2
            $0.connectTimeout = 1_000
            $0.statementTimeout = 1_500
            $0.onEvent = { event in events.withLock { $0.append("\(event)") } }
        }
        defer { fresh.remove() }
        let database = fresh.database
        try await database.write { try $0.enqueue("INSERT INTO items (key) VALUES ('before')") }
        let silence = try SilentServer(server.folder)
        defer { silence.speakAgain() }
        let slowest = try await withThrowingTaskGroup(of: Int64.self) { group in
            for number in 0..<40 {
                group.addTask {
                    try await Task.sleep(for: .milliseconds(number * 100))
                    let key = "silent \(number)"
                    return await database.outcome(of: { try $0.enqueue("INSERT INTO items (key) VALUES (\(key))") })
                        .took
                }
            }
            return try await group.reduce(0) { max($0, $1) }
        }
        // The timeout of one answer and a second, for closures that were waiting for one; less for the others.
        #expect(slowest < 9_000)
        #expect(await kind { try await database.read { _ = try $0.first("SELECT 1") { _ in } } } == .unavailable)
        // The fastest of three, because the machine may stall. Each of them would wait for a connection otherwise.
        var fastest = Int64.max
        for _ in 0..<3 {
            fastest = min(fastest, await database.outcome(of: { _ = try $0.first("SELECT 1") { _ in } }).took)
        }
        #expect(fastest < 500)
        #expect(events.withLock { $0.contains { $0.hasPrefix("the server is unavailable") } })
        silence.speakAgain()
        #expect(try await eventually { try await database.read { try $0.first("SELECT 1") { _ in true } } == true })
        #expect(events.withLock { $0.contains("the server is available again") })
    }
}
