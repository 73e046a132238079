import JSON
import Testing

@Suite("Continue URLs")
struct ContinueURLTests {
    struct Case: Sendable, CustomTestStringConvertible {
        let url: String
        let code: String
        var testDescription: String { url }

        init(_ url: String, _ code: String) {
            self.url = url
            self.code = code
        }
    }

    private static func check(_ cases: [Case], _ server: TestServer) throws {
        for example in cases {
            let answer = try server.call(
                "accounts:sendOobCode",
                ["requestType": "EMAIL_SIGNIN", "email": "ann@example.com", "continueUrl": .string(example.url)]
            )
            #expect(answer.code == example.code, "\(example.url): \(answer.text)")
        }
    }

    static let production = [
        Case("https://app.example.com", "ok"),
        Case("https://app.example.com/", "ok"),
        Case("https://app.example.com/a?b=c#d", "ok"),
        Case("HTTPS://APP.example.com/a", "ok"),
        Case("https://app.example.com:443/a", "ok"),
        Case("https://shop.example.com:8443/a", "ok"),
        Case("https://shop.example.com/a", "UNAUTHORIZED_DOMAIN"),
        Case("https://app.example.com:444/", "UNAUTHORIZED_DOMAIN"),
        Case("https://app.example.com:+443/", "UNAUTHORIZED_DOMAIN"),
        Case("https://app.example.com:/", "UNAUTHORIZED_DOMAIN"),
        Case("https://app.example.com./", "UNAUTHORIZED_DOMAIN"),
        Case("https://app.example.com.evil.example/", "UNAUTHORIZED_DOMAIN"),
        Case("https://evil.example/https://app.example.com", "UNAUTHORIZED_DOMAIN"),
        Case("https://app.example.com@evil.example/", "UNAUTHORIZED_DOMAIN"),
        Case("https://user:password@app.example.com/", "UNAUTHORIZED_DOMAIN"),
        Case("https://app.example.com\\@evil.example/", "UNAUTHORIZED_DOMAIN"),
        Case("https:\\\\app.example.com/", "UNAUTHORIZED_DOMAIN"),
        Case("https:///app.example.com/", "UNAUTHORIZED_DOMAIN"),
        Case("https:/app.example.com/", "UNAUTHORIZED_DOMAIN"),
        Case("https:app.example.com/", "UNAUTHORIZED_DOMAIN"),
        Case("http://app.example.com/", "UNAUTHORIZED_DOMAIN"),
        Case("http://localhost/", "UNAUTHORIZED_DOMAIN"),
        Case("javascript:alert(1)", "UNAUTHORIZED_DOMAIN"),
        Case("data:text/html,x", "UNAUTHORIZED_DOMAIN"),
        Case("ftp://app.example.com/", "UNAUTHORIZED_DOMAIN"),
        Case("https://аpp.example.com/", "UNAUTHORIZED_DOMAIN"),
        Case("https://app.example.com/\u{9}", "UNAUTHORIZED_DOMAIN"),
        Case("https://app.example.com/a b", "UNAUTHORIZED_DOMAIN"),
        Case("https://app.example.com/\r\nSet-Cookie: a=b", "UNAUTHORIZED_DOMAIN"),
        Case("https://auth.example.com/", "UNAUTHORIZED_DOMAIN"),
        Case("//app.example.com/", "INVALID_CONTINUE_URI"),
        Case("/\\app.example.com/", "INVALID_CONTINUE_URI"),
        Case("\\\\app.example.com/", "INVALID_CONTINUE_URI"),
        Case("/a", "INVALID_CONTINUE_URI"),
        Case("app.example.com", "INVALID_CONTINUE_URI"),
        Case("://app.example.com", "INVALID_CONTINUE_URI"),
        Case("https://app.example.com/?oobCode=abc", "INVALID_CONTINUE_URI"),
        Case("https://app.example.com/?a=b&oobCode", "INVALID_CONTINUE_URI"),
        Case("https://app.example.com/?%6fob%43ode=abc", "INVALID_CONTINUE_URI"),
        Case("https://app.example.com/?%256fobCode=abc", "INVALID_CONTINUE_URI"),
        Case("https://app.example.com/?link=https%3A%2F%2Fa.example%2F%3FoobCode%3Dabc", "INVALID_CONTINUE_URI"),
        Case("https://app.example.com/?link=https%253A%252F%252Fa%252F%253Foob%2543ode%253D1", "INVALID_CONTINUE_URI"),
        Case("https://app.example.com/#oobCode=abc", "INVALID_CONTINUE_URI"),
        Case("https://app.example.com/?a=100%&mode=x&lang=y&apiKey=z", "ok"),
    ]

    @Test func `in production exactly the configured origins are allowed`() async throws {
        let settings = [
            "ALLOWED_ORIGINS": "https://app.example.com,https://shop.example.com:8443",
            "LIMITS_MAILS_PER_ADDRESS": "10000", "LIMITS_MAILS_PER_CLIENT": "10000", "LIMITS_LINKS_PER_CLIENT": "10000",
        ]
        try await TestServer.runInProduction(settings) { server in try Self.check(Self.production, server) }
    }

