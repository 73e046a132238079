import Database
import JSON
import Testing

/// The reserve of a mailbox's e-mails for clients that its address signed in from.
@Suite("Known clients")
struct KnownClientTests {
    static let production = ["TRUSTED_PROXIES": "127.0.0.1"]

    static func from(_ client: String) -> [String] { ["X-Forwarded-For: \(client)"] }

    static func ask(_ server: TestServer, _ email: String, from client: String) throws -> Answer {
        try server.call(
            "accounts:sendOobCode",
            ["requestType": "EMAIL_SIGNIN", "email": .string(email)],
            headers: from(client)
        )
    }

    /// Signs in from a client behind the proxy.
    static func signIn(_ server: TestServer, _ email: String, from client: String) throws -> Tokens {
        let asked = try server.askForLink(email, headers: from(client))
        return try Tokens(server.redeem(asked.oobCode, email, headers: from(client)))
    }

    static func rows(_ server: TestServer) throws -> Int64 {
        try server.withDatabase { try $0.first("SELECT count(*) FROM known_clients") { try $0.integer(0) } ?? 0 }
    }

    private static func expect(_ count: Int64, _ server: TestServer) throws {
        try server.eventually("\(count) known clients") { try rows(server) == count }
    }

    @Test func `400 e-mails to victim plus N at gmail count as one mailbox`() async throws {
        try await TestServer.runInProduction(Self.production) { server in
            server.clock.startHour()
            var accepted = try (0..<400).count { number in
                let address = ["vic.tim+\(number)@gmail.com", "victim+\(number)@googlemail.com"][number % 2]
                return try Self.ask(server, address, from: "2001:db8:\(String(number, radix: 16))::1").status == 200
            }
            #expect(accepted == 5)
            for _ in 0..<23 {
                server.clock.advance(seconds: 3600)
                accepted += try (0..<5).count { number in
                    try Self.ask(server, "victim+\(number)@gmail.com", from: "2001:db8:\(number)::2").status == 200
                }
            }
            // Two days at most, because the test may begin at any hour.
            #expect((15...30).contains(accepted), "\(accepted) in 24 hours")
        }
    }

    @Test func `addresses of one mailbox stay those of different users`() async throws {
        try await TestServer.run { server in
            let first = try server.signIn("ann@gmail.com"), second = try server.signIn("ann+x@gmail.com")
            #expect(first.uid != second.uid)
        }
    }

    @Test func `ten requests an hour by strangers leave the owner's share of e-mails`() async throws {
        try await TestServer.runInProduction(Self.production) { server in
            server.clock.startHour()
            _ = try Self.signIn(server, "victim@example.com", from: "203.0.113.7")
            try Self.expect(1, server)
            for hour in 0..<8 {
                let accepted = try (0..<10).count { number in
                    try Self.ask(server, "victim@example.com", from: "198.51.\(hour).\(number)").status == 200
                }
                #expect(accepted <= 5)
                let own = try Self.ask(server, "victim@example.com", from: "203.0.113.7")
                #expect(own.status == 200, "hour \(hour)")
                let neighbour = try Self.ask(server, "victim@example.com", from: "203.0.113.8")
                #expect(neighbour.status == 429, "a neighbour is a stranger")
                server.clock.advance(seconds: 3600)
            }
        }
    }

    @Test func `code and approval make a client known, and an IPv6 client is its network`() async throws {
        try await TestServer.runInProduction(Self.production) { server in
            server.clock.startHour()
            let headers = Self.from("2001:db8:7::1")
            let asked = try server.askForLink("ann@example.com", headers: headers)
            try server.waitUntilMailsAreFinished()
            let body: JSONValue = ["ticket": .string(asked.ticket), "code": .string(asked.mail.digits)]
            #expect(try server.call("accounts:signInWithTicket", body, headers: headers).status == 200)
            try Self.expect(1, server)
            for number in 0..<5 { _ = try Self.ask(server, "ann@example.com", from: "198.51.100.\(number)") }
            #expect(try Self.ask(server, "ann@example.com", from: "198.51.100.9").status == 429)
            #expect(try Self.ask(server, "ann@example.com", from: "2001:db8:7::2").status == 200)
            #expect(try Self.ask(server, "ann@example.com", from: "2001:db8:7:1::1").status == 429)
        }
    }

