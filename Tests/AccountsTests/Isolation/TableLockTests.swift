import AccountDatabase
import Accounts
import Database
import Synchronization
import Testing
import Tokens

/// The isolations with which a closure ran.
final class Isolations: Sendable {
    private let list = Mutex<[Isolation]>([])

    var all: [Isolation] { list.withLock { $0 } }

    func add(_ isolation: Isolation) {
        list.withLock { $0.append(isolation) }
    }
}

/// Rare transactions that wait for all those at READ COMMITTED that they could meet.
@Suite("Locks of whole tables", .concurrentTransactions)
struct TableLockTests {
    @Test func `clean-up finds the guests whose sign-up was in progress when it was switched on`() async throws {
        let scene = try Scene(connections: 4)
        let signUp = GuestSignUp(
            ids: GuestIDs(uid: try Scene.uid(), sid: try TokenID.random().text),
            rotates: true
        )
        let held = await HeldTransaction(in: scene, isolation: .readCommitted) {
            _ = try $0.signUpAnonymously(signUp, in: $1)
        }
        var change = CleanupChange()
        change.isOn = true
        let changed = try await held.precede(scene, isolation: .serializable) { [change] in
            try $0.change(change, in: $1)
        }
        #expect(try changed.get().isOn)
        let order = SweepOrder(worker: "w")
        let batch = try await scene.run(alone: true) { try $0.sweep(order, in: $1) }
        #expect(batch.scheduled == 1)
    }
}
