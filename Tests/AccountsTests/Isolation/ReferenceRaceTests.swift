import AccountDatabase
import Accounts
import Database
import Testing

/// Insertions of rows with a foreign key to a user.
@Suite("Rows that refer to one user, inserted at once", .concurrentTransactions)
struct ReferenceRaceTests {
    enum Kind: CaseIterable {
        case identity, restoredIdentity, methodChange
    }

    // The foreign key alone locks the user's row in a mode that two transactions may hold at once. Each would then wait
    // for the other when it changes the user.
    @Test(arguments: Kind.allCases)
    func `an insertion waits for another one's transaction, because it locks the user`(_ kind: Kind) async throws {
        let scene = try Scene(connections: 4)
        let uid = try await scene.guest().uid
        let held = await HeldTransaction(in: scene) { try Self.insert(kind, of: uid, at: "first.example", in: $1) }
        let other = try await held.precede(scene, isolation: .serializable) {
            try Self.insert(kind, of: uid, at: "second.example", in: $1)
        }
        try other.get()
    }

    private static func insert(_ kind: Kind, of uid: String, at provider: String, in transaction: Transaction) throws {
        let identity = Identity(uid: uid, provider: provider, subject: "1")
        let linked = LinkedIdentity(identity, linkedAt: transaction.now)
        switch kind {
        case .identity: try transaction.put(identity)
        case .restoredIdentity: try transaction.restore(linked)
        case .methodChange:
            try transaction.insert(
                MethodChange(
                    .removed,
                    linked,
                    code: "code",
                    device: "",
                    changedAt: transaction.now,
                    expiresAt: transaction.now + 1000
                )
            )
        }
        try transaction.flush()
    }
}
