import Foundation
import JSON
import Server
import Testing

@Suite("Web pages of other origins")
struct WebOriginTests {
    private static let legacy = "/www.googleapis.com/identitytoolkit/v3/relyingparty"
    private static let json = "Content-Type: application/json"
    private static let form = "Content-Type: application/x-www-form-urlencoded"
    private static let evil = "Origin: https://evil.example"
    private static let own = "Origin: https://auth.example.com"

    /// One call of each kind that counts something.
    private static let calls: [(method: String, target: String, headers: [String], body: String)] = [
        ("POST", "/v1/accounts:signUp?key=k", [json], "{}"),
        ("POST", "/identitytoolkit.googleapis.com/v1/accounts:signUp?key=k", [json], "{}"),
        ("POST", "\(legacy)/signupNewUser?key=k", [json], "{}"),
        ("GET", "\(legacy)/signupNewUser?key=k", [], ""),
        ("POST", "/v1/accounts:lookup?key=k", [json], #"{"idToken":"x"}"#),
        ("POST", "/v1/token?key=k", [form], "grant_type=refresh_token&refresh_token=x"),
        ("POST", "/securetoken.googleapis.com/v1/token?key=k", [form], "grant_type=refresh_token&refresh_token=x"),
        (
            "POST", "/v1/accounts:sendOobCode?key=k", [json],
            #"{"requestType":"EMAIL_SIGNIN","email":"ann@example.com"}"#
        ),
        ("POST", "/v1/accounts:querySignInLink?key=k", [json], #"{"oobCode":"x"}"#),
        ("POST", "/v1/accounts:denySignInLink?key=k", [json], #"{"oobCode":"x"}"#),
        ("POST", "/v1/accounts:signOut?key=k", [json], #"{"refreshToken":"x"}"#),
        ("GET", "/v1/documents/c/1", ["Authorization: Bearer x"], ""),
        ("PUT", "/v1/documents/c/1", [json, "Authorization: Bearer x"], "{}"),
        ("GET", "/v1/usernames/ann", ["Authorization: Bearer x"], ""),
        ("POST", "/v1/accounts:setUsername", [json, "Authorization: Bearer x"], #"{"username":"ann"}"#),
        ("POST", "/v1/projects/p/accounts:lookup", [json, "Authorization: Bearer x"], "{}"),
    ]

    private static func expectRefusal(_ answer: Answer, _ comment: Comment? = nil) {
        #expect(answer.status == 403, comment)
        #expect(answer.code == "ORIGIN_NOT_ALLOWED", comment)
        #expect(!answer.headers.contains { $0.name.hasPrefix("access-control") }, comment)
    }

    @Test func `a page on another site cannot spend the budgets of its visitor's address`() async throws {
        let settings = [
            "LIMITS_FAILURES_PER_CLIENT": "3", "LIMITS_GUESTS_PER_CLIENT": "3", "LIMITS_LINKS_PER_CLIENT": "3",
        ]
        try await TestServer.runInProduction(settings) { server throws in
            for origin in [Self.evil, "Origin: null", "Origin: https://auth.example.com.evil.example"] {
                for call in Self.calls {
                    for body in [call.body, ""] {
                        let answer = try server.send(
                            call.method,
                            call.target,
                            headers: [origin] + call.headers,
                            body: Array(body.utf8)
                        )
                        Self.expectRefusal(answer, "\(call.method) \(call.target)")
                    }
                }
            }
            // Forms, beacons and images: content types that need no preflight request.
            for type in ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x"] {
                let headers = [Self.evil, "Content-Type: \(type)", "Sec-Fetch-Site: cross-site"]
                Self.expectRefusal(
                    try server.send("POST", "/v1/accounts:signUp?key=k", headers: headers, body: Array("{}".utf8))
                )
            }
            for mode in ["no-cors", "navigate"] {
                Self.expectRefusal(
                    try server.send(
                        "GET",
                        "\(Self.legacy)/signupNewUser?key=k",
                        headers: ["Sec-Fetch-Site: cross-site", "Sec-Fetch-Mode: \(mode)"]
                    )
                )
            }
            let ann = try server.askForLink("ann@example.com")
            #expect(try server.redeem(ann.oobCode, "ann@example.com").status == 200)
            let guest = try server.guest()
            for _ in 0..<2 { _ = try server.guest() }
            #expect(try server.refresh(guest.refreshToken).status == 200)
            #expect(try server.lookup(guest.idToken).status == 200)
            #expect(try server.refresh("x").code == "INVALID_REFRESH_TOKEN")
            #expect(try server.call("accounts:signUp").status == 429, "what was counted is counted")
        }
    }

    @Test func `a preflight of another site is refused`() async throws {
        try await TestServer.runInProduction { server throws in
            for call in Self.calls {
                func ask(_ origin: String) throws -> Answer {
                    try server.send(
                        "OPTIONS",
                        call.target,
                        headers: [origin, "Access-Control-Request-Method: \(call.method)"]
                    )
                }
                Self.expectRefusal(try ask(Self.evil), "\(call.target)")
                let allowed = try ask(Self.own)
                #expect(allowed.status == 204)
                #expect(allowed.header("access-control-allow-origin") == "https://auth.example.com")
            }
        }
    }

    @Test(arguments: [
        "text/plain", "text/plain;charset=UTF-8", "application/x-www-form-urlencoded", "multipart/form-data", "",
        "application/jsonp", "text/plain; application/json",
    ])
    func `a page sends no body of a type that browsers send without asking`(type: String) async throws {
        try await TestServer.runInProduction { server throws in
            let headers = type.isEmpty ? [] : ["Content-Type: \(type)"]
            for browser in [Self.own, "Sec-Fetch-Site: cross-site"] {
                let answer = try server.send(
                    "POST",
                    "/v1/accounts:signUp?key=k",
                    headers: headers + [browser],
                    body: Array("{}".utf8)
                )
                #expect(answer.status == 415 && answer.code == "UNSUPPORTED_MEDIA_TYPE", "\(browser)")
                let isReadable = answer.header("access-control-allow-origin") == "https://auth.example.com"
                #expect(isReadable == (browser == Self.own))
            }
            let chunked = try HTTPConnection(port: server.port)
            let head = ["POST /v1/accounts:signUp?key=k HTTP/1.1", "Host: localhost", "Transfer-Encoding: chunked"]
            try chunked.send(
                Array(((head + headers + [Self.own]).joined(separator: "\r\n") + "\r\n\r\n2\r\n{}\r\n0\r\n\r\n").utf8)
            )
            #expect(try chunked.answer().status == 415)
            // Clients other than browsers may send any type.
            let answer = try server.send(
                "POST",
                "/v1/accounts:signUp?key=k",
                headers: headers,
                body: Array("{}".utf8)
            )
            #expect(answer.status == 200)
        }
    }

    @Test func `JSON is accepted by every call, and a form where refresh tokens are exchanged`() async throws {
        try await TestServer.runInProduction { server throws in
            let guest = try Tokens(
                server.send(
                    "POST",
                    "/v1/accounts:signUp?key=k",
                    headers: [Self.own, "Content-Type: Application/JSON ; charset=utf-8"],
                    body: Array("{}".utf8)
                )
            )
            #expect(guest.answer.header("access-control-allow-origin") == "https://auth.example.com")
            let refreshed = try server.refresh(guest.refreshToken, headers: [Self.own, "Sec-Fetch-Site: cross-site"])
            #expect(refreshed.status == 200)
            #expect(
                try server.send(
                    "POST",
                    "/v1/accounts:signUp?key=k",
                    headers: [Self.own, Self.form],
                    body: Array("{}".utf8)
                ).status == 415
            )
        }
    }

    @Test func `by default pages of allowedOrigins and of the public URL may call`() async throws {
        try await TestServer.runInProduction(["ALLOWED_ORIGINS": "https://app.example.com:443"]) { server throws in
            for origin in ["https://app.example.com", "https://auth.example.com"] {
                let answer = try server.call("accounts:signUp", headers: ["Origin: \(origin)"])
                #expect(answer.status == 200, "\(answer.text)")
                #expect(answer.header("access-control-allow-origin") == origin)
            }
            for origin in [
                "http://app.example.com", "https://app.example.com:8443", "https://www.app.example.com", "null",
                "https://app.example.com.", "capacitor://localhost", "https://app.example.com https://evil.example", "",
            ] {
                Self.expectRefusal(try server.call("accounts:signUp", headers: ["Origin: \(origin)"]), "\(origin)")
            }
            Self.expectRefusal(try server.call("accounts:signUp", headers: [Self.own, Self.evil]), "two of them")
        }
    }

    @Test func `corsOrigins lists web pages, web views of apps and null`() async throws {
        let listed = ["capacitor://localhost", "https://APP.example.com:8443", "null", "http://localhost:5173"]
        try await TestServer.runInProduction(["CORS_ORIGINS": listed.joined(separator: ",")]) { server throws in
            for origin in listed.map({ $0.lowercased() }) {
                let answer = try server.call("accounts:signUp", headers: ["Origin: \(origin)"])
                #expect(answer.status == 200, "\(origin) \(answer.text)")
                #expect(answer.header("access-control-allow-origin") == origin)
            }
            Self.expectRefusal(try server.call("accounts:signUp", headers: [Self.own]))
        }
        try await TestServer.runInProduction(file: "{ corsOrigins: [] }") { server throws in
            Self.expectRefusal(try server.call("accounts:signUp", headers: [Self.own]))
            #expect(try server.call("accounts:signUp").status == 200)
        }
    }

    @Test(arguments: [
        "app.example.com", "https://app.example.com/x", "*", "http://", "capacitor://", "java script://a",
    ])
    func `an entry of corsOrigins that is no origin stops the start`(entry: String) {
        let error = #expect(throws: ConfigurationError.self) {
            _ = try Configuration.load(file: nil, environment: ["LATCHKEY_CORS_ORIGINS": entry])
        }
        #expect(error?.description.contains("CORS_ORIGINS") == true && error?.description.contains(entry) == true)
    }

    @Test func `published files, health, our own pages and navigations go by no origin`() async throws {
        try await TestServer.runInProduction { server throws in
            for path in ["/.well-known/jwks.json", "/.well-known/openid-configuration", "/openapi.json"] {
                let answer = try server.send("GET", path, headers: [Self.evil])
                #expect(answer.status == 200)
                #expect(answer.header("access-control-allow-origin") == "https://evil.example", "\(path)")
            }
            for path in ["/healthz", "/readyz", "/.well-known/assetlinks.json", "/auth/style.css", "/"] {
                #expect(try server.send("GET", path, headers: [Self.evil]).status == 200, "\(path)")
            }
            let navigation = ["Sec-Fetch-Site: cross-site", "Sec-Fetch-Mode: navigate", "Origin: null"]
            let opened = try server.send("GET", "/v1/projects?key=k", headers: navigation)
            #expect(opened.status == 200)
            #expect(opened.header("access-control-allow-origin") == nil)
            // Latchkey's own pages send no referrer, and so their forms send `Origin: null`.
            let asked = try server.askForLink("ann@example.com")
            #expect(try server.call("accounts:signInWithTicket", ["ticket": .string(asked.ticket)]).status == 400)
            #expect(try server.open(asked.mail.link, headers: navigation).status == 200)
            let approved = try server.answerLink(
                asked.oobCode,
                "approve",
                "&confirmation=\(asked.confirmation)",
                headers: ["Origin: null", "Sec-Fetch-Site: same-origin"]
            )
            #expect(approved.status == 200, "\(approved.text)")
            #expect(try server.redeemTicket(asked.ticket).status == 200)
        }
    }

    @Test func `the first refusal of each origin is logged with the setting, a few a minute`() async throws {
        try await TestServer.runInProduction { server throws in
            func lines() -> [String] { server.log.all.filter { $0.contains(#""event":"origin.refused""#) } }
            for _ in 0..<3 { _ = try server.call("accounts:signUp", headers: [Self.evil]) }
            #expect(lines().count == 1)
            #expect(lines().first?.contains(#""origin":"https://evil.example","setting":"corsOrigins""#) == true)
            for number in 0..<50 {
                _ = try server.call("accounts:signUp", headers: ["Origin: https://\(number).evil.example"])
            }
            // A new minute may begin once in between.
            #expect((10...20).contains(lines().count), "\(lines().count)")
        }
    }

    @Test func `in development pages of any origin call`() async throws {
        try await TestServer.run(["CORS_ORIGINS": "https://app.example.com"]) { server throws in
            for origin in ["https://evil.example", "null"] {
                let answer = try server.send(
                    "POST",
                    "/v1/accounts:signUp?key=k",
                    headers: ["Origin: \(origin)", "Content-Type: text/plain"],
                    body: Array("{}".utf8)
                )
                #expect(answer.status == 200)
                #expect(answer.header("access-control-allow-origin") == origin)
            }
        }
    }
}
