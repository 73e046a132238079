import JSON
import Server
import Testing

/// Attacks that use up the failures of an address that others share.
@Suite("Valid tokens beside failing clients")
struct ValidTokensPassTests {
    private static let key = "an-administrators-key-of-the-tests-with-32-bytes"

    /// Runs a server whose only client has used up its failures, with a guest who signed up before.
    private static func underAttack(_ body: @escaping @Sendable (TestServer, Tokens) throws -> Void) async throws {
        try await TestServer.runInProduction(["ADMIN_KEY": key, "ALLOWED_ORIGINS": "https://app.example.com"]) {
            server in
            server.clock.startHour()
            let guest = try server.guest()
            for number in 0..<65 {
                let answer = try server.refresh("bad-\(number)")
                #expect(answer.status == (number < 60 ? 400 : 429))
            }
            try body(server, guest)
        }
    }

    private static func bearer(_ token: String) -> [String] { ["Authorization: Bearer \(token)"] }

    @Test func `60 bad refresh tokens from an address block no valid token there`() async throws {
        try await Self.underAttack { server, guest in
            #expect(try server.lookup(guest.idToken).status == 200)
            #expect(try server.refresh(guest.refreshToken).status == 200)
            let headers = Self.bearer(guest.idToken) + ["Content-Type: application/json"]
            let put = try server.send("PUT", "/v1/documents/notes/a", headers: headers, body: Array("{}".utf8))
            #expect(put.status < 300, "\(put.text)")
            for target in ["/v1/documents/notes/a", "/v1/documents", "/v1/usernames/ann"] {
                let status = try server.send("GET", target, headers: headers).status
                #expect(status == 200 || status == 404, "\(target)")
            }
            let name = try server.send(
                "POST",
                "/v1/accounts:setUsername",
                headers: headers,
                body: Array(#"{"username":"ann"}"#.utf8)
            )
            #expect(name.status == 200, "\(name.text)")
            let profile: JSONValue = ["idToken": .string(guest.idToken), "displayName": "Ann"]
            #expect(try server.call("accounts:update", profile).status == 200)
            #expect(try server.call("accounts:signOut", ["refreshToken": .string(guest.refreshToken)]).status == 200)
            #expect(try server.send("GET", "/v1/documents", headers: Self.bearer("x")).status == 429)
            #expect(try server.send("GET", "/v1/documents:listen", headers: Self.bearer("x")).status == 429)
        }
    }

    @Test func `60 bad refresh tokens from an address stop no sign-in there`() async throws {
        try await Self.underAttack { server, guest in
            let link = try server.askForLink("ann@example.com")
            #expect(try server.answerLink("x", "approve").status == 429)
            let page = try server.open(link.mail.link)
            #expect(page.status == 200, "\(page.text)")
            #expect(try server.redeem(link.oobCode, "ann@example.com", idToken: guest.idToken).status == 200)
            #expect(try server.redeem(link.oobCode, "ann@example.com").code == "INVALID_OOB_CODE", "spent, not made up")
            let code = try server.askForLink("bob@example.com")
            #expect(try server.redeemTicket(code.ticket).code == "TICKET_PENDING")
            #expect(try server.redeemTicket(code.ticket, code: code.wrongCode).code == "INVALID_SIGN_IN_CODE")
            #expect(try server.redeemTicket(code.ticket, code: code.mail.digits).status == 200)
        }
    }

    @Test func `wrong bearers from an address stop neither the right key nor an administrator there`() async throws {
        try await Self.underAttack { server, _ in
            for number in 0..<65 {
                let answer = try server.call("accounts:lookup", headers: Self.bearer("guess-\(number)"))
                #expect(answer.status == (number < 60 ? 401 : 429))
            }
            let ann = try server.signIn("ann@example.com")
            try server.withOperator { _ = try $0.setAdministrator(true, ann.uid) }
            let body: JSONValue = ["localId": [.string(ann.uid)]]
            let name = "projects/demo-latchkey/accounts:lookup"
            for token in [Self.key, ann.idToken] {
                #expect(try server.call(name, body, headers: Self.bearer(token)).status == 200)
            }
        }
    }

    @Test func `a spent or expired credential is no failure, and a forged one is`() async throws {
        try await TestServer.runInProduction(["LIMITS_FAILURES_PER_CLIENT": "1"]) { server in
            server.clock.startHour()
            let guest = try server.guest()
            let old = try server.guest()
            #expect(try server.call("accounts:signOut", ["refreshToken": .string(old.refreshToken)]).status == 200)
            let spent = try server.askForLink("ann@example.com")
            #expect(try server.redeem(spent.oobCode, "ann@example.com").status == 200)
            for _ in 0..<3 {
                #expect(try server.redeem(spent.oobCode, "ann@example.com").code == "INVALID_OOB_CODE")
                #expect(try server.redeemTicket(spent.ticket, code: spent.wrongCode).status == 400)
                #expect(try server.lookup(old.idToken).status == 400)
                #expect(try server.refresh(old.refreshToken).status == 400)
                // A valid credential together with an invalid one.
                #expect(try server.redeem(spent.oobCode, "ann@example.com", idToken: "x").code == "INVALID_ID_TOKEN")
                #expect(try server.redeem("x", "ann@example.com", idToken: guest.idToken).code == "INVALID_OOB_CODE")
            }
            server.clock.advance(seconds: 3601)
            for _ in 0..<3 { #expect(try server.lookup(guest.idToken).code == "TOKEN_EXPIRED") }
            #expect(try server.refresh("x").code == "INVALID_REFRESH_TOKEN")
            #expect(try server.refresh("x").status == 429)
            #expect(try server.lookup(guest.idToken).code == "TOKEN_EXPIRED")
            #expect(try server.refresh(guest.refreshToken).status == 200)
        }
    }

    @Test func `wrong addresses with a good link stop that link after 20, on every node, and no other`() async throws {
        try await TestServer.runInProduction { server in
            server.clock.startHour()
            let link = try server.askForLink("ann@example.com")
            for number in 0..<10 {
                #expect(try server.redeem(link.oobCode, "guess\(number)@example.com").code == "INVALID_EMAIL")
            }
            try server.restarted { server in
                for number in 10..<20 {
                    let answer = try server.redeem(link.oobCode, "guess\(number)@example.com", from: "127.0.0.2")
                    #expect(answer.code == "INVALID_EMAIL")
                }
                for email in ["guess@example.com", "ann@example.com"] {
                    #expect(try server.redeem(link.oobCode, email).status == 429)
                }
                let other = try server.askForLink("bob@example.com")
                #expect(try server.redeem(other.oobCode, "bob@example.com").status == 200)
            }
        }
    }

    @Test func `wrong addresses of a link do not count against the one that is mailed in its place`() async throws {
        try await TestServer.runInProduction { server in
            server.clock.startHour()
            let link = try server.askForLink("ann@example.com")
            for number in 0..<21 { _ = try server.redeem(link.oobCode, "guess\(number)@example.com") }
            server.clock.advance(seconds: 601)
            let known = try server.messages().count
            #expect(try server.answerLink(link.oobCode, "resend").status == 200)
            let again = try server.message(after: known).oobCode
            #expect(try server.redeem(again, "ann@example.com").status == 200)
        }
    }

    @Test func `bad links on the page count, and a good one opens`() async throws {
        try await TestServer.runInProduction(["LIMITS_FAILURES_PER_CLIENT": "2"]) { server in
            server.clock.startHour()
            let link = try server.askForLink("ann@example.com")
            let statuses = try (0..<3).map { _ in try server.answerLink("x", "approve").status }
            #expect(statuses == [400, 400, 429])
            #expect(try server.answerLink(link.oobCode, "deny").status == 200)
        }
    }
}
