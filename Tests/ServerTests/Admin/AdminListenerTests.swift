import Foundation
import JSON
import PostgreSQLHarness
import Server
import Testing

@Suite("Admin listener")
struct AdminListenerTests {
    private static let settings = ["ADMIN_LISTEN": "127.0.0.1:0", "PROJECT_ID": "p"]
    private static let owner = "Authorization: Bearer owner"
    private static let cleanup = "/v1/projects/p/cleanup"

    private static func run(
        _ more: [String: String] = [:],
        _ body: @escaping @Sendable (TestServer, AdminClient) throws -> Void
    ) async throws {
        try await TestServer.runInProduction(settings.merging(more) { $1 }) { server throws in
            try body(server, try AdminClient(server))
        }
    }

    @Test(arguments: ["Bearer owner", "bearer OWNER", "BEARER Owner"])
    func `the admin listener accepts Bearer owner, in production too`(bearer: String) async throws {
        try await Self.run { _, admin throws in
            let answer = try admin.send("GET", Self.cleanup, headers: ["Authorization: \(bearer)"])
            #expect(answer.status == 200, "\(answer.text)")
        }
    }

    @Test(arguments: ["Bearer owner", "Bearer ya29.a0AfH6SMB", "Bearer x"])
    func `the main listener refuses development's credentials while the admin listener is open`(bearer: String)
        async throws
    {
        try await Self.run { server, _ throws in
            for target in [Self.cleanup, "/v1/accounts:lookup?key=k", "/v1/accounts:signUp"] {
                let method = target == Self.cleanup ? "GET" : "POST"
                let answer = try server.send(method, target, headers: ["Authorization: \(bearer)"])
                #expect(answer.status == 401, "\(target) \(answer.text)")
            }
        }
    }

    @Test func `the admin listener refuses access tokens of Google and accepts the administrator's key`() async throws {
        let key = "an-administrator's-key-of-32-bytes-and-more"
        try await Self.run(["ADMIN_KEY": key]) { _, admin throws in
            func ask(_ headers: [String]) throws -> Int {
                try admin.send("GET", Self.cleanup, headers: headers).status
            }
            #expect(try ask(["Authorization: Bearer ya29.a0AfH6SMB"]) == 401)
            #expect(try ask(["Authorization: Bearer \(key)"]) == 200)
            #expect(try ask(["Authorization: Bearer other"]) == 401)
            #expect(try ask([]) == 403)
            #expect(try ask(["x-goog-api-key: k"]) == 400)
        }
    }

    @Test func `changes an administrator's sign-in methods, which no ID token does`() async throws {
        try await Self.run { server, admin throws in
            let ann = try server.signIn("ann@example.com")
            try server.withOperator { try $0.setAdministrator(true, ann.uid) }
            let body = #"{"localId":"\#(ann.uid)","email":"ann2@example.com","emailVerified":true}"#
            func change(_ bearer: String) throws -> Answer {
                let headers = ["Content-Type: application/json", "Authorization: Bearer \(bearer)"]
                let path = "/identitytoolkit.googleapis.com/v1/projects/p/accounts:update"
                return try admin.send("POST", path, headers: headers, body: Array(body.utf8))
            }
            #expect(try change(ann.idToken).code == "OPERATION_NOT_ALLOWED")
            #expect(try change("owner").status == 200)
        }
    }

