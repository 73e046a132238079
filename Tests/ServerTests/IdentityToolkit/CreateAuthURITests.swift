import AccountDatabase
import Accounts
import Database
import JSON
import Server
import Testing

@Suite("Sign-in methods of an address")
struct CreateAuthURITests {
    private static func ask(_ server: TestServer, _ identifier: String) throws -> Answer {
        try server.call(
            "accounts:createAuthUri",
            ["identifier": .string(identifier), "continueUri": "http://localhost", "sessionId": "s"]
        )
    }

    private static func answer(_ providers: String, _ registered: Bool, _ methods: String) -> String {
        #"{"kind":"identitytoolkit#CreateAuthUriResponse","allProviders":[\#(providers)],"registered":\#(registered),"#
            + #""sessionId":"s","signinMethods":[\#(methods)]}"#
    }

    /// Gives a user an identity, as a sign-in by a provider does.
    private static func link(_ server: TestServer, _ uid: String, email: String?, provider: String = "google.com")
        throws
    {
        try server.elsewhere { store in
            try store.database.writeNow {
                try $0.put(Identity(uid: uid, provider: provider, subject: "\(provider)-\(uid)", email: email))
            }
        }
    }

    static let refusals: [(body: JSONValue, code: String)] = [
        ([:], "MISSING_IDENTIFIER"),
        (["continueUri": "http://localhost"], "MISSING_IDENTIFIER"),
        (["identifier": ""], "MISSING_IDENTIFIER"),
        (["identifier": "a@b.c"], "MISSING_CONTINUE_URI"),
        (["identifier": "nobody"], "MISSING_CONTINUE_URI"),
        (["identifier": "nobody", "continueUri": "nowhere"], "INVALID_IDENTIFIER"),
        (["identifier": "a@b.c", "continueUri": "nowhere"], "INVALID_CONTINUE_URI"),
        (["identifier": "a@b.c", "continueUri": "//a.b"], "INVALID_CONTINUE_URI"),
        (["identifier": "a@b.c", "continueUri": "é:x"], "INVALID_CONTINUE_URI"),
    ]

    @Test(arguments: refusals)
    func `bad requests for sign-in methods are refused in the order that clients know`(body: JSONValue, code: String)
        async throws
    {
        try await TestServer.run { server throws in
            let answer = try server.call("accounts:createAuthUri", body)
            #expect(answer.status == 400)
            #expect(answer.code == code)
        }
    }

    @Test func `authorization URLs of a provider are not implemented`() async throws {
        try await TestServer.run { server throws in
            #expect(try server.call("accounts:createAuthUri", ["providerId": "google.com"]).status == 501)
        }
    }

    @Test func `an unknown address has no sign-in methods`() async throws {
        try await TestServer.run { server throws in
            let answer = try Self.ask(server, "nobody@example.com")
            #expect(answer.text == Self.answer("", false, ""))
            let other = try server.call(
                "accounts:createAuthUri",
                ["identifier": "nobody@example.com", "continueUri": "com.example.app://x"]
            )
            #expect(other["sessionId"].count == 27)
            #expect(other["sessionId"].allSatisfy { $0.isLetter || $0.isNumber })
        }
    }

    @Test func `sign-in methods are the e-mail link and the providers, whatever the case of the address`() async throws
    {
        try await TestServer.run { server throws in
            let ann = try server.signIn("ann@example.com")
            #expect(try Self.ask(server, "Ann@Example.COM").text == Self.answer(#""password""#, true, #""emailLink""#))
            try Self.link(server, ann.uid, email: "other@example.com")
            let both = Self.answer(#""password","google.com""#, true, #""emailLink","google.com""#)
            #expect(try Self.ask(server, "ann@example.com").text == both)
            #expect(try Self.ask(server, "other@example.com").text == both, "by the provider's address")
        }
    }

    @Test func `go by the user's own address before a provider's`() async throws {
        try await TestServer.run { server throws in
            let bob = try server.signIn("bob@example.com")
            try Self.link(server, bob.uid, email: "ann@example.com")
            _ = try server.signIn("ann@example.com")
            #expect(try Self.ask(server, "ann@example.com").text == Self.answer(#""password""#, true, #""emailLink""#))
        }
    }

    @Test func `the e-mail link is the only sign-in method while accounts may share an address`() async throws {
        try await TestServer.run { server throws in
            let ann = try server.signIn("ann@example.com")
            try Self.link(server, ann.uid, email: "other@example.com")
            let body = Array(#"{"signIn":{"allowDuplicateEmails":true}}"#.utf8)
            let owner = ["Authorization: Bearer owner"]
            #expect(try server.send("PATCH", "/v2/projects/p/config", headers: owner, body: body).status == 200)
            #expect(try Self.ask(server, "ann@example.com").text == Self.answer(#""password""#, true, #""emailLink""#))
            let other = try Self.ask(server, "other@example.com").text
            #expect(other == Self.answer(#""password""#, true, #""emailLink""#), "by the provider's address")
        }
    }

    @Test func `with e-mail privacy no sign-in methods are revealed or read`() async throws {
        try await TestServer.runInProduction { server throws in
            _ = try server.signIn("ann@example.com")
            for email in ["ann@example.com", "nobody@example.com"] {
                server.statements.clear()
                let answer = try Self.ask(server, email)
                #expect(answer.text == #"{"kind":"identitytoolkit#CreateAuthUriResponse","sessionId":"s"}"#)
                #expect(!server.statements.all.contains { $0.contains("email = ") && !Trace.isHousekeeping($0) })
            }
        }
    }

    @Test func `requests for sign-in methods are limited`() async throws {
        try await TestServer.run(["LIMITS_USERNAMES_PER_CLIENT": "2"]) { server throws in
            server.clock.startHour()
            for status in [200, 200, 429] { #expect(try Self.ask(server, "ann@example.com").status == status) }
        }
    }
}
