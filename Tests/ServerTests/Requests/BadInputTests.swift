import JSON
import Testing

@Suite("Bad input")
struct BadInputTests {
    private static let calls = [
        "accounts:signUp", "accounts:sendOobCode", "accounts:signInWithEmailLink", "accounts:signInWithTicket",
        "accounts:signOut", "accounts:lookup", "accounts:update", "accounts:delete", "accounts:resetPassword",
        "accounts:querySignInLink", "accounts:denySignInLink", "token",
    ]

    static let malformed: [(name: String, body: [UInt8])] = [
        ("no JSON", Array("hello".utf8)), ("an open object", Array("{".utf8)), ("an array", Array("[]".utf8)),
        ("a string", Array("\"x\"".utf8)), ("a number", Array("1".utf8)), ("null", Array("null".utf8)),
        ("two objects", Array("{}{}".utf8)), ("a trailing comma", Array(#"{"a":1,}"#.utf8)),
        ("a comment", Array("{/* */}".utf8)), ("single quotes", Array("{'a':1}".utf8)),
        ("a byte order mark", [0xEF, 0xBB, 0xBF, 0x7B, 0x7D]), ("UTF-16", [0x7B, 0x00, 0x7D, 0x00]),
        ("duplicate keys", Array(#"{"email":"a@b.co","email":"c@d.co"}"#.utf8)),
        ("duplicate keys, one of them escaped", Array(#"{"email":"a@b.co","\u0065mail":"c@d.co"}"#.utf8)),
        ("duplicate keys far down", Array(#"{"x":[{"a":{"b":1,"b":2}}]}"#.utf8)),
        ("invalid UTF-8", Array(#"{"email":""#.utf8) + [0xFF, 0xFE] + Array(#""}"#.utf8)),
        ("an overlong form", Array(#"{"email":""#.utf8) + [0xC0, 0xAF] + Array(#""}"#.utf8)),
        ("a lone surrogate", Array(#"{"email":"\uD800"}"#.utf8)),
        ("U+0000, escaped", Array(#"{"email":"a\u0000@b.co"}"#.utf8)),
        ("U+0000 in a key", Array(#"{"a\u0000":1}"#.utf8)),
        ("U+0000 as it is", Array(#"{"email":"a"#.utf8) + [0] + Array(#""}"#.utf8)),
        (
            "nesting of 33",
            Array((#"{"a":"# + String(repeating: "[", count: 32) + String(repeating: "]", count: 32) + "}").utf8)
        ),
        ("nesting of 60 000", Array(String(repeating: "[", count: 60_000).utf8)),
        ("objects in objects", Array(String(repeating: #"{"a":"#, count: 12_000).utf8)),
        ("a number that is none", Array(#"{"a":01}"#.utf8)), ("infinity", Array(#"{"a":1e}"#.utf8)),
    ]

    @Test func `malformed bodies are refused by every call, in the envelope`() async throws {
        try await TestServer.run { server in
            for call in Self.calls {
                for (name, body) in Self.malformed where !(call == "token" && body.first != UInt8(ascii: "{")) {
                    let answer = try server.call(call, bytes: body)
                    #expect(answer.status == 400, "\(call), \(name)")
                    #expect(answer.json["error"]?["status"]?.string == "INVALID_ARGUMENT", "\(call), \(name)")
                }
            }
        }
    }

    static let keys = [
        "email", "password", "idToken", "localId", "requestType", "newEmail", "continueUrl", "returnOobLink", "oobCode",
        "onConflict", "ticket", "code", "refreshToken", "grantType", "displayName", "photoUrl", "deleteProvider",
        "deleteAttribute", "validSince", "newPassword", "targetProjectId", "customAttributes",
    ]

    static let values = [
        "true", "0", "-1", "1.5", "1e400", "123456789012345678901234567890", "[]", "[null]", "[[\"x\"]]", "{}",
        #"{"a":"b"}"#, "\"\"", "\"x\"", "\"\\uFFFF\"", "\"\u{202E}\"", "\"'; DROP TABLE users; --\"", "\"%00\"",
        "\"" + String(repeating: "x", count: 20_000) + "\"", "[" + String(repeating: "\"x\",", count: 500) + "\"x\"]",
    ]

    @Test func `no value of any key makes more than a refusal`() async throws {
        try await TestServer.run { server in
            let connection = try HTTPConnection(port: server.port)
            let guest = try server.guest()
            for call in Self.calls {
                for key in Self.keys {
                    for value in Self.values {
                        var members = [#""\#(key)":\#(value)"#]
                        // The members before it are valid, so that the value is reached.
                        if key != "requestType" { members.append(#""requestType":"EMAIL_SIGNIN""#) }
                        if key != "grantType" { members.append(#""grantType":"refresh_token""#) }
                        if key != "idToken", call == "accounts:update" {
                            members.append(#""idToken":"\#(guest.idToken)""#)
                        }
                        try connection.send(
                            TestServer.request(
                                "POST",
                                "/v1/\(call)?key=k",
                                headers: ["Content-Type: application/json"],
                                body: Array("{\(members.joined(separator: ","))}".utf8)
                            )
                        )
                        let answer = try connection.answer()
                        guard answer.status != 200 else { continue }
                        #expect((400..<500).contains(answer.status), "\(call) \(key) \(value): \(answer.text)")
                        #expect(!answer.code.isEmpty)
                    }
                }
            }
            #expect(!server.log.contains("request.failed"))
        }
    }

    @Test(arguments: [("", 64 << 10), ("Authorization: Bearer owner", 1 << 20)])
    func `a body over 64 KiB is too large without a bearer, one over a mebibyte with it`(
        header: String,
        limit: Int
    ) async throws {
        try await TestServer.run { server in
            let headers = header.isEmpty ? [] : [header]
            let paths = [
                "/v1/accounts:signUp", "/v1/accounts:sendOobCode", "/v1/token", "/v1/projects/demo-latchkey/accounts",
                "/identitytoolkit.googleapis.com/v1/accounts:lookup", "/securetoken.googleapis.com/v1/token",
                "/www.googleapis.com/identitytoolkit/v3/relyingparty/signupNewUser",
            ]
            let padding = String(repeating: " ", count: limit - 2)
            for path in paths {
                func send(_ body: String) throws -> Answer {
                    try server.send("POST", "\(path)?key=k", headers: headers, body: Array(body.utf8))
                }
                let largest = try send("{\(padding)}")
                #expect(largest.status != 413, "\(path)")
                let answer = try send("{\(padding) }")
                #expect(answer.status == 413, "\(path)")
                #expect(answer.code == "BODY_TOO_LARGE")
            }
        }
    }

    @Test func `a body in chunks is too large as soon as it is longer than 64 KiB`() async throws {
        try await TestServer.run { server in
            let connection = try HTTPConnection(port: server.port)
            let head = "POST /v1/accounts:signUp?key=k HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked"
            try connection.send(Array("\(head)\r\n\r\n".utf8))
            try connection.send(Array("10001\r\n\(String(repeating: " ", count: 0x10001))\r\n".utf8))
            let answer = try connection.answer()
            #expect(answer.status == 413)
            #expect(answer.code == "BODY_TOO_LARGE")
        }
    }

    @Test func `600 parameters in a query are refused at once`() async throws {
        try await TestServer.run { server in
            let query = (0..<600).map { "a\($0)=1" }.joined(separator: "&")
            let begun = ContinuousClock.now
            let answer = try server.send("POST", "/v1/accounts:signUp?key=k&\(query)", body: Array("{}".utf8))
            #expect(answer.status == 400)
            #expect(answer.code == "MALFORMED_REQUEST")
            #expect(ContinuousClock.now - begun < .seconds(15))
        }
    }

    @Test func `headers without end are refused`() async throws {
        try await TestServer.run { server in
            let answer = try server.send(
                "GET",
                "/healthz",
                headers: ["X-Long: \(String(repeating: "x", count: 200_000))"]
            )
            #expect(answer.status == 431)
        }
    }

    @Test(arguments: [
        "key=%", "key=%zz", "key=k&key=j", "key", "=", "key=%00", "key=%FF", "&&&&",
    ])
    func `a strange query is no more than a refusal`(query: String) async throws {
        try await TestServer.run { server in
            for target in ["/v1/accounts:signUp?\(query)", "/auth/action?\(query)", "/auth/action?oobCode=\(query)"] {
                for method in ["GET", "POST", "PUT", "DELETE"] {
                    let answer = try server.send(method, target)
                    #expect(answer.status == 200 || (400..<500).contains(answer.status), "\(method) \(target)")
                }
            }
            #expect(!server.log.contains("request.failed"))
        }
    }

    @Test(arguments: [
        "/", "/..", "/v1/", "/v1/accounts", "/v1/accounts:", "/v1/accounts:signup", "/v1//accounts:signUp",
        "/v1/accounts%3AsignUp", "/mailbox/messages/../x", "/mailbox/messages/%2e%2e", "/auth/action/", "/%00", "/%FF",
        "/.well-known/", "/v1/projects/p/accounts:lookup",
    ])
    func `a strange path is no more than a refusal`(path: String) async throws {
        try await TestServer.run { server in
            for method in ["GET", "POST", "PATCH", "OPTIONS", "BREW"] {
                let answer = try server.send(method, path)
                #expect(answer.status < 500, "\(method) \(path): \(answer.status)")
            }
            #expect(!server.log.contains("request.failed"))
        }
    }
}
