import AccountDatabase
import Accounts
import Database
import Testing
import Tokens

/// Sign-ins by identity providers: which providers are trusted, and what happens when a sign-in fails.
@Suite("Sign-in by identity providers")
struct ProviderSignInTests {
    private static func assertion(
        _ provider: String = "oidc.example",
        _ subject: String = "ann",
        email: String? = "ann@example.com",
        isVerified: Bool = true,
        isTrusted: Bool = true,
        spends: SpentToken? = nil
    ) -> ProviderAssertion {
        var assertion = ProviderAssertion(provider: provider, subject: subject)
        assertion.email = email
        assertion.isEmailVerified = isVerified
        assertion.isEmailTrusted = isTrusted
        assertion.spends = spends
        return assertion
    }

    private static func call(
        _ assertion: ProviderAssertion,
        by person: Scene.Person? = nil,
        onConflict: OnConflict = .error
    ) throws -> ProviderSignIn {
        ProviderSignIn(
            assertion: assertion,
            token: person?.token,
            onConflict: onConflict,
            uid: try Scene.uid(),
            opening: try Scene.opening(),
            notice: NoticeOpening(ids: try MailIDs()),
            mergeID: try TokenID.random().text
        )
    }

    private static func signIn(_ call: ProviderSignIn, _ scene: Scene) async throws -> ProviderOutcome {
        try await scene.run { try $0.signIn(call, in: $1) }
    }

    /// Signs in, which must succeed.
    private static func enter(_ call: ProviderSignIn, _ scene: Scene) async throws -> SignedIn {
        guard case .signedIn(let signedIn, _) = try await signIn(call, scene) else {
            throw DatabaseError(.internal, message: "the sign-in came to something else")
        }
        return signedIn
    }

    // MARK: Trusted providers

