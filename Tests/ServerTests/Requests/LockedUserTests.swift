import Foundation
import JSON
import PostgreSQLHarness
import Synchronization
import Testing

@Suite(
    "A user whose row an operator has locked",
    .enabled(if: TestDatabase.Engine.current == .postgreSQL, "SQLite has one writer")
)
struct LockedUserTests {
    /// The statuses of answered calls.
    private final class Statuses: Sendable {
        private let answered = Mutex<[Int]>([])
        var all: [Int] { answered.withLock { $0 } }
        func add(_ status: Int) { answered.withLock { $0.append(status) } }
    }

    @Test func `calls about the user wait or get 503, and no others do`() async throws {
        // The server's time limit for a statement is longer than the test takes.
        let settings = ["POSTGRESQL_CONNECTIONS": "4", "POSTGRESQL_STATEMENT_TIMEOUT": "60s"]
        try await TestServer.run(settings) { server in
            let ann = try server.signIn("ann@example.com"), bob = try server.signIn("bob@example.com")
            #expect(try server.document("PUT", "notes/1", "{}", bob.idToken).status == 201)
            try Self.lock(ann.uid, in: server)
            let waiting = Statuses()
            // More calls than the node has connections.
            for number in 0..<24 {
                Thread {
                    let answer =
                        number.isMultiple(of: 3)
                        ? try? server.call("accounts:update", ["idToken": .string(ann.idToken), "displayName": "Ann"])
                        : try? server.document("PUT", "notes/\(number)", "{}", ann.idToken)
                    waiting.add(answer?.status ?? 0)
                }.start()
            }
            try server.eventually("calls wait for the row") {
                try server.psql("SELECT count(*) > 0 FROM \(Self.sessions) AND wait_event_type = 'Lock'") == "t"
            }
            for number in 0..<5 {
                #expect(try server.document("PUT", "notes/\(number)", #"{"a":1}"#, bob.idToken).status < 300)
                #expect(try server.lookup(bob.idToken).status == 200)
                #expect(
                    try server.call("accounts:update", ["idToken": .string(bob.idToken), "displayName": "B"]).status
                        == 200
                )
                #expect(try server.call("accounts:signUp", [:]).status == 200)
            }
            #expect(waiting.all.isEmpty, "others waited until calls about the locked row had ended")
            try Self.unlock(server)
            try server.eventually("all calls are answered") { waiting.all.count == 24 }
            #expect(waiting.all.allSatisfy { [200, 201, 503].contains($0) }, "\(waiting.all)")
            #expect(try server.document("PUT", "notes/last", "{}", ann.idToken).status == 201)
        }
    }

    /// Locks a user's row as an operator with `psql` does, for a minute or until ``unlock(_:)``.
    private static func lock(_ uid: String, in server: TestServer) throws {
        let lock = "BEGIN; SELECT 1 FROM users WHERE uid = '\(uid)' FOR UPDATE; SELECT pg_sleep(60); COMMIT"
        Thread { _ = try? server.psql(lock) }.start()
        try server.eventually("the row is locked") { try server.psql("SELECT count(*) \(sleeper)") == "1" }
    }

    private static func unlock(_ server: TestServer) throws {
        try server.psql("SELECT pg_terminate_backend(pid) \(sleeper)")
    }

    private static let sessions = "pg_stat_activity WHERE datname = current_database()"
    private static let sleeper = "FROM \(sessions) AND wait_event = 'PgSleep'"
}
