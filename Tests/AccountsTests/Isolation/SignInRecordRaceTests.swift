import AccountDatabase
import Accounts
import Database
import Testing

/// What is recorded of sign-ins at READ COMMITTED, beside transactions that delete it.
@Suite("Records of sign-ins beside other transactions", .concurrentTransactions)
struct SignInRecordRaceTests {
    private static let email = "ann@example.com"

    /// What the recorder does in one transaction.
    @Sendable private static func record(
        _ uid: String,
        _ flows: AccountFlows,
        _ transaction: Transaction
    ) throws {
        try flows.limitSessions(of: [uid], recording: [uid], in: transaction)
        let client = KnownClient(uid: uid, email: email, client: "client")
        try flows.remember([try flows.record(of: client)], in: transaction)
        let redemption = TraceEntry(.redeemed, of: "request", uid: uid)
        try flows.trace(redemptions: [redemption], in: transaction)
    }

    private func left(_ scene: Scene, _ table: SQL) async throws -> Int64? {
        try await scene.database.read { try $0.first("SELECT count(*) FROM \(table)") { try $0.integer(0) } }
    }

    @Test(arguments: [nil, "recorded users"])
    func `a deletion leaves no client that is recorded meanwhile, because of the user's lock`(
        without lock: String?
    ) async throws {
        let scene = try Scene(connections: 4, omittedProtections: lock.map { [$0] } ?? [])
        let uid = try await scene.account(Self.email).uid
        let held = await HeldTransaction(in: scene, isolation: .readCommitted) { try Self.record(uid, $0, $1) }
        let delete: @Sendable (AccountFlows, Transaction) throws -> Void = { flows, transaction in
            guard let user = try transaction.user(uid) else { return }
            try flows.delete(user, because: .request, in: transaction)
        }
        if lock == nil {
            try await held.precede(scene, isolation: .serializable, delete).get()
        } else {
            try await held.accompany(scene, delete)
        }
        #expect(try await scene.database.read { try $0.user(uid) } == nil)
        #expect(try await left(scene, "known_clients") == (lock == nil ? 0 : 1))
    }

    @Test func `an erasure leaves nothing that is recorded meanwhile`() async throws {
        let scene = try Scene(connections: 4)
        let uid = try await scene.account(Self.email).uid
        let held = await HeldTransaction(in: scene, isolation: .readCommitted) { try Self.record(uid, $0, $1) }
        let erased = try await held.precede(scene, isolation: .serializable) { try $0.erase(uid, in: $1) }
        #expect(try erased.get() != nil)
        #expect(try await left(scene, "known_clients") == 0)
        #expect(try await left(scene, "mail_trace") == 0)
    }

    @Test func `a session that its user ends meanwhile does not count as ended by the limit`() async throws {
        let scene = try Scene(connections: 4) { $0.sessionsPerUser = 1 }
        let first = try await scene.account(Self.email)
        _ = try await scene.account(Self.email)
        let held = await HeldTransaction(in: scene) { try $0.endSession(first.sid, ofUser: first.uid, in: $1) }
        try await held.precede(scene) { try Self.record(first.uid, $0, $1) }.get()
        let limited = try await scene.database.read { transaction in
            try transaction.first("SELECT count(*) FROM audit_log WHERE event = 'sessions.limited'") {
                try $0.integer(0)
            }
        }
        #expect(limited == 0)
    }
}
