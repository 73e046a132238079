import Accounts
import Database
import JSON
import Testing
import Tokens

@Suite("Changes of sign-in methods and their notices")
struct MethodChangeTests {
    enum Change: String, CaseIterable, Sendable {
        case link, unlink, removeAddress, revert
    }

    private static func assertion(_ subject: String) -> ProviderAssertion {
        ProviderAssertion(provider: "oidc.example", subject: subject)
    }

    private static func link(_ scene: Scene, _ person: Scene.Person, notice: MailIDs) async throws {
        let call = ProviderSignIn(
            assertion: assertion("ann"),
            token: person.token,
            onConflict: .error,
            uid: try Scene.uid(),
            opening: try Scene.opening(),
            notice: NoticeOpening(ids: notice),
            mergeID: try TokenID.random().text
        )
        guard case .signedIn = try await scene.run({ try $0.signIn(call, in: $1) }) else {
            throw DatabaseError(.internal, message: "the identity was not linked")
        }
    }

    @Test(arguments: Change.allCases)
    func `whichever statement fails, neither the change nor its notice is there`(change: Change) async throws {
        let scene = try Scene()
        let ann = try await scene.account("ann@example.com")
        let first = try MailIDs()
        if change != .link { try await Self.link(scene, ann, notice: first) }
        let ids = try MailIDs(), opening = try Scene.opening()
        var update = ProfileUpdate()
        update.deletesEmail = change == .removeAddress
        update.deletedProviders = ["oidc.example"]
        let profile = update
        let code = ActionCode(
            id: first.actionCode,
            purpose: .revertMethodChange,
            expiry: (scene.now + scene.flows.policy.recoverLinkLife) / 1000
        )
        let before = try scene.dump()
        var failing = 1
        while true {
            let (count, error) = await scene.statements(failing: failing) {
                switch change {
                case .link: try await Self.link(scene, ann, notice: ids)
                case .unlink, .removeAddress:
                    _ = try await scene.run {
                        try $0.updateProfile(
                            profile,
                            of: ann.token,
                            opening: opening,
                            notice: NoticeOpening(ids: ids),
                            in: $1
                        )
                    }
                case .revert: _ = try await scene.run { try $0.revertMethodChange(code, in: $1) }
                }
            }
            guard let error else {
                #expect(failing > count)
                break
            }
            try #require((error as? DatabaseError)?.message == Scene.fault.message, "\(error)")
            try #require(try scene.dump() == before, "the statement \(failing) failed, and something is left")
            failing += 1
        }
        #expect(failing > 6, "the change has more statements than the test let fail")
        let after = try scene.dump()
        let notices = after.count { $0.hasPrefix("outbox|") && $0.contains("method-") }
        #expect(notices == (change == .link || change == .revert ? 1 : 2))
    }

    /// Nodes are upgraded one by one, and a worker that cannot read an e-mail fails it.
    @Test(arguments: MailKind.allCases.filter { $0 != .signInLink })
    func `a queued mail is read by this version as it was, and by the released one as a kind that it knows`(
        kind: MailKind
    ) throws {
        let scene = try Scene()
        let mail = QueuedMail(id: "mail", kind: kind, to: "ann@example.com", locale: "en", queuedAt: 1)
        let sealed = try scene.flows.seal(mail)
        #expect(try scene.flows.open(sealed, mail: "mail") == mail)
        let bytes = try Sealer(ServerSecrets(text: Scene.secret))
            .open(sealed, table: "outbox", column: "payload", row: "mail")
        let stored = try JSONValue.parse(String(decoding: bytes, as: UTF8.self))["kind"]?.string
        let released: Set = ["sign-in", "verify-email", "change-email", "email-changed", "email-in-use"]
        #expect(stored.map(released.contains) == true)
        if released.contains(kind.rawValue) { #expect(stored == kind.rawValue) }
    }
}
