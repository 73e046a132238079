import Accounts
import Database
import JSON
import SMTPHarness
import Testing

@testable import AccountDatabase
@testable import Server

@Suite("Order of e-mails")
struct MailQueueTests {
    /// Limits for single clients and addresses that no test reaches.
    private static let open = [
        "LIMITS_LINKS_PER_CLIENT": "100000", "LIMITS_MAILS_PER_CLIENT": "100000", "LIMITS_MAILS_PER_ADDRESS": "1000",
        "LIMITS_GUESTS_PER_CLIENT": "1000",
    ]

    private static func ask(
        _ server: TestServer,
        _ email: String,
        idToken: String? = nil,
        from source: String? = nil
    ) throws -> Answer {
        var members = JSONObject()
        members.append("requestType", "EMAIL_SIGNIN")
        members.append("email", .string(email))
        if let idToken { members.append("idToken", .string(idToken)) }
        return try server.call("accounts:sendOobCode", .object(members), from: source)
    }

    /// Returns the ranks of all e-mails in the order of their requests.
    private static func ranks(_ server: TestServer) throws -> [Int64] {
        try server.withDatabase { transaction in
            try transaction.all("SELECT rank FROM outbox ORDER BY id") { try $0.integer(0) }
        }
    }

    /// Returns by how many milliseconds each e-mail ranks behind the moment when it was queued.
    private static func delays(_ server: TestServer) throws -> [Int64] {
        try server.withDatabase { transaction in
            try transaction.all("SELECT rank - created_at FROM outbox ORDER BY id") {
                try $0.integer(0) % MailRank.span
            }
        }
    }

    private static func kind(_ rank: Int64) -> MailRank.Kind? { MailRank.Kind(rawValue: rank / MailRank.span) }