    @Test func `in production without any, the public URL's own origin is`() async throws {
        try await TestServer.runInProduction { server in
            try Self.check(
                [Case("https://auth.example.com/a", "ok"), Case("https://app.example.com/a", "UNAUTHORIZED_DOMAIN")],
                server
            )
        }
    }

    @Test func `in development any is allowed until some are configured`() async throws {
        try await TestServer.run { server in
            try Self.check(
                [
                    Case("https://anywhere.example/", "ok"), Case("http://localhost:5173/", "ok"),
                    Case("//localhost/", "INVALID_CONTINUE_URI"), Case("javascript:1", "UNAUTHORIZED_DOMAIN"),
                    Case("https://a@anywhere.example/", "UNAUTHORIZED_DOMAIN"),
                ],
                server
            )
        }
        let settings = ["ALLOWED_ORIGINS": "https://app.example.com,http://localhost,http://shop.example.com"]
        try await TestServer.run(settings) { server in
            try Self.check(
                [
                    Case("https://app.example.com/", "ok"), Case("http://localhost:5173/", "ok"),
                    Case("http://localhost/", "ok"), Case("https://localhost/", "UNAUTHORIZED_DOMAIN"),
                    Case("http://127.0.0.1/", "UNAUTHORIZED_DOMAIN"),
                    Case("http://shop.example.com/", "UNAUTHORIZED_DOMAIN"),
                    Case("https://anywhere.example/", "UNAUTHORIZED_DOMAIN"),
                ],
                server
            )
        }
    }

    @Test func `a link with one leads there, without fragment, referrer, cookie or a look into the database`()
        async throws
    {
        try await TestServer.run { server in
            let asked = try server.askForLink("ann@example.com", continueURL: "https://app.example.com/in?a=b#secret")
            try server.waitUntilMailsAreFinished()
            server.statements.clear()
            let answer = try server.open(asked.mail.link)
            #expect([302, 303].contains(answer.status))
            let location = try #require(answer.header("location"))
            #expect(location.hasPrefix("https://app.example.com/in?a=b&"))
            #expect(location.contains("oobCode=\(asked.oobCode)"))
            for name in ["mode=signIn", "lang=en", "apiKey="] { #expect(location.contains(name)) }
            #expect(!location.contains("#"))
            #expect(answer.header("referrer-policy") == "no-referrer")
            #expect(answer.header("cache-control") == "no-store")
            #expect(answer.header("set-cookie") == nil)
            // Background work such as reading the settings may run at any time, but needs none of these tables.
            let tables = ["tickets", "action_codes", "users", "identities", "sessions"]
            let own = server.statements.all.filter { !Trace.isHousekeeping($0) && !$0.contains("outbox") }
            #expect(own.filter { statement in tables.contains { statement.contains($0) } }.isEmpty)
            #expect(try server.redeem(asked.oobCode, "ann@example.com").status == 200)
        }
    }

    @Test func `a link replaces mode, language, key and request id of the URL`() async throws {
        try await TestServer.run { server in
            let url =
                "https://app.example.com/in?mode=resetPassword&a=b&%6dode=x&lang=xx&c&apiKey=evil&modest=1"
                + "&latchkeyRequestId=evil&latchkey%52equestId=evil"
            let asked = try server.askForLink("ann@example.com", continueURL: url)
            let location = try #require(try server.open(asked.mail.link).header("location"))
            #expect(
                location == "https://app.example.com/in?a=b&c&modest=1&mode=signIn&lang=en&oobCode=\(asked.oobCode)"
                    + "&apiKey=latchkey&latchkeyRequestId=\(asked.requestID)"
            )
            let bare = try server.askForLink("bob@example.com", continueURL: "https://app.example.com/in?lang=xx")
            let other = try #require(try server.open(bare.mail.link).header("location"))
            #expect(other.hasPrefix("https://app.example.com/in?mode=signIn&"))
        }
    }

    @Test func `a code that is slipped into a link's URL is not followed`() async throws {
        try await TestServer.run { server in
            let asked = try server.askForLink("ann@example.com")
            let evil = "https%3A%2F%2Fapp.example.com%2F%3FoobCode%3Dattackers"
            let answer = try server.open("\(asked.mail.link)&continueUrl=\(evil)")
            #expect(answer.status == 200)
            #expect(answer.header("location") == nil)
        }
    }

    @Test func `one that is slipped into a link is not followed`() async throws {
        try await TestServer.runInProduction { server in
            let asked = try server.askForLink("ann@example.com")
            for url in ["https%3A%2F%2Fevil.example%2F", "%2F%2Fevil.example", "javascript%3Aalert(1)"] {
                let answer = try server.open("\(asked.mail.link)&continueUrl=\(url)")
                #expect(answer.status == 200)
                #expect(answer.header("location") == nil)
                #expect(!answer.text.contains("evil"))
            }
        }
    }
}
