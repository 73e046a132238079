import Database
import Foundation
import JSON
import PostgreSQLHarness
import Synchronization
import Testing

@testable import Server

/// Calls of clients while too much work waits for the database.
@Suite("Calls that a busy server refuses") struct CongestionTests {
    /// More than five waiting jobs are too many, however fast the queue is.
    ///
    /// The work of a start on PostgreSQL is fewer.
    private static var bounds: QueueBounds {
        var bounds = QueueBounds()
        bounds.jobs = 5
        bounds.wait = -1
        return bounds
    }

    private static func run(_ body: @escaping @Sendable (TestServer) throws -> Void) async throws {
        try await TestServer.gate.pass {
            try await TestServer.inThread {
                try TestServer.inFolder { folder in
                    let settings = ["POSTGRESQL_CONNECTIONS": "2", "LIMITS_FAILURES_PER_CLIENT": "5"]
                    let database = try TestDatabase(in: folder.path)
                    let adjust: TestServer.Adjustment = { $0.queueBounds = bounds }
                    try TestServer.serve(settings, folder: folder, database: database, adjust: adjust, body)
                }
            }
        }
    }

    /// Signs guests up on threads.
    private static func signUps(_ server: TestServer, _ count: Int, _ answers: Answers) {
        answers.expect(count)
        for _ in 0..<count {
            Thread.detachNewThread {
                if let answer = try? server.call("accounts:signUp", [:]) { answers.add(answer) }
            }
        }
    }

    /// Signs guests up while the database waits, until one of them is refused.
    ///
    /// On PostgreSQL, a connection that is still free takes all that wait, so that the queue is empty once more: the last
    /// guests sign up when both connections wait.
    private static func congest(_ server: TestServer, _ hold: Hold, _ answers: Answers) throws {
        signUps(server, 1, answers)
        try server.eventually("a sign-up waits") { hold.arrivals >= 1 }
        if TestDatabase.Engine.current == .postgreSQL {
            try server.eventually("another sign-up waits") {
                // On a slow machine, work in the background may fill the queue for a moment, and the guest is refused.
                if answers.areComplete(but: 1) { signUps(server, 1, answers) }
                return hold.arrivals >= 2
            }
        }
        let refused = answers.refused.count
        signUps(server, 20, answers)
        try server.eventually("a call is refused") { answers.refused.count > refused }
    }

    /// Repeats a call while it is refused, because work may wait for a moment longer.
    private static func untilAccepted(_ server: TestServer, _ call: () throws -> Answer) throws -> Answer {
        var answer = try call()
        try server.eventually("the call is accepted") {
            if answer.status == 503 { answer = try call() }
            return answer.status != 503
        }
        return answer
    }

    private final class Answers: Sendable {
        private let all = Mutex<[Answer]>([])
        private let expected = Atomic(0)
        var refused: [Answer] { all.withLock { $0.filter { $0.status == 503 } } }
        var done: [Answer] { all.withLock { $0.filter { $0.status == 200 } } }
        func expect(_ count: Int) { expected.add(count, ordering: .relaxed) }
        /// Whether all calls have been answered, but for some.
        func areComplete(but missing: Int) -> Bool {
            refused.count + done.count + missing >= expected.load(ordering: .relaxed)
        }
        func add(_ answer: Answer) { all.withLock { $0.append(answer) } }
    }

    @Test func `a call that would wait for too long is refused, and the waiting ones are answered`() async throws {
        try await Self.run { server throws in
            let guest = try server.guest()
            let answers = Answers()
            let hold = server.faults.hold("INSERT INTO users", "WITH guests")
            defer { hold.release() }
            try Self.congest(server, hold, answers)
            let refusal = try server.call("accounts:signUp", [:])
            #expect(refusal.status == 503 && refusal.code == "UNAVAILABLE", "\(refusal.text)")
            let pause = refusal.header("retry-after").flatMap { Int($0) } ?? 0
            #expect((1...5).contains(pause), "\(refusal.text)")
            // Firebase's web SDK would delete its stored user at a JSON error.
            let renewal = try server.refresh(guest.refreshToken, headers: WebSDK.headers)
            #expect(renewal.status == 503 && WebSDK.keepsUser(renewal), "\(renewal.text)")
            #expect(renewal.header("retry-after") != nil)
            // SQLite's readers do not wait for the writer.
            let lookup = try server.lookup(guest.idToken).status
            #expect(lookup == (TestDatabase.Engine.current == .sqlite ? 200 : 503))
            hold.release()
            try server.eventually("all are answered") { answers.areComplete(but: 0) }
            #expect(!answers.done.isEmpty)
            try server.eventually("calls are accepted again") { try server.call("accounts:signUp", [:]).status == 200 }
            #expect(try Self.untilAccepted(server) { try server.refresh(guest.refreshToken) }.status == 200)
        }
    }

    @Test func `a refused call counts against no limit`() async throws {
        try await Self.run { server throws in
            let answers = Answers()
            let hold = server.faults.hold("INSERT INTO users", "WITH guests")
            defer { hold.release() }
            try Self.congest(server, hold, answers)
            // A token with a wrong signature counts as a guess, if it is looked at.
            for _ in 0..<20 { #expect(try server.refresh("AMf-wrong").status == 503) }
            hold.release()
            try server.eventually("calls are accepted again") { try server.call("accounts:signUp", [:]).status == 200 }
            #expect(try Self.untilAccepted(server) { try server.refresh("AMf-wrong") }.status == 400)
        }
    }
}
