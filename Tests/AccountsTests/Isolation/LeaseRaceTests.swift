import AccountDatabase
import Accounts
import Database
import Testing

/// Leases of workers on several nodes.
@Suite("Leases beside other transactions", .concurrentTransactions)
struct LeaseRaceTests {
    private static func lease(_ worker: String, _ transaction: Transaction) throws -> Int {
        try transaction.leaseMails(.unknown, limit: 9, worker: worker, milliseconds: 60_000, takingOver: true).count
    }

    @Test(arguments: [nil, "leased rows"])
    func `two workers do not lease one e-mail, because of the lock that each skips`(without lock: String?) async throws
    {
        let scene = try Scene(connections: 4, omittedProtections: lock.map { [$0] } ?? [])
        _ = try await scene.link(to: "ann@example.com")
        let held = await HeldTransaction(in: scene, isolation: .readCommitted) {
            let leased = try Self.lease("first", $1)
            #expect(leased == 1)
        }
        let leased =
            lock == nil
            ? try await held.accompany(scene, isolation: .readCommitted) { try Self.lease("second", $1) }
            : try await held.precede(scene) { try Self.lease("second", $1) }.get()
        #expect(leased == (lock == nil ? 0 : 1))
    }
}
