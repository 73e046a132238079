import AccountDatabase
import Accounts
import Database
import Synchronization
import Testing
import Tokens

/// Serializable transactions that find no owner of an address, beside a redemption that makes a user with it.
@Suite("Free addresses beside redemptions", .concurrentTransactions)
struct FreeAddressRaceTests {
    private static let email = "new@example.com"
    private static let lock = "tickets of a free address"

    /// A sign-in by a provider that confirms the address, for a person whom no user has yet.
    private static func signIn(presenting token: PresentedToken?) throws -> ProviderSignIn {
        var assertion = ProviderAssertion(provider: "oidc.club", subject: "subject")
        assertion.email = email
        assertion.isEmailVerified = true
        return ProviderSignIn(
            assertion: assertion,
            token: token,
            onConflict: .error,
            uid: try Scene.uid(),
            opening: try Scene.opening(),
            notice: NoticeOpening(ids: try MailIDs()),
            mergeID: try TokenID.random().text
        )
    }

    @Test(arguments: [nil, lock])
    func `a provider is not linked after another call has seen the owner of its address, because of the tickets' lock`(
        without lock: String?
    ) async throws {
        let scene = try Scene(connections: 4, omittedProtections: lock.map { [$0] } ?? [])
        let person = try await scene.account("old@example.com")
        let link = try await scene.link(to: Self.email)
        let linking = try Self.signIn(presenting: person.token)
        let outcome = Mutex<ProviderOutcome?>(nil)
        let held = await HeldTransaction(in: scene) { flows, transaction in
            let found = try flows.signIn(linking, in: transaction)
            outcome.withLock { $0 = found }
        }
        let owner = try await scene.run(isolation: .readCommitted) { try $0.redeemSignInLink(link, in: $1).get() }
        let other = try Self.signIn(presenting: nil)
        // No user has the identity yet, so this call comes before the one that links it.
        let seen = try await held.accompany(scene) { try $0.signIn(other, in: $1) }
        #expect(seen == .needsConfirmation(uid: owner.user.uid, providers: nil))
        let found = outcome.withLock(\.self)
        #expect((found == .conflict(.emailExists)) == (lock == nil), "\(String(describing: found))")
    }

    @Test func `a free address that is being redeemed is looked up again`() async throws {
        let scene = try Scene(connections: 4)
        let person = try await scene.account("old@example.com")
        let link = try await scene.link(to: Self.email)
        let linking = try Self.signIn(presenting: person.token)
        let held = await HeldTransaction(in: scene, isolation: .readCommitted) {
            _ = try $0.redeemSignInLink(link, in: $1).get()
        }
        let runs = Atomic(0)
        async let outcome = scene.run { flows, transaction in
            runs.add(1, ordering: .relaxed)
            return try flows.signIn(linking, in: transaction)
        }
        let deadline = ContinuousClock.now + .seconds(60)
        while runs.load(ordering: .relaxed) < 2, ContinuousClock.now < deadline {
            try await Task.sleep(for: .milliseconds(2))
        }
        try await held.release()
        #expect(try await outcome == .conflict(.emailExists))
        #expect(runs.load(ordering: .relaxed) > 1)
    }
}
