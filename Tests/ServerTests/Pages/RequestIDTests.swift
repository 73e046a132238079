import AccountDatabase
import JSON
import SMTPHarness
import Testing

/// The public id of a request for a sign-in e-mail, in the answer and in the links.
@Suite("Public ids of requests")
struct RequestIDTests {
    private static let name = "latchkeyRequestId"

    @Test func `the answer and the e-mail link have the same id, before and after the redirect`() async throws {
        try await TestServer.run { server in
            for url in [nil, "https://app.example.com/in?a=b"] {
                let asked = try server.askForLink("ann@example.com", continueURL: url)
                #expect(asked.requestID.wholeMatch(of: /[A-Za-z0-9_-]{22}/) != nil, "\(asked.requestID)")
                #expect(asked.mail.parameter(Self.name) == asked.requestID)
                let opened = try server.open(asked.mail.link)
                guard url != nil else { continue }
                let location = try #require(opened.header("location"))
                #expect(location.hasPrefix("https://app.example.com/in?a=b&mode=signIn&"))
                #expect(location.hasSuffix("&\(Self.name)=\(asked.requestID)"))
            }
            let others = try ["ann@example.com", "ben@example.com"].map { try server.askForLink($0).requestID }
            #expect(Set(others).count == 2)
        }
    }

    @Test func `a resent link of the same request has the same id, and a link of another request its own`()
        async throws
    {
        try await TestServer.run { server in
            let asked = try server.askForLink("ann@example.com", continueURL: "https://app.example.com/")
            try server.waitUntilMailsAreFinished()
            server.clock.advance(seconds: 700)
            #expect(try server.answerLink(asked.oobCode, "resend").status == 200)
            let again = try server.message(after: 1)
            #expect(again.oobCode != asked.oobCode)
            #expect(again.parameter(Self.name) == asked.requestID)
            let used = try Tokens(server.redeem(again.oobCode, "ann@example.com"))
            _ = try server.call("accounts:signOut", ["refreshToken": .string(used.refreshToken)])
            // The request is used and its session is over, so the page sends a link of a new request.
            #expect(try server.answerLink(again.oobCode, "resend").status == 200)
            let other = try server.message(after: 2).parameter(Self.name)
            #expect(other.utf8.count == 22 && other != asked.requestID)
        }
    }

    @Test func `a mail that left late has the id of its request`() async throws {
        try await TestServer.runInProduction { server in
            server.smtp?.faults = .transient(451)
            let answer = try server.call(
                "accounts:sendOobCode",
                ["requestType": "EMAIL_SIGNIN", "email": "ann@example.com"]
            )
            try server.eventually("the first attempt failed") {
                try server.withDatabase { try $0.outbox(.queued, limit: 9).first?.attempts ?? 0 } > 0
            }
            server.clock.advance(seconds: 20 * 60)
            server.smtp?.faults = .none
            #expect(try server.message(after: 0).parameter(Self.name) == answer["requestId"])
        }
    }

    @Test func `a redirect passes on an id of the right form without a database read, and nothing else`()
        async throws
    {
        try await TestServer.run { server in
            let asked = try server.askForLink("ann@example.com", continueURL: "https://app.example.com/in")
            try server.waitUntilMailsAreFinished()
            server.statements.clear()
            let id = asked.requestID
            func location(_ value: String) throws -> String {
                let link = asked.mail.link.replacing("\(Self.name)=\(id)", with: "\(Self.name)=\(value)")
                return try #require(try server.open(link).header("location"))
            }
            #expect(try location(id).hasSuffix("&apiKey=latchkey&\(Self.name)=\(id)"))
            let other = String(repeating: "A", count: 22)
            #expect(try location(other).hasSuffix("&\(Self.name)=\(other)"), "it is not looked up")
            for value in [
                "", "x", String(id.dropLast()), "\(id)A", "\(id.dropLast())%20", "\(id.dropLast())+",
                "\(id.dropLast())%22", "%3Cscript%3Ealert(1)%3C", "\(id.dropLast())%0A", "%FF\(id.dropFirst())",
            ] {
                #expect(try location(value).hasSuffix("&apiKey=latchkey"), "\(value)")
            }
            let own = server.statements.all.filter { !Trace.isHousekeeping($0) }
            #expect(own.filter { $0.contains("tickets") || $0.contains("action_codes") }.isEmpty)
            _ = try server.queryLink(asked.oobCode)
            #expect(server.statements.contains("JOIN tickets"), "the trace sees what reads a link")
        }
    }

