import AccountDatabase
import Database
import JSON
import Server
import Testing

@Suite("Challenges")
struct ChallengeTests {
    private static let proxied = ["TRUSTED_PROXIES": "127.0.0.1"]
    private static func settings(_ more: [String: String] = [:]) -> [String: String] {
        proxied.merging(["LIMITS_GUESTS_PER_CLIENT": "8", "LIMITS_GUESTS_PER_MINUTE": "20"]) { $1 }.merging(more) { $1 }
    }

    private static func signUp(_ server: TestServer, _ client: String, _ headers: [String] = []) throws -> Answer {
        try server.call("accounts:signUp", headers: [TestServer.forwarded(client)] + headers)
    }

    private static func mail(_ address: String) -> JSONValue {
        ["requestType": "EMAIL_SIGNIN", "email": .string(address)]
    }

    /// Creates enough guests to make the installation require challenges, from networks that a test does not use.
    private static func makeLoad(_ server: TestServer, guests: Int = 20) throws {
        for number in 0..<guests { #expect(try signUp(server, "203.\(number / 250).\(number % 250).1").status == 200) }
    }

    @Test func `sign-ups from one /48 stop at its reduced budget, while another network signs up`() async throws {
        try await TestServer.runInProduction(Self.settings()) { server in
            server.clock.freezeAtHour()
            // Each guest from a different /56, so that only the budget of the /48 is used up.
            let answers = try (0..<250).map { try Self.signUp(server, "2001:db8:1:\(String($0 << 8, radix: 16))::1") }
            let codes = answers.map(\.code)
            #expect(codes.filter { $0 == "ok" }.count == 20, "a quarter of 4 × 8 is used up when the load begins")
            #expect(codes.suffix(230).allSatisfy { $0 == "CHALLENGE_REQUIRED" })
            for _ in 0..<2 { #expect(try Self.signUp(server, "2001:db8:2::1").status == 200, "another network") }
            #expect(try Self.signUp(server, "2001:db8:2::1").code == "CHALLENGE_REQUIRED", "a quarter of 8")
            #expect(try Self.signUp(server, "198.51.100.1").status == 200, "never zero")
        }
    }

    @Test func `a solved challenge restores the whole budget and no more`() async throws {
        try await TestServer.runInProduction(Self.settings()) { server in
            server.clock.freezeAtHour()
            try Self.makeLoad(server)
            let client = "198.51.100.1"
            for _ in 0..<2 { #expect(try Self.signUp(server, client).status == 200) }
            for _ in 0..<6 {
                let challenge = try AskedChallenge(Self.signUp(server, client))
                #expect(try Self.signUp(server, client, [challenge.solution()]).status == 200)
            }
            let last = try Self.signUp(server, client)
            #expect(last.code == "TOO_MANY_ATTEMPTS_TRY_LATER", "nothing to gain by work any more")
            #expect(last.json["error"]?["challenge"] == nil)
        }
    }

    @Test func `a challenge says what to compute and until when`() async throws {
        try await TestServer.runInProduction(Self.settings()) { server in
            server.clock.freezeAtHour()
            try Self.makeLoad(server)
            let challenge = try server.challenge(client: "198.51.100.1")
            #expect(
                challenge.json.object?.members.map(\.name) == ["algorithm", "challenge", "difficulty", "expiresAt"]
            )
            #expect(challenge.json["algorithm"] == "SHA-256")
            #expect(challenge.text.utf8.count == 76)
            #expect(challenge.json["expiresAt"]?.string?.hasSuffix("Z") == true)
        }
    }

    @Test func `work rises to four times with the load, from half a second of a phone`() async throws {
        #expect(InstanceEnvironment().challengeDifficulty == 19)
        try await TestServer.runInProduction(Self.settings()) { server in
            server.clock.freezeAtHour()
            try Self.makeLoad(server)
            let client = "198.51.100.1"
            let first = try server.challenge(client: client).difficulty
            try Self.makeLoadElsewhere(server, until: 40)
            #expect(try server.challenge(client: client).difficulty == first + 1)
            try Self.makeLoadElsewhere(server, until: 80)
            #expect(try server.challenge(client: client).difficulty == first + 2)
            try Self.makeLoadElsewhere(server, until: 200)
            #expect(try server.challenge(client: client).difficulty == first + 2, "never more")
        }
    }

    /// Creates guests, each from a different network, until there are this many.
    private static func makeLoadElsewhere(_ server: TestServer, until count: Int64) throws {
        let present = Int(try server.withDatabase { try $0.userCount() })
        for number in present..<Int(count) { #expect(try signUp(server, "192.\(number).2.1").status == 200) }
    }

    @Test func `a solution works once, also when it is sent many times at once`() async throws {
        try await TestServer.runInProduction(Self.settings(["LIMITS_GUESTS_PER_CLIENT": "100"])) { server in
            server.clock.freezeAtHour()
            try Self.makeLoad(server)
            let client = "198.51.100.1"
            let challenge = try server.challenge(client: client)
            let before = try server.withDatabase { try $0.userCount() }
            let call = (name: "accounts:signUp", body: JSONValue.object(JSONObject()))
            let answers = try server.callAtOnce(
                Array(repeating: call, count: 10),
                headers: [TestServer.forwarded(client), challenge.solution()]
            )
            #expect(answers.filter { $0.status == 200 }.count == 1, "\(answers.map(\.code))")
            #expect(answers.filter { $0.code == "CHALLENGE_REQUIRED" }.count == 9)
            #expect(try server.withDatabase { try $0.userCount() } == before + 1)
            let again = try Self.signUp(server, client, [challenge.solution()])
            let next = try AskedChallenge(again)
            #expect(next.text != challenge.text)
            #expect(try Self.signUp(server, client, [next.solution()]).status == 200, "the next challenge is good")
        }
    }

    @Test func `nodes spend a solution once`() async throws {
        let settings = Self.settings(["CHALLENGE": "always"]).filter { $0.key != "TRUSTED_PROXIES" }
        try await TestServer.runNodes(2, settings) { nodes in
            nodes[0].clock.freezeAtHour()
            let challenge = try AskedChallenge(nodes[0].call("accounts:signUp"))
            let solution = try challenge.solution()
            #expect(try nodes[1].call("accounts:signUp", headers: [solution]).status == 200)
            #expect(try nodes[0].call("accounts:signUp", headers: [solution]).code == "CHALLENGE_REQUIRED")
        }
    }

    @Test func `a solution is no good for another client, another call, too late or wrong`() async throws {
        try await TestServer.runInProduction(Self.settings(["LIMITS_LINKS_PER_CLIENT": "8"])) { server in
            server.clock.freezeAtHour()
            try Self.makeLoad(server)
            let one = "198.51.100.1", two = "198.51.101.1"
            let challenge = try server.challenge(client: one)
            _ = try server.challenge(client: two)
            #expect(try Self.signUp(server, two, [challenge.solution()]).code == "CHALLENGE_REQUIRED", "another client")
            let wrong = try Self.signUp(server, one, [challenge.solution(isRight: false)])
            #expect(wrong.code == "CHALLENGE_REQUIRED", "a wrong solution")
            let mails = try server.challenge("accounts:sendOobCode", Self.mail("ann@example.com"), client: one)
            let crossed = [
                try Self.signUp(server, one, [mails.solution()]),
                try server.call(
                    "accounts:sendOobCode",
                    Self.mail("bob@example.com"),
                    headers: [TestServer.forwarded(one), challenge.solution()]
                ),
            ]
            #expect(crossed.map(\.code) == ["CHALLENGE_REQUIRED", "CHALLENGE_REQUIRED"], "another call")
            #expect(try Self.signUp(server, one, [challenge.solution()]).status == 200, "it was good all the time")

            let late = try server.challenge(client: one)
            server.clock.advance(seconds: 121)
            try Self.makeLoadElsewhere(server, until: server.withDatabase { try $0.userCount() } + 20)
            #expect(
                try Self.signUp(server, one, [late.solution()]).code == "CHALLENGE_REQUIRED",
                "two minutes are over"
            )
        }
    }

    @Test func `a network that used up its reduced e-mail budget solves a challenge for each further e-mail`()
        async throws
    {
        try await TestServer.runInProduction(Self.settings(["LIMITS_LINKS_PER_CLIENT": "8"])) { server in
            server.clock.freezeAtHour()
            let client = "198.51.100.1"
            func ask(_ number: Int, _ headers: [String] = []) throws -> Answer {
                try server.call(
                    "accounts:sendOobCode",
                    Self.mail("ann\(number)@example.com"),
                    headers: [TestServer.forwarded(client)] + headers
                )
            }
            for number in 0..<3 { #expect(try ask(number).status == 200, "no load") }
            try Self.makeLoad(server)
            let challenge = try AskedChallenge(ask(3))
            let known = try server.messages().count
            #expect(try ask(3, [challenge.solution()]).status == 200)
            _ = try server.message(after: known)
            #expect(try ask(4, [challenge.solution()]).code == "CHALLENGE_REQUIRED", "spent")
            server.clock.advance(seconds: 60)
            #expect(try ask(5).status == 200, "a minute later there is no load")
        }
    }

    @Test func `a refused request leaves its solution unspent`() async throws {
        try await TestServer.runInProduction(Self.settings(["LIMITS_MAILS_PER_ADDRESS": "2"])) { server in
            server.clock.freezeAtHour()
            try Self.makeLoad(server)
            let client = "198.51.100.1"
            let challenge = try server.challenge(client: client)
            #expect(
                try Self.signUp(server, client, [challenge.solution(), "Idempotency-Key: short"]).code
                    == "INVALID_IDEMPOTENCY_KEY"
            )
            #expect(try Self.signUp(server, client, [challenge.solution()]).status == 200)
        }
    }

    @Test func `a repetition of a sign-up needs no second solution once it is let in`() async throws {
        try await TestServer.runInProduction(Self.settings(["CHALLENGE": "always"])) { server in
            server.clock.freezeAtHour()
            let key = "Idempotency-Key: \(String(repeating: "k", count: 43))", client = "198.51.100.1"
            let solution = try server.challenge(client: client).solution()
            let first = try Self.signUp(server, client, [key, solution])
            let again = try Self.signUp(server, client, [key, solution])
            #expect(first.status == 200 && again.status == 200, "\(again.text)")
            #expect(first["localId"] == again["localId"])
        }
    }

    @Test func `always asks every client but an administrator, and the start says so`() async throws {
        let key = "an-administrators-key-of-more-than-32-bytes"
        try await TestServer.runInProduction(Self.settings(["CHALLENGE": "always", "ADMIN_KEY": key])) { server in
            server.clock.freezeAtHour()
            #expect(server.instance.announcements.contains { $0.contains("Firebase") && $0.contains("challenge") })
            let client = "198.51.100.1"
            _ = try AskedChallenge(Self.signUp(server, client))
            let mails = try server.challenge("accounts:sendOobCode", Self.mail("ann@example.com"), client: client)
            #expect(
                try server.call(
                    "accounts:sendOobCode",
                    Self.mail("ann@example.com"),
                    headers: [TestServer.forwarded(client), mails.solution()]
                ).status == 200
            )
            let bearer = "Authorization: Bearer \(key)"
            #expect(try Self.signUp(server, client, [bearer]).status == 200)
            #expect(
                try server.call("accounts:sendOobCode", Self.mail("bob@example.com"), headers: [bearer]).status == 200
            )
        }
        try await TestServer.runInProduction(Self.settings()) { server in
            server.clock.freezeAtHour()
            #expect(!server.instance.announcements.contains { $0.contains("challenge") })
        }
    }

    @Test func `off asks no client, and neither does development`() async throws {
        try await TestServer.runInProduction(Self.settings(["CHALLENGE": "off"])) { server in
            server.clock.freezeAtHour()
            try Self.makeLoad(server)
            for _ in 0..<8 { #expect(try Self.signUp(server, "198.51.100.1").status == 200) }
        }
        try await TestServer.run(["LIMITS_GUESTS_PER_CLIENT": "8", "LIMITS_GUESTS_PER_MINUTE": "1"]) { server in
            server.clock.freezeAtHour()
            for _ in 0..<8 { _ = try server.guest() }
        }
    }

    @Test func `resetting a development server forgets load and spent solutions`() async throws {
        let settings = ["LIMITS_GUESTS_PER_CLIENT": "4", "LIMITS_GUESTS_PER_MINUTE": "2", "CHALLENGE": "load"]
        try await TestServer.run(settings) { server in
            server.clock.freezeAtHour()
            for _ in 0..<2 { _ = try server.guest() }
            _ = try AskedChallenge(server.call("accounts:signUp"))
            let reset = try server.send("DELETE", "/emulator/v1/projects/demo-latchkey/state")
            #expect(reset.status == 200)
            for _ in 0..<2 { _ = try server.guest() }
        }
    }
}
