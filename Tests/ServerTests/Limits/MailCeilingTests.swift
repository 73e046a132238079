import Database
import JSON
import Network
import Testing

@testable import Accounts
@testable import Server

@Suite("Ceiling on the installation's e-mails")
struct MailCeilingTests {
    private static let limits = [
        "LIMITS_MAILS_PER_MINUTE": "20", "LIMITS_LINKS_PER_CLIENT": "100000", "LIMITS_MAILS_PER_CLIENT": "100000",
        "LIMITS_MAILS_PER_ADDRESS": "1000",
    ]

    private static func ask(
        _ server: TestServer,
        to email: String = "ann@example.com",
        from source: String? = nil,
        idToken: String? = nil
    ) throws -> Answer {
        var members = JSONObject()
        members.append("requestType", "EMAIL_SIGNIN")
        members.append("email", .string(email))
        if let idToken { members.append("idToken", .string(idToken)) }
        return try server.call("accounts:sendOobCode", .object(members), from: source)
    }

    /// Returns by how many milliseconds each e-mail ranks behind the moment when it was queued.
    private static func delays(_ server: TestServer) throws -> [Int64] {
        try server.withDatabase { transaction in
            try transaction.all("SELECT rank - created_at FROM outbox ORDER BY id") {
                try $0.integer(0) % MailRank.span
            }
        }
    }

    private static func expectRefusal(_ answer: Answer, _ comment: Comment? = nil) {
        #expect(answer.code == "TOO_MANY_ATTEMPTS_TRY_LATER", comment)
        #expect(answer.status == 429, comment)
        let seconds = answer.header("retry-after").flatMap { Int($0) } ?? 0
        #expect((1...61).contains(seconds), comment)
    }

    @Test func `a flood from one network is refused first, and no first mail before its tenth`() async throws {
        try await TestServer.run(Self.limits) { server in
            let ann = try server.signIn("ann@example.com")
            let guest = try server.guest()
            server.clock.freezeAtMinute()
            for number in 0..<10 { #expect(try Self.ask(server, from: "127.0.0.\(number + 1)").status == 200) }
            Self.expectRefusal(try Self.ask(server, from: "127.0.0.99"), "from half of the ceiling on")
            Self.expectRefusal(try Self.ask(server, from: "127.0.0.99", idToken: guest.idToken), "a new guest's")
            for number in 1...10 {
                #expect(try Self.ask(server, from: "127.0.\(number).1").status == 200, "a first mail")
            }
            Self.expectRefusal(try Self.ask(server, from: "127.0.11.1"), "at the ceiling")
            #expect(try Self.ask(server, from: "127.0.11.1", idToken: ann.idToken).status == 200, "with history")
            let byAdministrator = try server.admin(
                "accounts:sendOobCode",
                ["requestType": "EMAIL_SIGNIN", "email": "ann@example.com"]
            )
            #expect(byAdministrator.status == 200, "\(byAdministrator.text)")
            server.clock.advance(seconds: 60)
            #expect(try Self.ask(server, from: "127.0.0.99").status == 200, "in the next minute")
        }
    }

    @Test func `requests with history have a ceiling, too, and the page asks as all do`() async throws {
        try await TestServer.run(Self.limits.merging(["LIMITS_MAILS_PER_MINUTE": "1"]) { $1 }) { server in
            let asked = try server.askForLink("ann@example.com")
            let ann = try Tokens(server.redeem(asked.oobCode, "ann@example.com"))
            server.clock.freezeAtMinute()
            let link = try server.askForLink("ann@example.com")
            server.clock.advance(seconds: 900)
            server.clock.freezeAtMinute()
            #expect(try Self.ask(server).status == 200)
            let resent = try server.answerLink(link.oobCode, "resend")
            #expect(resent.status == 429, "\(resent.text)")
            #expect(resent.header("retry-after") != nil)
            #expect(try Self.ask(server, idToken: ann.idToken).status == 200)
            Self.expectRefusal(try Self.ask(server, idToken: ann.idToken))
            server.clock.advance(seconds: 60)
            let known = try server.messages().count
            #expect(try server.answerLink(link.oobCode, "resend").status == 200)
            _ = try server.message(after: known)
            Self.expectRefusal(try Self.ask(server), "the page's mail counts")
        }
    }

    @Test func `refused requests use up no ceiling`() async throws {
        let limits = Self.limits.merging(["LIMITS_MAILS_PER_ADDRESS": "4"]) { $1 }
        try await TestServer.run(limits) { server in
            server.clock.freezeAtMinute()
            for _ in 0..<2 { #expect(try Self.ask(server).status == 200) }
            // Beyond the address's limit for unknown clients, and so no e-mails.
            for _ in 0..<40 { #expect(try Self.ask(server).status == 429) }
            // A refused request gives its place back at its end, which may come after the answer.
            let ceiling = server.instance.services.mailCeiling, now = server.clock.now()
            try server.eventually("the places are given back") {
                ceiling.place(for: .loopback, at: now).traffic.earlier == 2
            }
            for number in 0..<8 { #expect(try Self.ask(server, to: "b\(number)@example.com").status == 200) }
            let delays = try Self.delays(server)
            #expect(delays == (0..<10).map { $0 * 1000 })
            Self.expectRefusal(try Self.ask(server, to: "bob@example.com"), "the eleventh")
        }
    }

    @Test func `a reset of the state forgets what was asked for`() async throws {
        try await TestServer.run(Self.limits.merging(["LIMITS_MAILS_PER_MINUTE": "1"]) { $1 }) { server in
            server.clock.freezeAtMinute()
            #expect(try Self.ask(server).status == 200)
            Self.expectRefusal(try Self.ask(server))
            let reset = try server.send("DELETE", "/emulator/v1/projects/demo-latchkey/state")
            #expect(reset.status == 200, "\(reset.text)")
            #expect(try Self.ask(server).status == 200)
            #expect(try Self.delays(server) == [0])
        }
    }

    @Test func `the share falls from all to half between a network's first and tenth mail`() {
        #expect(
            (1...12).map { MailCeiling.share(of: $0, in: 1800) } == [
                1800, 1700, 1600, 1500, 1400, 1300, 1200, 1100, 1000, 900, 900, 900,
            ]
        )
        #expect(MailCeiling.share(of: 10, in: 1) == 1)
    }
}
