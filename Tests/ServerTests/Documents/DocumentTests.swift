import AccountDatabase
import Database
import Foundation
import JSON
import PostgreSQLHarness
import Server
import Testing

@Suite("Documents over HTTP")
struct DocumentTests {
    // MARK: One document

    @Test func `a document is made, read, changed and deleted`() async throws {
        try await TestServer.run { server in
            let ann = try server.guest().idToken
            let made = try server.document("PUT", "notes/1", #"{ "text" : "a", "n": 1 }"#, ann)
            #expect(made.status == 201)
            #expect(made.text == #"{"text":"a","n":1}"#)
            #expect(made.header("etag") == "\"1\"")
            #expect(made.header("content-type") == "application/json; charset=utf-8")
            let replaced = try server.document("PUT", "notes/1", #"{"text":"b"}"#, ann)
            #expect(replaced.status == 200 && replaced.header("etag") == "\"2\"")
            let read = try server.document("GET", "notes/1", ann)
            #expect(read.status == 200 && read.text == #"{"text":"b"}"# && read.header("etag") == "\"2\"")
            #expect(read.header("cache-control") == "no-store")
            let patched = try server.document("PATCH", "notes/1", #"{"n":2,"text":null}"#, ann)
            #expect(patched.status == 200 && patched.text == #"{"n":2}"# && patched.header("etag") == "\"3\"")
            let head = try server.document("HEAD", "notes/1", ann)
            #expect(head.status == 200 && head.header("etag") == "\"3\"" && head.header("content-length") == "7")
            let deleted = try server.document("DELETE", "notes/1", ann)
            #expect(deleted.status == 204 && deleted.body.isEmpty)
            #expect(try server.document("DELETE", "notes/1", ann).status == 204)
            let gone = try server.document("GET", "notes/1", ann)
            #expect(gone.status == 404 && gone.code == "DOCUMENT_NOT_FOUND")
            #expect(gone.json["error"]?["status"]?.string == "NOT_FOUND")
            let again = try server.document("PATCH", "notes/1", #"{"x":{"y":null}}"#, ann)
            #expect(again.status == 201 && again.text == #"{"x":{}}"# && again.header("etag") == "\"5\"")
        }
    }

    struct Text: Sendable {
        let sent: String
        /// The stored text, if it differs from the sent text.
        var kept: String?
    }

    static let texts = [
        Text(sent: #"{"z":1,"a":2,"m":{"c":1,"b":2}}"#),
        Text(sent: #"{"big":123456789012345678901234567890,"negative":-9223372036854775809}"#),
        Text(sent: #"{"d":1.10,"e":1e400,"f":-0,"g":-0.0,"h":1E+2,"i":0.1e-10,"j":100.000}"#),
        Text(sent: #"{"s":"\"\\\b\f\n\r\t\u0001\u001f/"}"#),
        Text(sent: #"{"s":"\u00e9\/\u0041\ud83e\uddee"}"#, kept: "{\"s\":\"é/A\u{1F9EE}\"}"),
        Text(sent: "{\"\u{e9}\":1,\"e\u{301}\":2,\"\u{202E}\":\"\u{FEFF}\u{2028}\u{FFFF}\"}"),
        Text(sent: " {\t\"a\" :\r\n [ 1 , { } , [ ] ] } \n", kept: #"{"a":[1,{},[]]}"#),
        Text(sent: #"{"":{"":[null,true,false,""]},"__proto__":{"a":1}}"#),
        Text(sent: "{}"),
    ]

    @Test func `what is stored comes back byte for byte, in compact form`() async throws {
        try await TestServer.run { server in
            let ann = try server.guest().idToken
            for (index, text) in Self.texts.enumerated() {
                let kept = Array((text.kept ?? text.sent).utf8)
                #expect(try server.document("PUT", "c/\(index)", text.sent, ann).body == kept)
                #expect(try server.document("GET", "c/\(index)", ann).body == kept)
                // An empty patch, and an empty patch within, do not change it either.
                #expect(try server.document("PATCH", "c/\(index)", "{}", ann).body == kept)
            }
            let list = try server.document("GET", "?collection=c", ann)
            for text in Self.texts { #expect(list.text.contains(#""document":\#(text.kept ?? text.sent)}"#)) }
        }
    }

    static let malformed: [(name: String, body: [UInt8], code: String)] = [
        ("nothing", [], "INVALID_DOCUMENT"), ("no JSON", Array("hello".utf8), "INVALID_DOCUMENT"),
        ("a list", Array("[]".utf8), "INVALID_DOCUMENT"), ("null", Array("null".utf8), "INVALID_DOCUMENT"),
        ("a string", Array(#""x""#.utf8), "INVALID_DOCUMENT"),
        ("two objects", Array("{}{}".utf8), "INVALID_DOCUMENT"),
        ("a key twice", Array(#"{"a":1,"\u0061":2}"#.utf8), "INVALID_DOCUMENT"),
        ("a key twice far down", Array(#"{"x":[{"a":1,"a":2}]}"#.utf8), "INVALID_DOCUMENT"),
        ("invalid UTF-8", Array(#"{"a":""#.utf8) + [0xFF] + Array(#""}"#.utf8), "INVALID_DOCUMENT"),
        ("a lone surrogate", Array(#"{"a":"\ud800"}"#.utf8), "INVALID_DOCUMENT"),
        ("U+0000", Array(#"{"a":"\u0000"}"#.utf8), "INVALID_DOCUMENT"),
        ("U+0000 in a key", Array(#"{"b":{"a\u0000":1}}"#.utf8), "INVALID_DOCUMENT"),
        ("nesting of 33", Array(nested(33).utf8), "DOCUMENT_TOO_DEEP"),
        ("nesting of 100 000", Array(String(repeating: #"{"a":"#, count: 100_000).utf8), "DOCUMENT_TOO_DEEP"),
    ]

    private static func nested(_ depth: Int) -> String {
        #"{"a":"# + String(repeating: "[", count: depth - 1) + String(repeating: "]", count: depth - 1) + "}"
    }

    @Test func `what is no document is refused, and nothing changes`() async throws {
        try await TestServer.run { server in
            let ann = try server.guest().idToken
            for method in ["PUT", "PATCH"] {
                for (name, body, code) in Self.malformed {
                    let answer = try server.document(method, "c/1", bytes: body, ann)
                    #expect(answer.status == 400 && answer.code == code, "\(method), \(name): \(answer.text)")
                }
            }
            #expect(try server.document("GET", "c/1", ann).status == 404)
            for (method, path) in [("PUT", "c/put"), ("PATCH", "c/patch")] {
                #expect(try server.document(method, path, Self.nested(32), ann).text == Self.nested(32))
            }
        }
    }

    @Test func `names are checked wherever they come from`() async throws {
        try await TestServer.run { server in
            let ann = try server.guest().idToken
            let long = String(repeating: "x", count: 129)
            for name in [".", "..", "%2E", "a%2Fb", "a%20b", "%C3%A9", "a:b", "*", "a+b", long] {
                for path in ["\(name)/a", "a/\(name)"] {
                    for method in ["GET", "PUT", "PATCH", "DELETE"] {
                        let answer = try server.document(method, path, "{}", ann)
                        #expect(answer.status == 400 && answer.code == "INVALID_DOCUMENT_NAME", "\(method) \(path)")
                    }
                }
            }
            for path in ["a/b/c", "a", "a/", "/a", "/"] {
                #expect(try server.document("GET", path, ann).status == 404, "\(path)")
            }
            for path in ["a/%FF", "%zz/a", "a/%00"] {
                #expect(try server.document("GET", path, ann).status == 400, "\(path)")
            }
            let longest = String(repeating: "x", count: 128)
            #expect(try server.document("PUT", "\(longest)/\(longest)", "{}", ann).status == 201)
            #expect(try server.document("GET", "\(longest)/%78\(longest.dropFirst())", ann).status == 200)
            #expect(try server.document("GET", "?collection=a%2Fb", ann).code == "INVALID_DOCUMENT_NAME")
        }
    }

    // MARK: Preconditions

    struct Precondition: Sendable {
        let header: String
        /// The status for a document at version 2.
        let status: Int
        /// The status without a document.
        let absent: Int
    }

    static let preconditions = [
        Precondition(header: #"If-Match: "2""#, status: 200, absent: 412),
        Precondition(header: #"If-Match: "1""#, status: 412, absent: 412),
        Precondition(header: #"If-Match: "1", "2""#, status: 200, absent: 412),
        Precondition(header: #"If-Match:"7","x,y","#, status: 412, absent: 412),
        Precondition(header: #"If-Match: "02""#, status: 412, absent: 412),
        Precondition(header: #"If-Match: W/"2""#, status: 412, absent: 412),
        Precondition(header: "If-Match: *", status: 200, absent: 412),
        Precondition(header: "If-None-Match: *", status: 412, absent: 201),
        Precondition(header: #"If-None-Match: "2""#, status: 412, absent: 201),
        Precondition(header: #"If-None-Match: W/"2""#, status: 412, absent: 201),
        Precondition(header: #"If-None-Match: "1""#, status: 200, absent: 201),
        Precondition(header: "If-Match: 2", status: 400, absent: 400),
        Precondition(header: #"If-Match: "2"#, status: 400, absent: 400),
        Precondition(header: #"If-Match: "1" "2""#, status: 400, absent: 400),
        Precondition(header: #"If-Match: *, "2""#, status: 400, absent: 400),
        Precondition(header: "If-None-Match: ,", status: 400, absent: 400),
    ]

    @Test func `preconditions are those of HTTP`() async throws {
        try await TestServer.run { server in
            for example in Self.preconditions {
                for method in ["PUT", "PATCH", "DELETE"] {
                    let ann = try server.guest().idToken
                    _ = try server.document("PUT", "c/other", "{}", ann)
                    _ = try server.document("PUT", "c/1", "{}", ann)
                    let isDeletion = method == "DELETE"
                    let there = try server.document(method, "c/1", #"{"a":1}"#, ann, [example.header])
                    let expected = isDeletion && example.status == 200 ? 204 : example.status
                    #expect(there.status == expected, "\(method), \(example.header): \(there.text)")
                    if there.status == 412 { #expect(there.code == "PRECONDITION_FAILED") }
                    let absent = try server.document(method, "c/none", #"{"a":1}"#, ann, [example.header])
                    let expectedAbsent = isDeletion && example.absent == 201 ? 204 : example.absent
                    #expect(absent.status == expectedAbsent, "\(method), \(example.header): \(absent.text)")
                }
            }
        }
    }

    @Test func `a reader who knows the version gets no body`() async throws {
        try await TestServer.run { server in
            let ann = try server.guest().idToken
            _ = try server.document("PUT", "c/1", "{}", ann)
            for header in [#"If-None-Match: "1""#, #"If-None-Match: "9", W/"1""#, "If-None-Match: *"] {
                let answer = try server.document("GET", "c/1", "", ann, [header])
                #expect(answer.status == 304 && answer.header("etag") == "\"1\"", "\(header)")
            }
            #expect(try server.document("GET", "c/1", "", ann, [#"If-None-Match: "2""#]).status == 200)
            #expect(try server.document("GET", "c/1", "", ann, [#"If-Match: "2""#]).status == 412)
            #expect(try server.document("GET", "c/2", "", ann, ["If-None-Match: *"]).status == 404)
        }
    }

    // MARK: Limits

    @Test func `each configured limit holds at it and one beyond it`() async throws {
        let settings = [
            "DOCUMENTS_MAX_BYTES": "40", "DOCUMENTS_MAX_DEPTH": "3", "DOCUMENTS_MAX_COUNT": "3",
            "DOCUMENTS_MAX_TOTAL_BYTES": "100",
        ]
        try await TestServer.run(settings) { server in
            let ann = try server.guest().idToken
            func text(_ bytes: Int) -> String { #"{"a":"\#(String(repeating: "x", count: bytes - 8))"}"# }
            let tooLarge = try server.document("PUT", "c/1", text(41), ann)
            #expect(tooLarge.status == 413 && tooLarge.code == "DOCUMENT_TOO_LARGE")
            // White space does not count.
            let spaces = String(repeating: " ", count: 1000)
            #expect(try server.document("PUT", "c/1", spaces + text(40), ann).status == 201)
            let body = [UInt8](repeating: UInt8(ascii: " "), count: (1 << 20) + 1)
            let tooLong = try server.document("PUT", "c/1", bytes: body, ann)
            #expect(tooLong.status == 413 && tooLong.code == "BODY_TOO_LARGE")
            #expect(try server.document("PUT", "c/2", Self.nested(4), ann).code == "DOCUMENT_TOO_DEEP")
            #expect(try server.document("PUT", "c/2", Self.nested(3), ann).status == 201)
            let quota = try server.document("PUT", "c/3", text(40), ann)
            #expect(quota.status == 201)
            let beyond = try server.document("PATCH", "c/2", #"{"b":"123456789"}"#, ann)
            #expect(beyond.status == 403 && beyond.code == "DOCUMENT_QUOTA_EXCEEDED", "\(beyond.text)")
            #expect(try server.document("PATCH", "c/2", #"{"b":"1"}"#, ann).status == 200)
            let fourth = try server.document("PUT", "c/4", "{}", ann)
            #expect(fourth.status == 403 && fourth.code == "TOO_MANY_DOCUMENTS")
            #expect(try server.document("DELETE", "c/3", ann).status == 204)
            #expect(try server.document("PUT", "c/4", "{}", ann).status == 201)
        }
    }

    // MARK: Permissions

    @Test func `only a good token of the owner gets in`() async throws {
        try await TestServer.run { server in
            let ann = try server.signIn("ann@example.com")
            let bob = try server.guest().idToken
            _ = try server.document("PUT", "c/1", #"{"of":"ann"}"#, ann.idToken)
            #expect(try server.document("GET", "c/1", bob).status == 404)
            #expect(try server.document("GET", "", bob).text == #"{"documents":[]}"#)
            #expect(try server.document("DELETE", "c/1", bob).status == 204)
            #expect(try server.document("PATCH", "c/1", #"{"a":1}"#, bob).status == 201)
            #expect(try server.document("GET", "c/1", ann.idToken).text == #"{"of":"ann"}"#)

            for header in ["Accept: */*", "Authorization: Bearer ", "Authorization: Basic YTpi"] {
                try refused(server, [header], "MISSING_ID_TOKEN")
            }
            for header in ["Authorization: Bearer a.b.c", "Authorization: Bearer owner"] {
                try refused(server, [header], "INVALID_ID_TOKEN")
            }
            // A token in the query is ignored, and an API key is not a token.
            let inQuery = try server.send("GET", "/v1/documents/c/1?key=k&idToken=\(ann.idToken)")
            #expect(inQuery.code == "MISSING_ID_TOKEN")
        }
    }

    @Test func `expired, revoked and disabled users' tokens are refused`() async throws {
        try await TestServer.run { server in
            let revoked = try server.signIn("ann@example.com")
            _ = try server.call("accounts:signOut", ["refreshToken": .string(revoked.refreshToken)])
            try refused(server, ["Authorization: Bearer \(revoked.idToken)"], "TOKEN_EXPIRED")
            let gone = try server.guest()
            _ = try server.call("accounts:signOut", ["refreshToken": .string(gone.refreshToken)])
            try refused(server, ["Authorization: Bearer \(gone.idToken)"], "USER_NOT_FOUND")
            let disabled = try server.guest()
            let desk = try Operator(file: nil, environment: server.environment)
            defer { desk.close() }
            try desk.setDisabled(true, disabled.uid)
            let answer = try server.document("PUT", "c/1", "{}", disabled.idToken)
            #expect(["USER_DISABLED", "TOKEN_EXPIRED"].contains(answer.code))
            let expired = try server.guest()
            server.clock.advance(seconds: 3601)
            try refused(server, ["Authorization: Bearer \(expired.idToken)"], "TOKEN_EXPIRED")
        }
    }

    private func refused(_ server: TestServer, _ headers: [String], _ code: String) throws {
        let calls = [
            ("GET", "/c/1", ""), ("PUT", "/c/1", "{}"), ("PATCH", "/c/1", "{}"), ("DELETE", "/c/1", ""),
            ("GET", "", ""),
            ("PATCH", "", #"{"writes":[{"collection":"c","id":"1","delete":true}]}"#),
        ]
        for (method, path, body) in calls {
            let answer = try server.send(method, "/v1/documents\(path)", headers: headers, body: Array(body.utf8))
            #expect(answer.status == 400 && answer.code == code, "\(method) \(path): \(answer.text)")
        }
    }

    @Test func `web pages may call it from any origin, with what it takes`() async throws {
        try await TestServer.run { server in
            for (path, methods) in [("/c/1", ["GET", "PUT", "PATCH", "DELETE"]), ("", ["GET", "PATCH"])] {
                for method in methods {
                    let answer = try server.send(
                        "OPTIONS",
                        "/v1/documents\(path)",
                        headers: [
                            "Origin: https://app.example", "Access-Control-Request-Method: \(method)",
                            "Access-Control-Request-Headers: authorization,if-match,if-none-match,content-type",
                        ]
                    )
                    #expect(answer.status == 204)
                    #expect(answer.header("access-control-allow-origin") == "https://app.example")
                    let allowed = answer.header("access-control-allow-methods") ?? ""
                    #expect(allowed.components(separatedBy: ", ").contains(method), "\(allowed)")
                    #expect(
                        answer.header("access-control-allow-headers")
                            == "authorization,if-match,if-none-match,content-type"
                    )
                }
            }
            let ann = try server.guest().idToken
            let answer = try server.document("PUT", "c/1", "{}", ann, ["Origin: https://app.example"])
            #expect(answer.header("access-control-allow-origin") == "https://app.example")
            #expect(answer.header("access-control-expose-headers") == "ETag, Retry-After, X-Request-Id")
            #expect(answer.header("access-control-allow-credentials") == nil)
            #expect(try server.document("POST", "c/1", "{}", ann).status == 405)
        }
    }

    @Test(.disabled(if: TestDatabase.isFile, "the queries of a file's transaction see one state"))
    func `a session that ends while its documents are read sees none of a later time`() async throws {
        try await TestServer.run { server in
            let ann = try server.guest().idToken
            #expect(try server.document("PUT", "notes/1", #"{"text":"before"}"#, ann).status == 201)
            nonisolated(unsafe) let reading = try HTTPConnection(port: server.port)
            let list = TestServer.request(
                "GET",
                "/v1/documents",
                headers: ["Authorization: Bearer \(ann)"],
                body: []
            )
            try server.withDatabase { transaction in
                try transaction.execute("LOCK TABLE documents IN ACCESS EXCLUSIVE MODE")
                try unsafe reading.send(list)
                // The call has found the session by then, and waits for the documents.
                try server.eventually("the call waits") {
                    // In all databases, the table has the same number.
                    let waiting: SQL = """
                        SELECT 1 FROM pg_locks WHERE NOT granted AND relation = 'documents'::regclass
                            AND database = (SELECT oid FROM pg_database WHERE datname = current_database())
                        """
                    return try transaction.first(waiting) { _ in true } ?? false
                }
                try transaction.execute("UPDATE sessions SET ended_at = \(transaction.now)")
                try transaction.execute("UPDATE documents SET content = \(#"{"text":"after"}"#)")
            }
            let answer = try unsafe reading.answer()
            #expect(answer.status == 200 && answer.text.contains("before"), "\(answer.text)")
            let after = try server.send("GET", "/v1/documents", headers: ["Authorization: Bearer \(ann)"])
            #expect(after.code == "TOKEN_EXPIRED", "\(after.status) \(after.text)")
        }
    }
}

extension TestServer {
    /// Makes a call on documents, with the path after `/v1/documents`.
    func document(
        _ method: String,
        _ path: String,
        _ body: String,
        _ idToken: String,
        _ headers: [String] = []
    ) throws -> Answer {
        try document(method, path, bytes: Array(body.utf8), idToken, headers)
    }

    func document(_ method: String, _ path: String, _ idToken: String) throws -> Answer {
        try document(method, path, bytes: [], idToken)
    }

    func document(
        _ method: String,
        _ path: String,
        bytes: [UInt8],
        _ idToken: String,
        _ headers: [String] = []
    ) throws -> Answer {
        try send(
            method,
            Self.documents(path),
            headers: ["Authorization: Bearer \(idToken)"] + headers,
            body: method == "GET" || method == "HEAD" || method == "DELETE" ? [] : bytes
        )
    }

    /// Returns the target of a document's path, or of a query on all documents.
    static func documents(_ path: String) -> String {
        path.isEmpty || path.hasPrefix("?") ? "/v1/documents\(path)" : "/v1/documents/\(path)"
    }
}
