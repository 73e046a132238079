import Foundation
import JSON
import Server
import Testing
import Tokens

@Suite("Development tokens")
struct DevelopmentTokensTests {
    private static let key = "an-administrator's-key-of-32-bytes-and-more"

    /// A call that takes an ID token, and where it does.
    struct Call: Sendable, CustomTestStringConvertible {
        let testDescription: String
        /// Makes the call with a token and an administrator's bearer.
        let ask: @Sendable (TestServer, String, String) throws -> Answer

        /// Whether an answer accepts the token, whatever else is wrong with the call.
        static func accepts(_ answer: Answer) -> Bool { answer.status != 401 && answer.code != "INVALID_ID_TOKEN" }

        static func body(_ call: String, _ members: JSONValue = [:]) -> Call {
            Call(testDescription: "\(call) \(members["requestType"]?.string ?? "")") { server, token, _ in
                var body = members.object ?? JSONObject()
                body["idToken"] = .string(token)
                return try server.call("accounts:\(call)", .object(body))
            }
        }

        static func bearer(_ method: String, _ path: String, _ body: String = "") -> Call {
            Call(testDescription: "\(method) \(path)") { server, token, _ in
                let type = body.isEmpty ? [] : ["Content-Type: application/json"]
                let headers = ["Authorization: Bearer \(token)"] + type
                return try server.send(method, path, headers: headers, body: Array(body.utf8))
            }
        }
    }