    @Test func `answers what an unmodified Admin SDK sends`() async throws {
        try await Self.run { _, admin throws in
            func ask(_ method: String, _ path: String, _ body: String = "") throws -> Answer {
                try admin.send(
                    method,
                    "/identitytoolkit.googleapis.com/v1/projects/p/\(path)",
                    headers: ["authorization: Bearer owner", "X-Client-Version: Python/Admin/7.7.0"],
                    body: Array(body.utf8)
                )
            }
            #expect(try ask("POST", "accounts", #"{"localId":"a","email":"a@example.com"}"#)["localId"] == "a")
            let found = try ask("POST", "accounts:lookup", #"{"email":["a@example.com"]}"#)
            #expect(found.json["users"]?.array?.first?["localId"]?.string == "a")
            #expect(try ask("GET", "accounts:batchGet?maxResults=1000").json["users"]?.array?.count == 1)
            let claims = #"{"localId":"a","customAttributes":"{\"role\":\"x\"}"}"#
            #expect(try ask("POST", "accounts:update", claims)["localId"] == "a")
            let link = try ask(
                "POST",
                "accounts:sendOobCode",
                #"{"requestType":"EMAIL_SIGNIN","email":"a@example.com","returnOobLink":true}"#
            )
            #expect(link["oobLink"].contains(link["oobCode"]) && !link["oobCode"].isEmpty, "\(link.text)")
            #expect(try ask("POST", "accounts:delete", #"{"localId":"a"}"#).status == 200)
            #expect(try ask("POST", "accounts:lookup", #"{"localId":["a"]}"#).json["users"] == nil)
        }
    }

    @Test func `the admin listener serves its owner while another client has used up its failures`() async throws {
        try await Self.run(["LIMITS_FAILURES_PER_CLIENT": "2"]) { _, admin throws in
            for status in [401, 401, 429] {
                let answer = try admin.send("GET", Self.cleanup, headers: ["Authorization: Bearer x"])
                #expect(answer.status == status)
            }
            #expect(try admin.send("GET", Self.cleanup, headers: [Self.owner]).status == 200)
        }
    }

    @Test(arguments: [
        ("POST", "/v1/accounts:signUp?key=k"), ("POST", "/identitytoolkit.googleapis.com/v1/accounts:lookup?key=k"),
        ("POST", "/v1/token?key=k"), ("GET", "/"), ("GET", "/auth/action"), ("GET", "/.well-known/jwks.json"),
        ("GET", "/healthz"), ("GET", "/v1/documents"), ("GET", "/v1/projects?key=k"),
    ])
    func `the admin listener serves calls on projects only`(method: String, target: String) async throws {
        try await Self.run { server, admin throws in
            #expect(try admin.send(method, target, headers: [Self.owner]).status == 404)
            #expect(try server.send(method, target).status != 404, "the main listener knows it")
        }
    }

    @Test(arguments: [
        "Origin: https://app.example.com", "Origin: null", "Forwarded: for=203.0.113.1", "X-Forwarded-For: 127.0.0.1",
        "X-Forwarded-Host: localhost", "X-Real-IP: 127.0.0.1", "CF-Connecting-IP: 127.0.0.1",
        "True-Client-IP: 127.0.0.1", "X-Client-IP: 127.0.0.1", "Host: auth.example.com", "Host: evil.example:9199",
        "Host: localhost.evil.example", "Host: 127.0.0.1.evil.example",
    ])
    func `refuses what a web page, a proxy or a foreign name would bring, whatever the path`(
        header: String
    ) async throws {
        // Even if the proxy is a trusted one.
        try await Self.run(["TRUSTED_PROXIES": "127.0.0.1/32"]) { _, admin throws in
            for (method, target) in [
                ("GET", Self.cleanup), ("OPTIONS", Self.cleanup), ("GET", "/v1/projects/p/users/u"), ("GET", "/none"),
                ("POST", "/v1/projects/p/accounts"),
            ] {
                let answer = try admin.send(method, target, headers: [header, Self.owner])
                #expect(answer.status == 403, "\(method) \(target)")
                #expect(!answer.headers.contains { $0.name.hasPrefix("access-control") })
            }
        }
    }

    @Test(arguments: ["localhost", "LOCALHOST:9199", "127.0.0.1:1", "[::1]", "127.0.0.2:9199"])
    func `answers to the names of this machine and to its own address`(host: String) async throws {
        try await Self.run(["ADMIN_LISTEN": "127.0.0.2:0"]) { _, admin throws in
            #expect(try admin.send("GET", Self.cleanup, headers: [Self.owner, "Host: \(host)"]).status == 200)
        }
    }

    @Test func `knows one project`() async throws {
        try await Self.run { _, admin throws in
            #expect(try admin.send("GET", "/v1/projects/q/cleanup", headers: [Self.owner]).status == 403)
        }
    }

    @Test func `says at the start who is an administrator`() async throws {
        try await Self.run { server, admin throws in
            let line = try #require(server.instance.announcements.first)
            #expect(line.contains("127.0.0.1:\(admin.port)"))
            #expect(line.contains("every process on this machine is an administrator"))
        }
    }

    @Test func `the admin listener is off by default`() async throws {
        try await TestServer.runInProduction { server throws in
            #expect(server.instance.adminListener == nil)
            #expect(server.instance.announcements.isEmpty)
        }
    }

    @Test func `the admin listener is closed at a stop`() async throws {
        // An address of its own, because the server of another test may get the port as soon as it is free.
        try await Self.run(["ADMIN_LISTEN": "127.0.0.3:0"]) { server, admin throws in
            server.stop()
            #expect(throws: HTTPConnection.Broken.self) { _ = try admin.send("GET", Self.cleanup) }
        }
    }

    @Test func `the admin listener may be a Unix-domain socket`() async throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("latchkey-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let path = "\(folder.path)/s"
        try await TestServer.runInProduction(["ADMIN_LISTEN": "unix:\(path)", "PROJECT_ID": "p"]) { server throws in
            #expect(server.instance.announcements.first?.contains("process of this user") == true)
            let connection = try HTTPConnection(path: path)
            try connection.send(TestServer.request("GET", Self.cleanup, headers: [Self.owner], body: []))
            #expect(try connection.answer().status == 200)
            server.stop()
            #expect(!FileManager.default.fileExists(atPath: path))
        }
    }

    @Test(arguments: [
        ("0.0.0.0:9199", "not a loopback address"), ("192.168.0.1:9199", "not a loopback address"),
        ("[::]:9199", "not a loopback address"), ("9199", "must be a loopback address"),
        ("unix:", "must be a loopback address"), ("127.0.0.1:9099", "is the address that listen names"),
    ])
    func `stands on this machine alone, at a place of its own`(address: String, problem: String) throws {
        let error = #expect(throws: ConfigurationError.self) {
            _ = try Configuration.load(file: nil, environment: ["LATCHKEY_ADMIN_LISTEN": address])
        }
        #expect(error?.problems.contains { $0.key == "LATCHKEY_ADMIN_LISTEN" && $0.reason.contains(problem) } == true)
    }