    @Test func `an address keeps eight known clients`() async throws {
        try await TestServer.run { server in
            for number in 1...10 { _ = try server.signIn("ann@example.com", from: "127.0.0.\(number)") }
            try Self.expect(8, server)
        }
    }

    @Test func `what waits is stored when the server stops`() async throws {
        try await TestServer.run { server in
            _ = try server.signIn("ann@example.com")
            server.stop(within: .seconds(30))
            try server.restarted { again in
                let count = try Self.rows(again)
                #expect(count == 1)
            }
        }
    }

    @Test func `they go with the account`() async throws {
        try await TestServer.run { server in
            let ann = try server.signIn("ann@example.com")
            let bob = try server.signIn("bob@example.com")
            try Self.expect(2, server)
            #expect(try server.call("accounts:delete", ["idToken": .string(ann.idToken)]).status == 200)
            #expect(try Self.rows(server) == 1)
            let answer = try server.admin("accounts:delete", ["localId": .string(bob.uid)])
            #expect(answer.status == 200)
            #expect(try Self.rows(server) == 0)
        }
    }

    @Test func `they go with a change of address, whatever changes it`() async throws {
        try await TestServer.run { server in
            func signedIn(_ email: String) throws -> Tokens {
                // Waits for the notice of the previous change, so that it is not mistaken for the next link.
                try server.waitUntilMailsAreFinished()
                let tokens = try server.signIn(email)
                try Self.expect(1, server)
                return tokens
            }
            var ann = try signedIn("a@example.com")
            var body: JSONValue = ["idToken": .string(ann.idToken), "email": "b@example.com"]
            #expect(try server.call("accounts:update", body).status == 200)
            #expect(try Self.rows(server) == 0, "the user's own change")

            ann = try signedIn("c@example.com")
            body = ["localId": .string(ann.uid), "email": "d@example.com"]
            #expect(try server.admin("accounts:update", body).status == 200)
            #expect(try Self.rows(server) == 0, "an administrator's change")

            ann = try signedIn("e@example.com")
            body = ["localId": .string(ann.uid), "deleteAttribute": ["EMAIL"]]
            #expect(try server.admin("accounts:update", body).status == 200)
            #expect(try Self.rows(server) == 0, "an administrator's removal")

            ann = try signedIn("f@example.com")
            let known = try server.messages().count
            body = [
                "requestType": "VERIFY_AND_CHANGE_EMAIL", "idToken": .string(ann.idToken), "newEmail": "g@example.com",
            ]
            #expect(try server.call("accounts:sendOobCode", body).status == 200)
            let code = try server.message(after: known).oobCode
            #expect(try server.call("accounts:update", ["oobCode": .string(code)]).status == 200)
            #expect(try Self.rows(server) == 0, "a mailed change")

            ann = try signedIn("h@example.com")
            try server.waitUntilMailsAreFinished()
            let linked = try server.redeem(
                server.askForLink("i@example.com").oobCode,
                "i@example.com",
                idToken: ann.idToken
            )
            #expect(linked["localId"] == ann.uid)
            try server.eventually("the new address alone is known") { try Self.rows(server) == 1 }
        }
    }

    @Test func `a reset of the state forgets them and the counters`() async throws {
        try await TestServer.run { server in
            _ = try server.signIn("ann@example.com")
            try Self.expect(1, server)
            #expect(try server.send("DELETE", "/emulator/v1/projects/demo-latchkey/state").status == 200)
            #expect(try Self.rows(server) == 0)
        }
    }
}
