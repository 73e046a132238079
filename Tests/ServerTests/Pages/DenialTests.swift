import JSON
import Testing

/// The effects of "This wasn't me" on the client that asked.
@Suite("Denials")
struct DenialTests {
    private static let office = "203.0.113.7"

    private static func ask(
        _ server: TestServer,
        _ email: String,
        from client: String = office,
        idToken: String? = nil
    ) throws -> Answer {
        var body = JSONObject()
        body.append("requestType", "EMAIL_SIGNIN")
        body.append("email", .string(email))
        if let idToken { body.append("idToken", .string(idToken)) }
        return try server.call("accounts:sendOobCode", .object(body), headers: KnownClientTests.from(client))
    }

    /// Where an owner denies a request.
    enum Channel: CaseIterable {
        /// On the page behind the link.
        case page
        /// In an app, by `accounts:denySignInLink`.
        case call
    }

    /// Requests a link and denies it as the owner of the address.
    private static func askAndDeny(
        _ server: TestServer,
        _ email: String,
        from client: String = office,
        idToken: String? = nil,
        by channel: Channel = .page
    ) throws {
        let asked = try server.askForLink(email, idToken: idToken, headers: KnownClientTests.from(client))
        let owner = KnownClientTests.from("192.0.2.99")
        switch channel {
        case .page: #expect(try server.answerLink(asked.oobCode, "deny", headers: owner).status == 200)
        case .call: #expect(try server.denyLink(asked.oobCode, headers: owner).status == 200)
        }
    }

    @Test func `three denials do not block an office`() async throws {
        try await TestServer.runInProduction(KnownClientTests.production) { server in
            for name in ["a", "b", "c", "d"] { try Self.askAndDeny(server, "\(name)@example.com") }
            for name in ["e", "f", "g", "h", "i", "j", "k"] {
                #expect(try Self.ask(server, "\(name)@example.com").status == 200)
            }
        }
    }

    @Test(arguments: Channel.allCases)
    func `a denial stops exactly the client that asked, for a day`(_ channel: Channel) async throws {
        try await TestServer.runInProduction(KnownClientTests.production) { server in
            try Self.askAndDeny(server, "victim@gmail.com", by: channel)
            let refused = try Self.ask(server, "victim@gmail.com")
            #expect(refused.status == 429)
            #expect(refused.code == "TOO_MANY_ATTEMPTS_TRY_LATER")
            let seconds = refused.header("retry-after").flatMap { Int($0) } ?? 0
            #expect((80_000...86_400).contains(seconds))
            #expect(try Self.ask(server, "v.ictim+x@googlemail.com").status == 429, "the same mailbox")
            #expect(try Self.ask(server, "other@gmail.com").status == 200, "another address")
            #expect(try Self.ask(server, "victim@gmail.com", from: "203.0.113.8").status == 200, "another client")
            server.clock.advance(seconds: 86_000)
            #expect(try Self.ask(server, "victim@gmail.com").status == 429)
            server.clock.advance(seconds: 500)
            #expect(try Self.ask(server, "victim@gmail.com").status == 200, "a day later")
        }
    }

    @Test(arguments: Channel.allCases)
    func `a denial stops the session that asked wherever it asks from`(_ channel: Channel) async throws {
        try await TestServer.runInProduction(KnownClientTests.production) { server in
            let guest = try server.guest(headers: KnownClientTests.from(Self.office))
            try Self.askAndDeny(server, "victim@example.com", idToken: guest.idToken, by: channel)
            let elsewhere = "198.51.100.1"
            #expect(try Self.ask(server, "victim@example.com", from: elsewhere, idToken: guest.idToken).status == 429)
            #expect(try Self.ask(server, "victim@example.com", from: elsewhere).status == 200)
            #expect(try Self.ask(server, "other@example.com", from: elsewhere, idToken: guest.idToken).status == 200)
        }
    }

    @Test func `a denial does not stop a client that the address signed in from, only the session`() async throws {
        try await TestServer.runInProduction(KnownClientTests.production) { server in
            _ = try KnownClientTests.signIn(server, "victim@example.com", from: Self.office)
            try server.eventually("the client is known") { try KnownClientTests.rows(server) == 1 }
            let guest = try server.guest(headers: KnownClientTests.from(Self.office))
            try Self.askAndDeny(server, "victim@example.com", idToken: guest.idToken)
            #expect(try Self.ask(server, "victim@example.com", idToken: guest.idToken).status == 429)
            #expect(try Self.ask(server, "victim@example.com").status == 200)
        }
    }

    @Test func `after so many denied addresses a client without history gets five mails an hour`() async throws {
        let settings = KnownClientTests.production.merging(["LIMITS_DENIALS_PER_CLIENT": "3"]) { $1 }
        try await TestServer.runInProduction(settings) { server in
            let user = try KnownClientTests.signIn(server, "colleague@example.com", from: Self.office)
            for name in ["a", "b"] { try Self.askAndDeny(server, "\(name)@example.com") }
            for name in 0..<7 { #expect(try Self.ask(server, "before\(name)@example.com").status == 200) }
            try server.waitUntilMailsAreFinished()
            try Self.askAndDeny(server, "c@example.com")
            for number in 0..<5 { #expect(try Self.ask(server, "new\(number)@example.com").status == 200) }
            let refused = try Self.ask(server, "new9@example.com")
            #expect(refused.status == 429)
            let seconds = refused.header("retry-after").flatMap { Int($0) } ?? 0
            #expect((3_000...3_601).contains(seconds), "an hour from the last denial, whatever the clock says")
            #expect(try Self.ask(server, "new9@example.com", idToken: user.idToken).status == 200, "with history")
            #expect(try Self.ask(server, "new8@example.com", from: "203.0.113.8").status == 200, "another client")
            server.clock.advance(seconds: 3_601)
            for number in 0..<7 { #expect(try Self.ask(server, "later\(number)@example.com").status == 200) }
        }
    }

    @Test func `an address that denies again and again counts once`() async throws {
        let settings = KnownClientTests.production.merging(["LIMITS_DENIALS_PER_CLIENT": "2"]) { $1 }
        try await TestServer.runInProduction(settings) { server in
            let first = try server.askForLink("ann@example.com", headers: KnownClientTests.from(Self.office))
            let second = try server.askForLink("ann+x@example.com", headers: KnownClientTests.from(Self.office))
            for asked in [first, second] { #expect(try server.answerLink(asked.oobCode, "deny").status == 200) }
            for number in 0..<7 { #expect(try Self.ask(server, "new\(number)@example.com").status == 200) }
        }
    }

    @Test func `development stops no asker`() async throws {
        try await TestServer.run { server in
            for _ in 0..<12 {
                let asked = try server.askForLink("ann@example.com")
                #expect(try server.answerLink(asked.oobCode, "deny").status == 200)
            }
        }
    }
}