    @Test func `the admin listener that cannot start stops the start, and leaves nothing running`() throws {
        try TestServer.inFolder { folder in
            let path = "\(folder.path)/s"
            try Data().write(to: URL(filePath: path))
            let database = try TestDatabase(in: folder.path)
            defer { withExtendedLifetime(database) {} }
            let configuration = try Configuration.load(
                file: nil,
                environment: [
                    "LATCHKEY_LISTEN": "127.0.0.1:0", "LATCHKEY_MAILBOX_LISTEN": "127.0.0.1:0",
                    "LATCHKEY_DATABASE": database.url, "LATCHKEY_SECRET": TestServer.secret,
                    "LATCHKEY_ADMIN_LISTEN": "unix:\(path)",
                ]
            )
            let error = #expect(throws: (any Error).self) {
                _ = try Instance.start(configuration, logger: Log { _ in }, announce: { _ in })
            }
            let reason = try #require(error)
            #expect("\(reason)".contains("not a socket"))
        }
    }
}

/// A program on this machine that calls the admin listener.
struct AdminClient {
    let port: UInt16
    private let host: String

    init(_ server: TestServer) throws {
        let address = try #require(server.instance.adminListener)
        port = try #require(address.split(separator: ":").last.flatMap { UInt16($0) })
        host = String(address.prefix { $0 != ":" })
    }

    /// Sends one request and reads its answer.
    func send(_ method: String, _ target: String, headers: [String] = [], body: [UInt8] = []) throws -> Answer {
        let connection = try HTTPConnection(port: port, at: host)
        try connection.send(TestServer.request(method, target, headers: headers, body: body))
        return try connection.answer(toHead: method == "HEAD")
    }
}
