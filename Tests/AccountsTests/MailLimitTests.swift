import AccountDatabase
import Accounts
import Database
import PostgreSQLHarness
import Testing
import Tokens

/// The limits of e-mails when requests arrive concurrently.
@Suite("Limits on e-mails")
struct MailLimitTests {
    private static func request(_ email: String, from client: String) throws -> SignInLinkRequest {
        SignInLinkRequest(
            email: try EmailAddress(parsing: email),
            token: nil,
            asking: AskingDevice(sid: nil, uid: nil, client: client, name: "", place: nil, locale: "en"),
            continueURL: nil,
            ids: try MailIDs()
        )
    }

    /// Sends requests concurrently and counts those that were accepted.
    private static func accepted(
        _ requests: [(email: String, client: String)],
        _ scene: Scene
    ) async throws -> Int {
        try await withThrowingTaskGroup(of: Bool.self) { group in
            for (email, client) in requests {
                let request = try request(email, from: client)
                group.addTask { [flows = scene.flows, database = scene.database] in
                    do {
                        _ = try await database.write { try flows.requestSignInLink(request, in: $0) }
                        return true
                    } catch let refusal as Refusal {
                        guard refusal.code == .tooManyAttempts else { throw refusal }
                        return false
                    }
                }
            }
            return try await group.reduce(0) { $0 + ($1 ? 1 : 0) }
        }
    }

    /// Makes an address known to a client, as a sign-in does.
    private static func signIn(_ email: String, from client: String, _ scene: Scene) async throws {
        let person = try await scene.account(email)
        let known = KnownClient(uid: person.uid, email: email, client: client)
        try await scene.run { try $0.remember([try $0.record(of: known)], in: $1) }
    }

    @Test func `requests at once never exceed what a mailbox gets`() async throws {
        let scene = try Scene(connections: 8)
        let strangers = (0..<60).map { (email: "v.ic.tim+\($0)@gmail.com", client: "stranger-\($0 % 20)") }
        #expect(try await Self.accepted(strangers, scene) == 5)
        #expect(try await Self.accepted([("victim@googlemail.com", "another")], scene) == 0)
    }

    @Test func `requests at once of strangers and known clients never exceed what a mailbox gets`() async throws {
        let scene = try Scene(connections: 8) { $0.mailsPerAddress = .hourly(20) }
        for client in ["home", "work", "phone"] { try await Self.signIn("ann@example.com", from: client, scene) }
        let all = (0..<90).map { number in
            (
                email: "ann@example.com",
                client: number.isMultiple(of: 2) ? "stranger-\(number)" : ["home", "work", "phone"][number % 3]
            )
        }
        // Three sign-ins used three of the ten e-mails for unknown clients.
        #expect(try await Self.accepted(all, scene) == 17)
    }

    @Test func `one client never exceeds its half, also where it is known`() async throws {
        let scene = try Scene(connections: 8)
        try await Self.signIn("ann@example.com", from: "home", scene)
        #expect(try await Self.accepted(Array(repeating: ("ann@example.com", "home"), count: 20), scene) == 5)
    }

    @Test func `a sign-in makes its own address known, and no other one of the mailbox`() async throws {
        let scene = try Scene { $0.mailsPerAddress = .hourly(4) }
        try await Self.signIn("ann@example.com", from: "home", scene)
        // The sign-in counted as that of an unknown client.
        #expect(try await Self.accepted([("ann@example.com", "stranger")], scene) == 1)
        #expect(try await Self.accepted([("ann@example.com", "another")], scene) == 0)
        #expect(try await Self.accepted([("ann+x@example.com", "home")], scene) == 0)
        #expect(try await Self.accepted([("ann@example.com", "home")], scene) == 1)
    }

    @Test func `a client that was last seen 90 days ago is a stranger`() async throws {
        for (days, expected) in [(89 as Int64, 1), (91, 0)] {
            let scene = try Scene { $0.mailsPerAddress = .hourly(2) }
            try await Self.signIn("ann@example.com", from: "home", scene)
            scene.advance(milliseconds: days * 86_400_000)
            #expect(try await Self.accepted([("ann@example.com", "stranger")], scene) == 1)
            #expect(try await Self.accepted([("ann@example.com", "home")], scene) == expected, "after \(days) days")
        }
    }