    static let calls: [Call] = [
        .body("lookup"), .body("update", ["displayName": "Ann"]),
        .body("sendOobCode", ["requestType": "VERIFY_EMAIL"]),
        .body("sendOobCode", ["requestType": "EMAIL_SIGNIN", "email": "ann@example.com"]),
        .body("sendOobCode", ["requestType": "VERIFY_AND_CHANGE_EMAIL", "newEmail": "new@example.com"]),
        .body("signInWithEmailLink", ["email": "ann@example.com", "oobCode": "x"]),
        .body("merge", ["anonymousIdToken": "x"]),
        .bearer("GET", "/v1/documents"), .bearer("PUT", "/v1/documents/notes/a", "{}"),
        .bearer("GET", "/v1/sessions"), .bearer("POST", "/v1/accounts:setUsername", #"{"username":"ann.b"}"#),
        Call(testDescription: "createSessionCookie") { server, token, bearer in
            let body: JSONValue = ["idToken": .string(token)]
            return try server.send(
                "POST",
                "/v1/projects/demo-latchkey:createSessionCookie",
                headers: ["Authorization: Bearer \(bearer)"],
                body: body.serialized()
            )
        },
        Call(testDescription: "an administrator's call") { server, token, _ in
            try server.send(
                "GET",
                "/v1/projects/demo-latchkey/accounts:batchGet",
                headers: ["Authorization: Bearer \(token)"]
            )
        },
    ]

    /// Makes an unsigned token of the claims of another token, with changes.
    private static func unsigned(_ token: String, _ changes: [String: JSONValue?] = [:]) throws -> String {
        var claims = try #require(JWT.unverifiedClaims(of: token))
        for (name, value) in changes { claims[name] = value }
        return UnsignedToken.make(.object(claims))
    }

    /// Runs a body with the tokens of a user who is an administrator.
    private static func withAdministrator(_ server: TestServer, _ body: (Tokens) throws -> Void) throws {
        let ann = try server.signIn("ann@example.com")
        try server.withOperator { try $0.setAdministrator(true, ann.uid) }
        try body(ann)
    }

    @Test func `unsigned tokens have alg none and an empty third part, and the start says what refuses them`()
        async throws
    {
        try await TestServer.run(["DEVELOPMENT_TOKENS": "unsigned"]) { server in
            let ann = try server.signIn("ann@example.com")
            let cookie = try server.owner(":createSessionCookie", ["idToken": .string(ann.idToken)])["sessionCookie"]
            for token in [ann.idToken, cookie, try server.refresh(ann.refreshToken)["id_token"]] {
                let parts = token.split(separator: ".", omittingEmptySubsequences: false)
                #expect(parts.count == 3 && parts[2].isEmpty, "\(token)")
                #expect(Base64URL.decode(String(parts[0])) == Array(#"{"alg":"none","typ":"JWT"}"#.utf8))
            }
            #expect(JWT.unverifiedClaims(of: ann.idToken)?["iss"] == "https://securetoken.google.com/demo-latchkey")
            #expect(JWT.unverifiedClaims(of: cookie)?["iss"] == "https://session.firebase.google.com/demo-latchkey")
            #expect(server.announced.contains("PyJWT, jose, go-oidc"))
            #expect(try server.lookup(cookie).code == "INVALID_ID_TOKEN", "a cookie is no ID token")
        }
    }

    @Test(arguments: calls)
    func `where tokens are unsigned, each call takes both kinds`(call: Call) async throws {
        try await TestServer.run { signed in
            try Self.withAdministrator(signed) { ann in
                try signed.restarted(["DEVELOPMENT_TOKENS": "unsigned"]) { server in
                    for token in [ann.idToken, try Self.unsigned(ann.idToken)] {
                        let answer = try call.ask(server, token, TestServer.owner)
                        #expect(Call.accepts(answer), "\(answer.text)")
                    }
                    let noise = try call.ask(server, try Self.unsigned(ann.idToken) + "c2ln", TestServer.owner)
                    #expect(!Call.accepts(noise), "none with a signature: \(noise.text)")
                }
            }
        }
    }

    @Test(arguments: calls)
    func `where tokens are signed, each call refuses unsigned ones`(call: Call) async throws {
        try await TestServer.run { server in
            try Self.withAdministrator(server) { ann in
                let good = try call.ask(server, ann.idToken, TestServer.owner)
                #expect(Call.accepts(good), "\(good.text)")
                let answer = try call.ask(server, try Self.unsigned(ann.idToken), TestServer.owner)
                #expect(!Call.accepts(answer), "\(answer.text)")
            }
        }
    }

    @Test(arguments: calls)
    func `production refuses unsigned tokens everywhere`(call: Call) async throws {
        try await TestServer.runInProduction(["ADMIN_KEY": Self.key]) { server in
            try Self.withAdministrator(server) { ann in
                let good = try call.ask(server, ann.idToken, Self.key)
                #expect(Call.accepts(good), "\(good.text)")
                let answer = try call.ask(server, try Self.unsigned(ann.idToken), Self.key)
                #expect(!Call.accepts(answer), "\(answer.text)")
            }
        }
    }

    @Test func `an unsigned token is judged by its claims, and by its session`() async throws {
        try await TestServer.run(["DEVELOPMENT_TOKENS": "unsigned"]) { server in
            let ann = try server.signIn("ann@example.com")
            let now = server.clock.now() / 1000
            let changes: [([String: JSONValue?], String)] = [
                (["iss": "https://securetoken.google.com/other"], "INVALID_ID_TOKEN"),
                (["aud": "other"], "INVALID_ID_TOKEN"), (["sub": ""], "INVALID_ID_TOKEN"),
                (["sid": nil as JSONValue?], "INVALID_ID_TOKEN"),
                (["iat": .number(JSONNumber(now + 3600))], "INVALID_ID_TOKEN"),
                (["exp": .number(JSONNumber(now - 1))], "TOKEN_EXPIRED"),
                (["sub": "nobody", "user_id": "nobody"], "USER_NOT_FOUND"),
            ]
            for (change, code) in changes {
                let answer = try server.lookup(Self.unsigned(ann.idToken, change))
                #expect(answer.code == code, "\(change): \(answer.text)")
            }
            for header: JSONValue in [
                ["alg": "None"], ["alg": "none", "crit": ["x"]], ["alg": "none", "typ": "at+jwt"], ["alg": "HS256"],
            ] {
                let claims = try #require(JWT.unverifiedClaims(of: ann.idToken))
                let token = UnsignedToken.make(.object(claims), header: header)
                #expect(try server.lookup(token).code == "INVALID_ID_TOKEN", "\(header)")
            }
            #expect(try server.lookup(ann.idToken).status == 200)
            let end = try server.owner(
                "/accounts:update",
                ["localId": .string(ann.uid), "validSince": .number(JSONNumber(now + 1))]
            )
            #expect(end.status == 200)
            #expect(try server.lookup(ann.idToken).code == "TOKEN_EXPIRED", "revoked")
        }
    }

    @Test func `an unsigned token is not remembered, so the end of its hour is seen at once`() async throws {
        try await TestServer.run(["DEVELOPMENT_TOKENS": "unsigned"]) { server in
            let guest = try server.guest()
            #expect(try server.lookup(guest.idToken).status == 200)
            server.clock.advance(seconds: 3601)
            #expect(try server.lookup(guest.idToken).code == "TOKEN_EXPIRED")
        }
    }

    @Test func `the first read of a discovery document with another issuer is logged, once`() async throws {
        try await TestServer.run { server in
            #expect(!server.log.contains("issuer.differs"))
            for _ in 1...2 {
                let answer = try server.send("GET", "/.well-known/openid-configuration")
                #expect(answer.status == 200)
            }
            let lines = server.log.all.filter { $0.contains("issuer.differs") }
            #expect(lines.count == 1)
            #expect(lines.first?.contains("openid-client, go-oidc's NewProvider and Spring's issuer-uri") == true)
        }
        try await TestServer.runInProduction { server in
            _ = try server.send("GET", "/.well-known/openid-configuration")
            #expect(!server.log.contains("issuer.differs"), "there the issuer is the server's URL")
        }
    }
}
