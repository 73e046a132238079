import Foundation
import PostgreSQLHarness
import Synchronization
import Testing

@testable import Database

@Suite("Connections to PostgreSQL", .enabled(if: TestDatabase.isEnginesTurn))
struct PoolTests {
    @Test func `closures run side by side, on as many connections as there are threads`() async throws {
        let fresh = try FreshPostgreSQL { $0.connections = 6 }
        defer { fresh.remove() }
        let database = fresh.database
        for _ in 0..<3 {
            // On a thread of its own, so that the time is that of the database and of nobody else.
            let took = await withCheckedContinuation { continuation in
                Thread.detachNewThread {
                    let began = Deadline.now, running = DispatchGroup()
                    for _ in 0..<6 {
                        running.enter()
                        database.read {
                            _ = try $0.first("SELECT pg_sleep(0.5)") { _ in }
                        } completion: { _ in
                            running.leave()
                        }
                        // One after the other, as calls come: each has to wake a thread of its own.
                        usleep(20_000)
                    }
                    running.wait()
                    continuation.resume(returning: Deadline.now - began)
                }
            }
            #expect(took < 2_500)
        }
    }

    @Test func `connections that nobody uses are closed`() async throws {
        let fresh = try FreshPostgreSQL {
            $0.connections = 4
            $0.idleLimit = 1_000
        }
        defer { fresh.remove() }
        let database = fresh.database
        // Counted as they end, since the test may get its turn back only when all are closed again.
        let most = await withCheckedContinuation { continuation in
            let counts = Mutex<[Int]>([])
            for _ in 0..<4 {
                database.read {
                    _ = try $0.first("SELECT pg_sleep(0.5)") { _ in }
                } completion: { [unowned database] _ in
                    let all = counts.withLock { all in
                        all.append(database.connectionCount)
                        return all
                    }
                    if all.count == 4 { continuation.resume(returning: all.max()) }
                }
            }
        }
        #expect(most == 4)
        let deadline = Deadline(in: 10_000)
        while database.connectionCount > 0, !deadline.isOver { try await Task.sleep(for: .milliseconds(50)) }
        #expect(database.connectionCount == 0)
        #expect(try fresh.count() == 0)
    }

    @Test func `behind a pooler each transaction has its limits, and the session none`() async throws {
        let fresh = try FreshPostgreSQL {
            $0.prepares = false
            $0.connections = 1
            $0.statementTimeout = 700
        }
        defer { fresh.remove() }
        #expect(
            await kind { try await fresh.database.read { _ = try $0.first("SELECT pg_sleep(30)") { _ in } } } == .busy
        )
        #expect(await kind { try fresh.database.readNow { _ = try $0.first("SELECT pg_sleep(30)") { _ in } } } == .busy)
        #expect(
            await kind { try await fresh.database.write { _ = try $0.first("SELECT pg_sleep(30)") { _ in } } } == .busy
        )
        // Of a session that has just run statements with limits, the pooler gives the next transaction none of them.
        let server = fresh.server
        let sessions = try server.psql(
            fresh.url,
            "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND state LIKE 'idle in%'"
        )
        #expect(sessions.trimmingCharacters(in: .whitespacesAndNewlines) == "0")
    }

    @Test(arguments: [true, false])
    func `a server that falls silent holds up nobody for long, and is found again`(_ prepares: Bool) async throws {
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
        try await database.write { try $0.perform("INSERT INTO items (key) VALUES ('before')") }
        let silence = try SilentServer(server.folder)
        defer { silence.speakAgain() }
        let slowest = try await withThrowingTaskGroup(of: Int64.self) { group in
            for number in 0..<40 {
                group.addTask {
                    try await Task.sleep(for: .milliseconds(number * 100))
                    let began = Deadline.now
                    let took = await withCheckedContinuation { continuation in
                        database.write { transaction in
                            try transaction.perform("INSERT INTO items (key) VALUES (\("silent \(number)"))")
                        } completion: { _ in
                            // Looked at here, and not once the test gets its turn again.
                            continuation.resume(returning: Deadline.now - began)
                        }
                    }
                    return took
                }
            }
            return try await group.reduce(0) { max($0, $1) }
        }
        // One answer's time and a second, for those in the middle of it; the others less.
        #expect(slowest < 5_000)
        #expect(await kind { try await database.read { _ = try $0.first("SELECT 1") { _ in } } } == .unavailable)
        let began = Deadline.now
        _ = await kind { try await database.read { _ = try $0.first("SELECT 1") { _ in } } }
        #expect(Deadline.now - began < 500)
        #expect(events.withLock { $0.contains { $0.hasPrefix("the server is away") } })
        silence.speakAgain()
        let back = Deadline(in: 10_000)
        var failure: DatabaseError.Kind?
        repeat {
            failure = await kind { try await database.read { _ = try $0.first("SELECT 1") { _ in } } }
            if failure != nil { try await Task.sleep(for: .milliseconds(50)) }
        } while failure != nil && !back.isOver
        #expect(failure == nil)
        #expect(events.withLock { $0.contains("the server is back") })
    }
}