    @Test func `a record is renewed once it is older than a day`() async throws {
        let scene = try Scene()
        let person = try await scene.account("ann@example.com")
        let record = try scene.flows.record(of: KnownClient(uid: person.uid, email: "ann@example.com", client: "home"))
        func seen() throws -> [Int64] {
            try scene.database.readNow { try $0.all("SELECT last_seen_at FROM known_clients") { try $0.integer(0) } }
        }
        try await scene.run { try $0.remember([record], in: $1) }
        let first = try seen()
        scene.advance(milliseconds: 86_000_000)
        try await scene.run { try $0.remember([record, record], in: $1) }
        #expect(try seen() == first)
        scene.advance(milliseconds: 1_000_000)
        try await scene.run { try $0.remember([record], in: $1) }
        #expect(try seen() == [scene.now])
    }

    @Test func `an address keeps eight clients, the newest`() async throws {
        let scene = try Scene { $0.mailsPerAddress = .hourly(10_000) }
        let ann = try await scene.account("ann@example.com")
        let bob = try await scene.account("bob@example.com")
        for number in 0..<12 {
            for (person, email) in [(ann, "ann@example.com"), (bob, "bob@example.com")] {
                let known = KnownClient(uid: person.uid, email: email, client: "client-\(number)")
                try await scene.run { try $0.remember([try $0.record(of: known)], in: $1) }
            }
        }
        let counts = try scene.database.readNow { transaction in
            try transaction.all("SELECT count(*) FROM known_clients GROUP BY address") { try $0.integer(0) }
        }
        #expect(counts == [8, 8])
        let known = try await (0..<12).asyncFilter { number in
            let client = KnownClient(uid: ann.uid, email: "ann@example.com", client: "client-\(number)")
            return try await scene.run { try $1.isKnownClient(try $0.record(of: client).client) }
        }
        #expect(known == Array(4..<12))
    }

    @Test func `nothing is stored of a user who is gone or has another address`() async throws {
        let scene = try Scene()
        let person = try await scene.account("ann@example.com")
        let flows = scene.flows
        let gone = try flows.record(of: KnownClient(uid: "gone", email: "ann@example.com", client: "home"))
        let other = try flows.record(of: KnownClient(uid: person.uid, email: "old@example.com", client: "home"))
        try await scene.run { try $0.remember([gone, other], in: $1) }
        #expect(try scene.database.readNow { try $0.contents(of: "known_clients") } == [])
    }

    @Test func `a rotation of the secret forgets clients, and deletion finds what older secrets stored`() async throws {
        let scene = try Scene { $0.mailsPerAddress = .hourly(2) }
        try await Self.signIn("ann@example.com", from: "home", scene)
        let both = String(repeating: "t", count: 40) + "\n" + Scene.secret
        let rotated = AccountFlows(policy: Policy(), secrets: try ServerSecrets(text: both))
        let record = try rotated.record(of: KnownClient(uid: "", email: "ann@example.com", client: "home"))
        let isKnown = try scene.database.readNow { try $0.isKnownClient(record.client) }
        #expect(!isKnown)
        try await scene.database.write { transaction in
            let user = try #require(try transaction.user(email: "ann@example.com"))
            try rotated.delete(user, because: .operator, in: transaction)
        }
        #expect(try scene.database.readNow { try $0.contents(of: "known_clients") } == [])
    }
}

extension Sequence {
    /// Returns the elements for which an asynchronous condition holds.
    fileprivate func asyncFilter(_ isIncluded: (Element) async throws -> Bool) async rethrows -> [Element] {
        var result: [Element] = []
        for element in self where try await isIncluded(element) { result.append(element) }
        return result
    }
}

extension Transaction {
    /// Whether an address has signed in from a client.
    fileprivate func isKnownClient(_ knownClient: String) throws -> Bool {
        try first("SELECT 1 FROM known_clients WHERE client = \(knownClient)") { _ in true } ?? false
    }
}
