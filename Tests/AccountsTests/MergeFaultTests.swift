import AccountDatabase
import Accounts
import Database
import Testing
import Tokens

/// A merge either happens completely or not at all, wherever it fails.
@Suite("Failing merges")
struct MergeFaultTests {
    /// Prepares a guest with something of every kind, an account that has some of it too, and the call that merges
    /// them.
    private static func stage(_ scene: Scene) async throws -> (guest: Scene.Person, call: SignInLinkRedemption) {
        let ann = try await scene.account("ann@example.com")
        let guest = try await scene.guest()
        for collection in ["free", "keepExisting", "keepAnonymous", "keepBoth", "deepMerge", "newest"] {
            if collection != "free" { try await scene.set("n", in: collection, to: #"{"a":1}"#, by: ann) }
            try await scene.set("n", in: collection, to: #"{"a":2,"b":3}"#, by: guest)
        }
        try await scene.run { _, transaction in
            try transaction.execute(
                "INSERT INTO usernames (uid, name, canonical, created_at) VALUES (\(guest.uid), 'Guest', 'guest', 0)"
            )
            var user = try #require(try transaction.user(guest.uid))
            user.displayName = "Guest"
            try transaction.update(user)
        }
        return (guest, try await scene.redemption(of: "ann@example.com", by: guest, onConflict: .merge))
    }

    private static func scene() throws -> Scene {
        try Scene { policy in
            policy.documentMerges.collections = [
                "keepAnonymous": .keepAnonymous, "keepBoth": .keepBoth, "deepMerge": .deepMerge(winner: .anonymous),
                "newest": .newest,
            ]
        }
    }

    @Test(arguments: [true, false])
    func `whichever statement fails, and with whatever, nothing has changed, and the next try merges`(alone: Bool)
        async throws
    {
        let scene = try Self.scene()
        let (guest, call) = try await Self.stage(scene)
        let before = try scene.dump()
        @Sendable func merge() async throws {
            let merged = try await scene.run(alone: alone) { try $0.redeemSignInLink(call, in: $1).get().merged }
            #expect(merged?.guestUID == guest.uid)
        }
        // Fails before the first statement, between any two, and after the last, where the commit would follow.
        var failing = 1
        while true {
            let (count, error) = await scene.statements(failing: failing, merge)
            guard let error else {
                #expect(failing > count)
                break
            }
            try #require((error as? DatabaseError)?.message == Scene.fault.message)
            try #require(try scene.dump() == before, "the statement \(failing) failed, and something is left")
            failing += 1
        }
        #expect(failing > 25, "the merge has more statements than the test let fail")
        let after = try scene.dump()
        #expect(!after.contains { $0.hasPrefix("users|") && $0.contains(guest.uid) })
        #expect(after.count { $0.hasPrefix("merges|") } == 1)
        #expect(after.count { $0.hasPrefix("former_users|") && $0.contains(guest.uid) } == 1)
        let again = try await scene.redeem(call)
        #expect(again.merged?.isRepeated == true)
    }

    @Test(arguments: [true, false])
    func `a commit that fails undoes the merge`(alone: Bool) async throws {
        let scene = try Self.scene()
        let (_, call) = try await Self.stage(scene)
        try await scene.run { _, transaction in
            try transaction.execute(
                "CREATE TABLE strict_notes (owner TEXT REFERENCES users (uid) DEFERRABLE INITIALLY DEFERRED)"
            )
            // The row that the trigger inserts only fails at the commit, after the guest's rows have been moved.
            switch transaction.dialect {
            case .sqlite:
                try transaction.execute(
                    "CREATE TRIGGER farewell AFTER DELETE ON users BEGIN INSERT INTO strict_notes VALUES ('nobody'); END"
                )
            case .postgreSQL:
                try transaction.execute(
                    """
                    CREATE FUNCTION farewell() RETURNS trigger LANGUAGE plpgsql AS
                    $$ BEGIN INSERT INTO strict_notes VALUES ('nobody'); RETURN NULL; END $$
                    """
                )
                try transaction.execute(
                    "CREATE TRIGGER farewell AFTER DELETE ON users FOR EACH ROW EXECUTE FUNCTION farewell()"
                )
            }
        }
        let before = try scene.dump()
        await #expect(throws: DatabaseError.self) {
            try await scene.run(alone: alone) { _ = try $0.redeemSignInLink(call, in: $1) }
        }
        #expect(try scene.dump() == before)
    }
}
