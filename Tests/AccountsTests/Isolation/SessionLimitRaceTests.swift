import AccountDatabase
import Accounts
import Database
import Testing

/// The limit of sessions, which two nodes enforce at once.
@Suite("Session limits beside other transactions", .concurrentTransactions)
struct SessionLimitRaceTests {
    @Test func `two nodes that end the sessions beyond the limit record it once`() async throws {
        let scene = try Scene(connections: 4) { $0.sessionsPerUser = 1 }
        let owner = try await scene.account("ann@example.com")
        _ = try await scene.account("ann@example.com")
        let held = await HeldTransaction(in: scene, isolation: .readCommitted) {
            try $0.limitSessions(of: [owner.uid], recording: [], in: $1)
        }
        let other = try await held.precede(scene) {
            try $0.limitSessions(of: [owner.uid], recording: [], in: $1)
        }
        _ = try other.get()
        let (entries, alive) = try await scene.database.read { transaction in
            (
                try transaction.first("SELECT count(*) FROM audit_log WHERE event = 'sessions.limited'") {
                    try $0.integer(0)
                },
                try transaction.sessions(of: owner.uid, limit: 9).count
            )
        }
        #expect(entries == 1 && alive == 1)
    }

    @Test func `a session that is added before the user is locked counts`() async throws {
        let scene = try Scene(connections: 4) { $0.sessionsPerUser = 1 }
        let owner = try await scene.account("ann@example.com")
        let link = try await scene.link(to: "ann@example.com")
        let held = await HeldTransaction(in: scene, isolation: .readCommitted) {
            _ = try $0.redeemSignInLink(link, in: $1).get()
        }
        let other = try await held.precede(scene) {
            try $0.limitSessions(of: [owner.uid], recording: [owner.uid], in: $1)
        }
        try other.get()
        let alive = try await scene.database.read { try $0.sessions(of: owner.uid, limit: 9).count }
        #expect(alive == 1)
    }
}