    @Test func `links of administrators and of the emulator's list have the id`() async throws {
        try await TestServer.run { server in
            let made = try server.owner(
                "/accounts:sendOobCode",
                [
                    "requestType": "EMAIL_SIGNIN", "email": "ann@example.com", "returnOobLink": true,
                    "continueUrl": "http://localhost/in",
                ]
            )
            let id = made["requestId"]
            #expect(id.utf8.count == 22)
            #expect(made["oobLink"].contains("&\(Self.name)=\(id)&continueUrl="))
            #expect(try server.oobCodes().first?["oobLink"]?.string?.contains("&\(Self.name)=\(id)&") == true)
            let path = try #require(made["oobLink"].firstRange(of: "/emulator/action"))
            let followed = try server.send("GET", String(made["oobLink"][path.lowerBound...]))
            #expect(followed.header("location")?.hasSuffix("&\(Self.name)=\(id)") == true)
            #expect(try server.queryLink(made["oobCode"])["requestId"] == id)
        }
    }

    @Test func `other links have no request id`() async throws {
        try await TestServer.run { server in
            let ann = try server.signIn("ann@example.com")
            let known = try server.messages().count
            let answer = try server.call(
                "accounts:sendOobCode",
                ["requestType": "VERIFY_EMAIL", "idToken": .string(ann.idToken)]
            )
            #expect(!answer.keys.contains("requestId"))
            #expect(try !server.message(after: known).link.contains(Self.name))
            let made = try server.owner(
                "/accounts:sendOobCode",
                ["requestType": "VERIFY_EMAIL", "email": "ann@example.com", "returnOobLink": true]
            )
            #expect(!made["oobLink"].isEmpty && !made["oobLink"].contains(Self.name))
            #expect(!made.keys.contains("requestId"))
        }
    }

    @Test func `the id alone opens nothing`() async throws {
        try await TestServer.run { server in
            let asked = try server.askForLink("ann@example.com")
            let id = asked.requestID
            #expect(try server.redeemTicket(id).code == "INVALID_TICKET")
            #expect(try server.redeemTicket(id, code: asked.mail.digits).code == "INVALID_TICKET")
            #expect(try server.redeem(id, "ann@example.com").code == "INVALID_OOB_CODE")
            #expect(try server.queryLink(id).code == "INVALID_OOB_CODE")
            #expect(try server.denyLink(id).code == "INVALID_OOB_CODE")
            #expect(
                try server.call("accounts:resetPassword", ["oobCode": .string(id)]).code == "INVALID_OOB_CODE"
            )
            #expect(try server.call("accounts:update", ["oobCode": .string(id)]).code == "INVALID_OOB_CODE")
            #expect(try server.refresh(id).code == "INVALID_REFRESH_TOKEN")
            #expect(try server.lookup(id).code == "INVALID_ID_TOKEN")
            #expect(try server.open("/auth/action?mode=signIn&oobCode=\(id)&\(Self.name)=\(id)").status == 400)
            #expect(try server.answerLink(id, "approve", "&confirmation=\(asked.confirmation)").status == 400)
            for target in ["/v1/sessions", "/v1/documents"] {
                #expect(try server.send("GET", target, headers: ["Authorization: Bearer \(id)"]).status >= 400)
            }
            #expect(try server.redeem(asked.oobCode, "ann@example.com").status == 200, "the link is as good as before")
        }
    }
}