    @Test(arguments: [(true, false), (false, true), (false, false)])
    func `an address that no trusted provider has proven leads into no account`(
        isVerified: Bool,
        isTrusted: Bool
    ) async throws {
        let scene = try Scene { $0.emailPrivacy = false }
        let owner = try await scene.account("ann@example.com")
        let guest = try await scene.guest()
        let before = try scene.dump()
        let assertion = Self.assertion(isVerified: isVerified, isTrusted: isTrusted)
        #expect(
            try await Self.signIn(Self.call(assertion), scene) == .needsConfirmation(uid: owner.uid, providers: [])
        )
        for onConflict in [OnConflict.error, .merge] {
            let call = try Self.call(assertion, by: guest, onConflict: onConflict)
            #expect(try await Self.signIn(call, scene) == .conflict(.emailExists))
        }
        #expect(try scene.dump() == before)
    }

    @Test func `the owner of an unproven address takes over the account that got it from an untrusted provider`()
        async throws
    {
        let scene = try Scene()
        let first = try await Self.enter(Self.call(Self.assertion(isTrusted: false)), scene)
        #expect(first.user.email == "ann@example.com")
        #expect(first.user.emailVerifiedAt == nil, "nobody whose word counts has proven it")
        let owner = try await scene.account("ann@example.com")
        #expect(owner.uid == first.user.uid)
        let identities = try scene.database.readNow { try $0.identities(of: owner.uid) }
        #expect(identities.isEmpty)
        let outcome = try await Self.signIn(Self.call(Self.assertion(isTrusted: false)), scene)
        #expect(outcome == .needsConfirmation(uid: owner.uid, providers: nil))
    }

    @Test func `linking does not make an address proven that no trusted provider has proven`() async throws {
        let scene = try Scene()
        let guest = try await scene.guest()
        let linked = try await Self.enter(Self.call(Self.assertion(isTrusted: false), by: guest), scene)
        #expect(linked.user.email == "ann@example.com")
        #expect(linked.user.emailVerifiedAt == nil)
        let again = Self.assertion("oidc.other", isTrusted: false)
        let person = Scene.Person(linked)
        #expect(try await Self.enter(Self.call(again, by: person), scene).user.emailVerifiedAt == nil)
        let trusted = Self.assertion("google.com")
        #expect(try await Self.enter(Self.call(trusted, by: person), scene).user.emailVerifiedAt != nil)
    }

    // MARK: Single-use tokens

    @Test func `a token is spent by the sign-in that succeeds, and by nothing else`() async throws {
        let scene = try Scene()
        let owner = try await scene.account("ann@example.com")
        let guest = try await scene.guest()
        let spends = SpentToken(digest: "digest", expiresAt: scene.now + 3_600_000)
        let unproven = Self.assertion(isTrusted: false, spends: spends)
        let proven = Self.assertion(spends: spends)
        #expect(try await Self.signIn(Self.call(unproven), scene) == .needsConfirmation(uid: owner.uid, providers: nil))
        #expect(try await Self.signIn(Self.call(proven, by: guest), scene) == .conflict(.emailExists))
        try await scene.run { _, transaction in
            var user = try #require(try transaction.user(owner.uid))
            user.disabledAt = 1
            try transaction.update(user)
        }
        await #expect(throws: Refusal(.userDisabled)) { _ = try await Self.signIn(Self.call(proven), scene) }
        try await scene.run { _, transaction in
            var user = try #require(try transaction.user(owner.uid))
            user.disabledAt = nil
            try transaction.update(user)
        }
        #expect(try await Self.enter(Self.call(proven), scene).user.uid == owner.uid)

        let after = try scene.dump()
        let duplicate = Refusal(
            .missingOrInvalidNonce,
            detail: "Duplicate credential received. Please try again with a new credential."
        )
        for call in [
            try Self.call(proven), try Self.call(Self.assertion("oidc.other", "new", email: nil, spends: spends)),
        ] {
            await #expect(throws: duplicate) { _ = try await Self.signIn(call, scene) }
        }
        #expect(try scene.dump() == after)
    }

    // MARK: Suspended guests

    /// Suspends a guest as a merge does while hooks are asked.
    private static func hold(_ guest: String, for target: String, _ scene: Scene) async throws {
        try await scene.run { _, transaction in
            try transaction.prepareMerge("hold", of: guest, into: target, lease: 60_000)
        }
    }

    @Test func `a guest that a merge holds takes no identity`() async throws {
        let scene = try Scene()
        let ann = try await scene.account("ann@example.com")
        let guest = try await scene.guest()
        try await Self.hold(guest.uid, for: ann.uid, scene)
        let before = try scene.dump()
        for onConflict in [OnConflict.error, .merge] {
            let call = try Self.call(Self.assertion(email: "new@example.com"), by: guest, onConflict: onConflict)
            await #expect(throws: Refusal(.mergeInProgress, retryAfter: 1)) { _ = try await Self.signIn(call, scene) }
        }
        let meeting = try Self.call(Self.assertion(), by: guest, onConflict: .merge)
        await #expect(throws: Refusal(.mergeInProgress, retryAfter: 1)) { _ = try await Self.signIn(meeting, scene) }
        #expect(try scene.dump() == before)
    }

    @Test func `a guest in a suspended merge cannot be taken over, whatever address it has set`() async throws {
        let scene = try Scene()
        let ann = try await scene.account("ann@example.com")
        let guest = try await scene.guest()
        try await scene.run { _, transaction in
            var user = try #require(try transaction.user(guest.uid))
            user.email = "bob@example.com"
            try transaction.update(user)
        }
        try await Self.hold(guest.uid, for: ann.uid, scene)
        let link = try await scene.link(to: "bob@example.com")
        let before = try scene.dump()
        let call = try Self.call(Self.assertion(email: "bob@example.com"))
        await #expect(throws: Refusal(.mergeInProgress, retryAfter: 1)) { _ = try await Self.signIn(call, scene) }
        await #expect(throws: Refusal(.mergeInProgress, retryAfter: 1)) { _ = try await scene.redeem(link) }
        #expect(try scene.dump() == before)
    }

    @Test func `hooks are asked before a merge, and until they agree nothing is changed or spent`() async throws {
        let scene = try Scene { $0.hooks = [HookSubscription(hook: "h", events: [.mergePrepare])] }
        let ann = try await scene.account("ann@example.com")
        let guest = try await scene.guest()
        let spends = SpentToken(digest: "digest", expiresAt: scene.now + 3_600_000)
        let call = try Self.call(Self.assertion(spends: spends), by: guest, onConflict: .merge)
        let before = try scene.dump()
        let question = try #require(
            await #expect(throws: MergeAwaitsHooks.self) { _ = try await Self.signIn(call, scene) }
        )
        #expect((question.id, question.guest, question.target) == (call.mergeID, guest.uid, ann.uid))
        #expect(try scene.dump() == before)
        _ = try await scene.run { try $0.suspend(question, lease: 60_000, in: $1) }
        let merged = try await Self.enter(call, scene)
        #expect(merged.user.uid == ann.uid)
        #expect(merged.merged?.guestUID == guest.uid)
        #expect(merged.identities.map(\.subject) == ["ann"])
    }

    // MARK: Faults

    /// The possible outcomes of a sign-in.
    enum Kind: String, CaseIterable, Sendable {
        case create, enter, takeOver, link, merge
    }

    @Test(arguments: Kind.allCases)
    func `whichever statement fails, nothing has changed, and the next try succeeds`(kind: Kind) async throws {
        let scene = try Scene { $0.hooks = [HookSubscription(hook: "h", events: [.userCreated, .userLinked])] }
        let spends = SpentToken(digest: "digest", expiresAt: scene.now + 3_600_000)
        let assertion = Self.assertion(spends: spends)
        var person: Scene.Person?
        switch kind {
        case .create: break
        case .enter: _ = try await scene.account("ann@example.com")
        case .takeOver: _ = try await Self.enter(Self.call(Self.assertion("oidc.other", isTrusted: false)), scene)
        case .link: person = try await scene.guest()
        case .merge:
            _ = try await Self.enter(Self.call(Self.assertion("oidc.other", isTrusted: false)), scene)
            person = try await scene.guest()
        }
        let call = try Self.call(assertion, by: person, onConflict: .merge)
        let before = try scene.dump()
        var failing = 1
        while true {
            let (count, error) = await scene.statements(failing: failing) {
                _ = try await Self.enter(call, scene)
            }
            guard let error else {
                #expect(failing > count)
                break
            }
            try #require((error as? DatabaseError)?.message == Scene.fault.message, "\(error)")
            try #require(try scene.dump() == before, "the statement \(failing) failed, and something is left")
            failing += 1
        }
        #expect(failing > 8, "the sign-in has more statements than the test let fail")
        #expect(try scene.dump() != before)
    }
}
