import JSON
import Testing

@Suite("Limits")
struct LimitTests {
    private static func ask(
        _ server: TestServer,
        _ email: String,
        headers: [String] = [],
        from source: String? = nil
    ) throws -> Answer {
        try server.call(
            "accounts:sendOobCode",
            ["requestType": "EMAIL_SIGNIN", "email": .string(email)],
            headers: headers,
            from: source
        )
    }

    private static func expectRefusal(_ answer: Answer, _ comment: Comment? = nil) {
        #expect(answer.status == 429, comment)
        #expect(answer.code == "TOO_MANY_ATTEMPTS_TRY_LATER", comment)
        let seconds = answer.header("retry-after").flatMap { Int($0) } ?? 0
        #expect((1...86_401).contains(seconds), comment)
    }

    @Test func `a client makes as many dry runs of merges an hour as guests`() async throws {
        try await TestServer.run(["LIMITS_GUESTS_PER_CLIENT": "3"]) { server in
            server.clock.startHour()
            let ann = try server.signIn("ann@example.com")
            let guest = try server.guest()
            func merge(_ isDryRun: Bool) throws -> Answer {
                try server.call(
                    "accounts:merge",
                    [
                        "idToken": .string(ann.idToken), "anonymousIdToken": .string(guest.idToken),
                        "dryRun": .bool(isDryRun),
                    ]
                )
            }
            for _ in 0..<3 { #expect(try merge(true).status == 200) }
            Self.expectRefusal(try merge(true))
            let report: JSONValue = [
                "email": "ann@example.com", "oobCode": .string(try server.askForLink("ann@example.com").oobCode),
                "idToken": .string(guest.idToken), "onConflict": "report",
            ]
            Self.expectRefusal(try server.call("accounts:signInWithEmailLink", report))
            #expect(try merge(false).status == 200, "a merge is not counted")
        }
    }

    @Test func `an address gets so many mails an hour, strangers together half of them`() async throws {
        try await TestServer.run(["LIMITS_MAILS_PER_ADDRESS": "4"]) { server in
            server.clock.startHour()
            #expect(try Self.ask(server, "ann@example.com").status == 200)
            #expect(try Self.ask(server, "ann@example.com", from: "127.0.0.2").status == 200, "another client")
            Self.expectRefusal(try Self.ask(server, " ANN@example.com"), "half of them")
            Self.expectRefusal(try Self.ask(server, "ann@example.com", from: "127.0.0.3"), "half of them")
            #expect(try Self.ask(server, "bob@example.com").status == 200, "another address")
            server.clock.advance(seconds: 3600)
            for _ in 0..<2 { #expect(try Self.ask(server, "ann@example.com").status == 200, "an hour later") }
        }
    }

    @Test func `the count of an address holds over a restart`() async throws {
        try await TestServer.run(["LIMITS_MAILS_PER_ADDRESS": "2"]) { server in
            server.clock.startHour()
            #expect(try Self.ask(server, "ann@example.com").status == 200)
            try server.restarted { again in Self.expectRefusal(try Self.ask(again, "ann@example.com")) }
        }
    }

    @Test func `a refused request is not counted and sends nothing`() async throws {
        try await TestServer.run(["LIMITS_MAILS_PER_ADDRESS": "8", "LIMITS_MAILS_PER_CLIENT": "6"]) { server in
            server.clock.startHour()
            for _ in 0..<4 { _ = try server.askForLink("ann@example.com") }
            for _ in 0..<20 { Self.expectRefusal(try Self.ask(server, "ann@example.com")) }
            for _ in 0..<2 { #expect(try Self.ask(server, "bob@example.com").status == 200, "its own count stands") }
            _ = try server.message(after: 5)
            #expect(try server.messages().count == 6)
        }
    }

    @Test func `a change of address counts against the new one`() async throws {
        try await TestServer.run(["LIMITS_MAILS_PER_ADDRESS": "2"]) { server in
            server.clock.startHour()
            let ann = try server.signIn("ann@example.com")
            let body: JSONValue = [
                "requestType": "VERIFY_AND_CHANGE_EMAIL", "idToken": .string(ann.idToken),
                "newEmail": "new@example.com",
            ]
            #expect(try server.call("accounts:sendOobCode", body).status == 200)
            Self.expectRefusal(try server.call("accounts:sendOobCode", body))
            Self.expectRefusal(try Self.ask(server, "new@example.com"))
        }
    }

    @Test func `one client never uses up the instance's mails`() async throws {
        try await TestServer.run(["LIMITS_MAILS_PER_CLIENT": "3"]) { server in
            server.clock.startHour()
            for name in ["a", "b", "c"] { #expect(try Self.ask(server, "\(name)@example.com").status == 200) }
            Self.expectRefusal(try Self.ask(server, "d@example.com"))
            #expect(try Self.ask(server, "d@example.com", from: "127.0.0.2").status == 200)
        }
    }

    @Test func `a client makes so many guests an hour`() async throws {
        try await TestServer.run(["LIMITS_GUESTS_PER_CLIENT": "3"]) { server in
            server.clock.startHour()
            for _ in 0..<3 { _ = try server.guest() }
            Self.expectRefusal(try server.call("accounts:signUp"))
            _ = try server.guest(from: "127.0.0.2")
            server.clock.advance(seconds: 3600)
            _ = try server.guest()
        }
    }

    @Test func `a client asks for so many links an hour`() async throws {
        try await TestServer.run(["LIMITS_LINKS_PER_CLIENT": "3"]) { server in
            server.clock.startHour()
            for name in ["a", "b", "c"] { #expect(try Self.ask(server, "\(name)@example.com").status == 200) }
            Self.expectRefusal(try Self.ask(server, "d@example.com"))
            #expect(try Self.ask(server, "d@example.com", from: "127.0.0.2").status == 200)
        }
    }

    @Test func `a client guesses so often an hour, whatever it guesses`() async throws {
        try await TestServer.run(["LIMITS_FAILURES_PER_CLIENT": "6"]) { server in
            server.clock.startHour()
            let guest = try server.guest(from: "127.0.0.2")
            let asked = try server.askForLink("ann@example.com")
            #expect(try server.redeem("x", "ann@example.com").code == "INVALID_OOB_CODE")
            #expect(try server.redeemTicket("x").code == "INVALID_TICKET")
            #expect(try server.refresh("x").code == "INVALID_REFRESH_TOKEN")
            #expect(try server.lookup("x").code == "INVALID_ID_TOKEN")
            #expect(try server.queryLink("x").code == "INVALID_OOB_CODE")
            #expect(try server.denyLink("x").code == "INVALID_OOB_CODE")
            Self.expectRefusal(try server.redeem("x", "ann@example.com"))
            Self.expectRefusal(try server.queryLink("x"))
            Self.expectRefusal(try server.denyLink("x"))
            Self.expectRefusal(try server.redeemTicket("x"))
            Self.expectRefusal(try server.refresh("x"))
            Self.expectRefusal(try server.lookup("x"))
            #expect(try server.redeem("x", "ann@example.com", from: "127.0.0.2").code == "INVALID_OOB_CODE")
            #expect(try server.refresh(guest.refreshToken).status == 200)
            #expect(try server.queryLink(asked.oobCode).status == 200)
            #expect(try server.redeem(asked.oobCode, "ann@example.com").status == 200)
        }
    }

    @Test func `success, waiting and calls that guess nothing count nothing`() async throws {
        try await TestServer.run(["LIMITS_FAILURES_PER_CLIENT": "1"]) { server in
            server.clock.startHour()
            let asked = try server.askForLink("ann@example.com")
            for _ in 0..<5 {
                #expect(try server.redeemTicket(asked.ticket).code == "TICKET_PENDING")
                #expect(try server.call("accounts:lookup").code == "MISSING_ID_TOKEN")
            }
            #expect(try server.redeem(asked.oobCode, "ann@example.com").status == 200)
        }
    }

    @Test func `X-Forwarded-For counts from a trusted proxy only`() async throws {
        let limit = ["LIMITS_GUESTS_PER_CLIENT": "1", "TRUSTED_PROXIES": "127.0.0.1"]
        try await TestServer.runInProduction(limit) { server in
            server.clock.startHour()
            func status(_ forwarded: String, from source: String? = nil) throws -> Int {
                try server.call("accounts:signUp", headers: ["X-Forwarded-For: \(forwarded)"], from: source).status
            }
            let direct = try [status("203.0.113.1"), status("203.0.113.1"), status("203.0.113.2")]
            #expect(direct == [200, 429, 200])
            let prefixed = try status("198.51.100.9, 203.0.113.2")
            #expect(prefixed == 429, "what the client wrote itself does not count")
            let others = try [status("203.0.113.3", from: "127.0.0.2"), status("203.0.113.4", from: "127.0.0.2")]
            #expect(others == [200, 429], "not a proxy that is trusted")
        }
    }

    @Test func `an IPv6 client is its /64`() async throws {
        let limit = ["LIMITS_GUESTS_PER_CLIENT": "1", "TRUSTED_PROXIES": "127.0.0.1"]
        try await TestServer.runInProduction(limit) { server in
            server.clock.startHour()
            func status(_ forwarded: String) throws -> Int {
                try server.call("accounts:signUp", headers: ["X-Forwarded-For: \(forwarded)"]).status
            }
            let statuses = try ["2001:db8:1:2::1", "2001:db8:1:2:ffff::9", "2001:db8:1:3::1"].map { try status($0) }
            #expect(statuses == [200, 429, 200])
        }
    }

    @Test func `production is less generous than development`() async throws {
        try await TestServer.runInProduction { server in
            for _ in 0..<5 { #expect(try Self.ask(server, "ann@example.com").status == 200) }
            Self.expectRefusal(try Self.ask(server, "ann@example.com"))
        }
        try await TestServer.run { server in
            let statuses = try (0..<30).map { _ in try Self.ask(server, "ann@example.com").status }
            #expect(statuses.allSatisfy { $0 == 200 })
        }
    }
}
