import AccountDatabase
import Accounts
import Database
import Testing

/// Requests for e-mails that share a transaction, and the counters of which are added up.
@Suite("Counters of requests that share a transaction", .concurrentTransactions)
struct SummedCounterTests {
    private static func request(_ email: String, from client: String) throws -> SignInLinkRequest {
        SignInLinkRequest(
            email: try EmailAddress(parsing: email),
            token: nil,
            asking: AskingDevice(sid: nil, uid: nil, client: client, name: "", place: nil, locale: "en"),
            continueURL: nil,
            ids: try MailIDs()
        )
    }

    private static let policy: @Sendable (inout Policy) -> Void = { policy in
        policy.mailsPerAddress = .hourly(6)
        policy.mailsPerAddressDaily = .daily(9)
        policy.mailsPerClient = .hourly(11)
    }

    /// Makes an address known to a client, as a sign-in does.
    private static func signIn(_ email: String, from client: String, _ scene: Scene) async throws {
        let person = try await scene.account(email)
        let known = KnownClient(uid: person.uid, email: email, client: client)
        try await scene.run { try $0.remember([try $0.record(of: known)], in: $1) }
    }

    /// The counters that are not zero.
    private func counters(_ scene: Scene) async throws -> [String] {
        try await scene.database.read { transaction in
            try transaction.all("SELECT name, used FROM limits WHERE used <> 0 ORDER BY name") {
                "\(try $0.text(0)) \(try $0.integer(1))"
            }
        }
    }

    private func count(_ table: SQL, _ scene: Scene) async throws -> Int64 {
        try await scene.database.read { try $0.first("SELECT count(*) FROM \(table)") { try $0.integer(0) } ?? 0 }
    }

    @Test(arguments: 0..<12)
    func `requests together get the answers that they get one by one, and leave the same counters`(
        seed: UInt64
    ) async throws {
        var random = SplitMix(seed: seed)
        let together = try Scene(connections: 2, Self.policy), alone = try Scene(connections: 2, Self.policy)
        for scene in [together, alone] { try await Self.signIn("ann@example.com", from: "home", scene) }
        var answers: [String] = [], expected: [String] = []
        for _ in 0..<6 {
            let batch = try (0..<Int.random(in: 1...16, using: &random)).map { _ in
                try Self.request(
                    ["ann@example.com", "ann+1@example.com", "bob@example.com", "eve@example.com"]
                        .randomElement(using: &random) ?? "",
                    from: ["home", "work", "office"].randomElement(using: &random) ?? ""
                )
            }
            let results = try await together.run(isolation: .readCommitted) { try $0.requestSignInLinks(batch, in: $1) }
            for result in results {
                switch try #require(result) {
                case .success(let ticket): answers.append("\(ticket.email) \(ticket.trustedAt != nil)")
                case .failure(let error): answers.append("\((error as? Refusal)?.code.rawValue ?? "\(error)")")
                }
            }
            for request in batch {
                do {
                    let ticket = try await alone.run(isolation: .readCommitted) {
                        try $0.requestSignInLink(request, in: $1)
                    }
                    expected.append("\(ticket.email) \(ticket.trustedAt != nil)")
                } catch let refusal as Refusal {
                    expected.append(refusal.code.rawValue)
                }
            }
        }
        #expect(answers == expected)
        #expect(Set(answers).count > 2)
        #expect(try await counters(together) == counters(alone))
        for table in ["tickets", "action_codes", "outbox", "mail_trace"] as [SQL] {
            #expect(try await count(table, together) == count(table, alone))
        }
    }

    @Test func `requests of a client that many addresses denied go alone`() async throws {
        let scene = try Scene(connections: 2)
        try await scene.run { flows, transaction in
            try transaction.restart("denied-often:office", ifBegunBy: transaction.now)
        }
        let batch = [
            try Self.request("a@example.com", from: "office"), try Self.request("b@example.com", from: "home"),
        ]
        let results = try await scene.run(isolation: .readCommitted) { try $0.requestSignInLinks(batch, in: $1) }
        #expect(results[0] == nil)
        #expect(try results[1]?.get().email == "b@example.com")
        #expect(try await counters(scene).allSatisfy { !$0.contains("office") })
    }

    @Test func `a counter that is held for long delays its own client alone`() async throws {
        let scene = try Scene(connections: 4)
        let first = try Self.request("first@example.com", from: "office")
        _ = try await scene.run(isolation: .readCommitted) { try $0.requestSignInLink(first, in: $1) }
        let held = await HeldTransaction(in: scene, isolation: .readCommitted) { _, transaction in
            try transaction.enqueue("SELECT 1 FROM limits WHERE name = 'mails:office' FOR UPDATE")
        }
        let flows = scene.flows, database = scene.database
        @Sendable func ask(_ email: String, from client: String) async throws -> Ticket {
            let request = try Self.request(email, from: client)
            return try await withCheckedThrowingContinuation { continuation in
                database.writeShared(
                    "ask",
                    isolation: .readCommitted,
                    request,
                    key: client,
                    together: { requests, transaction in
                        try flows.requestSignInLinks(requests, in: transaction).map { result in
                            result.map { .answered($0) } ?? .postponed
                        }
                    },
                    alone: { try flows.requestSignInLink($0, in: $1) },
                    completion: { continuation.resume(with: $0) }
                )
            }
        }
        async let waiting = ask("second@example.com", from: "office")
        // These may share a transaction with the one that waits.
        for number in 0..<20 {
            #expect(try await ask("\(number)@example.com", from: "home-\(number)").mailState == .queued)
        }
        _ = try await held.accompany(scene, isolation: .readCommitted) { _, _ in }
        #expect(try await waiting.email == "second@example.com")
    }
}
