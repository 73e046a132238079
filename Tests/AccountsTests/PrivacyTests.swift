import AccountDatabase
import Accounts
import Database
import Synchronization
import Testing
import Tokens

/// A request for an e-mail does not reveal if an address has an account: the same statements run, whichever user has
/// the address.
@Suite("Privacy of addresses")
struct PrivacyTests {
    /// The flows on a database of their own, with every statement recorded.
    private final class Scene: Sendable {
        let flows: AccountFlows
        private let store: TestStore
        private let noted: Noted

        private final class Noted: Sendable {
            let statements = Mutex<[String]>([])
        }

        init(privacy: Bool) throws {
            let noted = Noted()
            self.noted = noted
            store = try TestStore(onStatement: { text in noted.statements.withLock { $0.append(text) } })
            var policy = Policy()
            policy.emailPrivacy = privacy
            flows = AccountFlows(policy: policy, secrets: try ServerSecrets(text: String(repeating: "s", count: 40)))
        }

        /// Returns the statements of one transaction.
        func statements(
            _ body: @escaping @Sendable (AccountFlows, Transaction) throws -> Void
        ) async throws -> [String] {
            noted.statements.withLock { $0 = [] }
            try await store.database.write { [flows] transaction in try body(flows, transaction) }
            return noted.statements.withLock { $0 }
        }

        /// Makes a user with this address and a session.
        func user(_ email: String) async throws -> PresentedToken {
            let opening = SessionOpening(sid: try TokenID.random().text, rotates: true)
            return try await store.database.write { transaction in
                let uid = String(opening.sid.prefix(20))
                try transaction.insert(User(uid: uid, provenEmail: email, at: transaction.now))
                try transaction.insert(Session(opening, uid: uid, provider: .emailLink, at: transaction.now))
                return PresentedToken(
                    uid: uid,
                    sid: opening.sid,
                    issuedAt: transaction.now / 1000,
                    authTime: transaction.now / 1000,
                    provider: .emailLink,
                    isExpired: false
                )
            }
        }
    }

    private static let asking = AskingDevice(sid: nil, uid: nil, client: "client", name: "", place: nil, locale: "en")

    @Test(arguments: [true, false])
    func `a request for a sign-in e-mail reads no account, and does the same work for known and unknown addresses`(
        privacy: Bool
    ) async throws {
        let scene = try Scene(privacy: privacy)
        _ = try await scene.user("known@example.com")
        var traces: [[String]] = []
        for email in ["known@example.com", "unknown@example.com"] {
            let request = SignInLinkRequest(
                email: try EmailAddress(parsing: email),
                token: nil,
                asking: Self.asking,
                continueURL: nil,
                ids: try MailIDs()
            )
            traces.append(
                try await scene.statements { flows, transaction in
                    _ = try flows.requestSignInLink(request, in: transaction)
                }
            )
        }
        #expect(traces[0] == traces[1])
        #expect(traces[0].contains { $0.hasPrefix("INSERT INTO tickets") }, "the trace sees statements")
        #expect(!traces[0].contains { $0.contains("users") || $0.contains("identities") })
    }

    @Test(arguments: [true, false])
    func `with a session it reads that session's user, and still nothing by address`(privacy: Bool) async throws {
        let scene = try Scene(privacy: privacy)
        let token = try await scene.user("asking@example.com")
        _ = try await scene.user("known@example.com")
        var traces: [[String]] = []
        for email in ["known@example.com", "unknown@example.com", "asking@example.com"] {
            let request = SignInLinkRequest(
                email: try EmailAddress(parsing: email),
                token: token,
                asking: Self.asking,
                continueURL: nil,
                ids: try MailIDs()
            )
            traces.append(
                try await scene.statements { flows, transaction in
                    _ = try flows.requestSignInLink(request, in: transaction)
                }
            )
        }
        #expect(traces[0] == traces[1])
        #expect(traces[0] == traces[2])
        #expect(!traces[0].contains { $0.contains("email = ") })
    }

    @Test func `with privacy a change of address runs the same for taken and free ones`() async throws {
        let scene = try Scene(privacy: true)
        let token = try await scene.user("asking@example.com")
        _ = try await scene.user("taken@example.com")
        var traces: [[String]] = []
        for email in ["taken@example.com", "free@example.com"] {
            let request = EmailActionRequest(
                token: token,
                newEmail: try EmailAddress(parsing: email),
                asking: Self.asking,
                continueURL: nil,
                ids: try MailIDs()
            )
            traces.append(
                try await scene.statements { flows, transaction in
                    _ = try flows.requestEmailAction(request, in: transaction)
                }
            )
        }
        #expect(traces[0] == traces[1])
        #expect(traces[0].contains { $0.hasPrefix("INSERT INTO outbox") })
        #expect(!traces[0].contains { $0.contains("WHERE u.email = ") })
    }
}
