import AccountDatabase
import Accounts
import Database
import Testing

/// Clean-up beside other deletions of its guests.
@Suite("Races of clean-up", .concurrentTransactions)
struct CleanUpRaceTests {
    @Test func `a guest who is deleted meanwhile does not keep clean-up from another`() async throws {
        let scene = try Scene(connections: 4)
        var change = CleanupChange()
        change.isOn = true
        change.days = 1
        try await scene.run { [change] in _ = try $0.change(change, in: $1) }
        let deleted = try await scene.guest(), other = try await scene.guest()
        scene.advance(milliseconds: 2 * 86_400_000)
        let held = await HeldTransaction(in: scene) { flows, transaction in
            let user = try #require(try transaction.user(deleted.uid))
            try flows.delete(user, because: .operator, in: transaction)
        }
        let swept = try await held.precede(scene, isolation: .serializable) {
            try $0.sweep(SweepOrder(worker: "w"), in: $1)
        }
        #expect(try swept.get().removed == [other.uid])
    }
}