    @Test func `one machine's three thousand mails do not delay the next user's`() async throws {
        try await TestServer.runInProduction(Self.open.merging(["LIMITS_MAILS_PER_MINUTE": "100000"]) { $1 }) {
            server in
            // Few mails leave before all are asked for, because each takes ten seconds and more.
            server.smtp?.faults = .slow(.seconds(2))
            for number in 0..<250 { #expect(try Self.ask(server, "a\(number)@example.com").status == 200) }
            #expect(try Self.ask(server, "user@example.com", from: "127.0.7.1").status == 200)
            let before = try server.messages().count
            server.smtp?.faults = .slow(.milliseconds(25))
            try server.eventually("the user's mail arrives") {
                try server.messages().contains { $0.to == "user@example.com" }
            }
            // Two of the attacker's batches may have been leased before, each of which is half a second of work.
            let place = try #require(try server.messages().firstIndex { $0.to == "user@example.com" })
            #expect(place - before <= 45, "sent behind \(place - before) mails of others")
        }
    }

    @Test func `each mail that a network asks for in a minute ranks a second later, also when all come at once`()
        async throws
    {
        try await TestServer.run { server in
            server.clock.freezeAtMinute()
            let body: JSONValue = ["requestType": "EMAIL_SIGNIN", "email": "ann@example.com"]
            let answers = try server.callAtOnce((0..<30).map { _ in ("accounts:sendOobCode", body) })
            #expect(answers.allSatisfy { $0.status == 200 })
            #expect(try Self.delays(server).sorted() == (0..<30).map { $0 * 1000 })
            #expect(try Self.ask(server, "bob@example.com", from: "127.0.7.1").status == 200)
            #expect(try Self.delays(server).last == 0, "another network")
            server.clock.advance(seconds: 60)
            #expect(try Self.ask(server, "bob@example.com").status == 200)
            #expect(try Self.delays(server).last == 0, "in the next minute")
        }
    }

    @Test func `a session's history speaks for five mails an hour`() async throws {
        try await TestServer.run { server in
            let ann = try server.signIn("ann@example.com")
            for _ in 0..<6 { #expect(try Self.ask(server, "x@example.com", idToken: ann.idToken).status == 200) }
            let kinds = try Self.ranks(server).map(Self.kind)
            #expect(kinds == [.unknown] + Array(repeating: .known, count: 5) + [.unknown])
            // A new session of the same user has five of its own, and so has this one an hour later.
            try server.waitUntilMailsAreFinished()
            let again = try server.signIn("ann@example.com")
            #expect(try Self.ask(server, "x@example.com", idToken: again.idToken).status == 200)
            #expect(try Self.ranks(server).last.flatMap(Self.kind) == .known)
            server.clock.advance(seconds: 3500)
            let refreshed = try server.refresh(ann.refreshToken)["id_token"]
            server.clock.advance(seconds: 200)
            #expect(try Self.ask(server, "ann@example.com", idToken: refreshed).status == 200)
            #expect(try Self.ranks(server).last.flatMap(Self.kind) == .known)
        }
    }

    @Test func `a new guest has no history, one that was used after an hour has`() async throws {
        try await TestServer.run { server in
            let guest = try server.guest()
            #expect(try Self.ask(server, "x@example.com", idToken: guest.idToken).status == 200)
            server.clock.advance(seconds: 3605)
            let refreshed = try server.refresh(guest.refreshToken)["id_token"]
            #expect(try Self.ask(server, "ann@example.com", idToken: refreshed).status == 200)
            #expect(try Self.ranks(server).map(Self.kind) == [.unknown, .known])
        }
    }

    @Test func `a notice of a changed address ranks first`() async throws {
        try await TestServer.run { server in
            let ann = try server.signIn("ann@example.com")
            let known = try server.messages().count
            let change: JSONValue = ["idToken": .string(ann.idToken), "email": "b@example.com"]
            #expect(try server.call("accounts:update", change).status == 200)
            #expect(try server.message(after: known).parameter("mode") == "recoverEmail")
            #expect(try Self.ranks(server).map(Self.kind) == [.unknown, .notice])
        }
    }

    @Test func `of every two mails taken while both kinds wait, one was asked for without history`() {
        var turns = MailTurns()
        let first = turns.shares(of: 13, waiting: [.notice: 2, .known: 100, .unknown: 100])
        #expect(first == [.notice: 2, .known: 5, .unknown: 6])
        #expect(turns.shares(of: 13, waiting: [.notice: 2, .known: 100, .unknown: 3])[.known] == 8)
        #expect(turns.shares(of: 13, waiting: [.notice: 2, .known: 1, .unknown: 100])[.unknown] == 10)
        #expect(
            turns.shares(of: 3, waiting: [.notice: 9, .known: 1, .unknown: 1]) == [.notice: 3, .known: 0, .unknown: 0]
        )
        func rows(_ kind: MailRank.Kind, _ count: Int) -> [LeasedRow] {
            (0..<count).reversed().map { number in
                let rank = kind.first + Int64(number)
                return LeasedRow(id: rank, mail: "", payload: "", attempts: 0, rank: rank)
            }
        }
        // One at a time, as is also the case after an outage.
        var order: [MailRank.Kind?] = []
        for _ in 0..<6 {
            let shares = turns.shares(of: 1, waiting: [.known: 9, .unknown: 9])
            order += turns.order(
                shares.mapValues { _ in [] }.merging(
                    shares.filter { $0.value > 0 }.map { ($0.key, rows($0.key, 1)) }
                ) { $1 }
            ).map { Self.kind($0.rank) }
        }
        #expect(order == [.unknown, .known, .unknown, .known, .unknown, .known])
        let batch = turns.order([.notice: rows(.notice, 2), .known: rows(.known, 2), .unknown: rows(.unknown, 4)])
        #expect(
            batch.map { Self.kind($0.rank) } == [
                .notice, .notice, .unknown, .known, .unknown, .known, .unknown, .unknown,
            ]
        )
        for kind in MailRank.Kind.allCases {
            let ranks = batch.map(\.rank).filter { Self.kind($0) == kind }
            #expect(ranks == ranks.sorted(), "the lowest rank first")
        }
    }

    @Test func `mails that the released version queued go first`() async throws {
        try await TestServer.runInProduction(Self.open) { server in
            server.smtp?.faults = .transient(451, first: 1)
            // The server does not pause for a greylisted e-mail, so an e-mail without a rank is leased when it is due.
            #expect(try Self.ask(server, "ann@example.com").status == 200)
            try server.eventually("the mail is put off") {
                try Self.ranks(server).first.map { $0 >= MailRank.postponed } == true
            }
            try server.withDatabase { try $0.execute("UPDATE outbox SET rank = 0, due_at = 0") }
            #expect(try server.message(after: 0).to == "ann@example.com")
        }
    }
}
