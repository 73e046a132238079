import Foundation
import JSON
import Server
import Testing

@Suite("Block and allow lists")
struct AccessListTests {
    private static let proxy = ["TRUSTED_PROXIES": "127.0.0.1"]

    /// Writes a list into the server's folder, and returns its path.
    private static func write(_ name: String, _ lines: String, in folder: URL) throws -> String {
        let path = folder.appending(path: name).path
        try lines.write(toFile: path, atomically: true, encoding: .utf8)
        return path
    }

    /// Reads the settings again, as SIGHUP does, with further ones.
    private static func reload(_ server: TestServer, _ settings: [String: String]) {
        let environment = server.environment.merging(
            Dictionary(uniqueKeysWithValues: settings.map { ("LATCHKEY_LISTS_\($0)", $1) })
        ) { $1 }
        server.instance.reload { try Configuration.load(file: server.file, environment: environment) }
    }

    private static func ask(_ server: TestServer, _ email: String) throws -> Answer {
        try server.call("accounts:sendOobCode", ["requestType": "EMAIL_SIGNIN", "email": .string(email)])
    }

    @Test func `a blocked address and a domain outside the allow list get the usual answer and no e-mail`() async throws
    {
        try await TestServer.runInProduction(["LIMITS_MAILS_PER_CLIENT": "100"]) { server in
            server.clock.startHour()
            let bob = try server.signIn("bob@example.com")
            let usual = try Self.ask(server, "ann@example.com")
            try server.waitUntilMailsAreFinished()
            let blocked = try Self.write(
                "blocked",
                "# abuse\nbob@example.com\r\ntrash.example  # a domain\n",
                in: server.folder
            )
            Self.reload(server, ["BLOCKED_ADDRESSES": blocked])
            let known = try server.allMessages().count
            for email in ["bob@example.com", "bob+x@example.com", "x@trash.example"] {
                let answer = try Self.ask(server, email)
                #expect(answer.status == 200 && answer.keys == usual.keys, "\(answer.text)")
                try server.waitUntilMailsAreFinished()
                #expect(
                    try server.redeemTicket(answer["ticket"]).code == "TICKET_PENDING",
                    "as for an e-mail that was sent"
                )
                #expect(try server.redeemTicket(answer["ticket"], code: "00000000").code == "INVALID_SIGN_IN_CODE")
            }
            #expect(try server.allMessages().count == known)
            #expect(try server.refresh(bob.refreshToken).status == 200, "a session goes on")
            try server.withOperator { desk in
                let moot = try desk.outbox(state: "moot", limit: 10).items
                #expect(moot.count == 3 && moot.allSatisfy { $0.reason?.contains("lists.blockedAddresses") == true })
            }
            let allowed = try Self.write("allowed", "school.example\n", in: server.folder)
            Self.reload(server, ["ALLOWED_DOMAINS": allowed])
            #expect(try Self.ask(server, "ann@example.com").status == 200)
            #expect(try Self.ask(server, "kim@school.example").status == 200)
            #expect(try server.message(after: known).to == "kim@school.example", "and bob is blocked no more")
            Self.reload(server, [:])
            #expect(try Self.ask(server, "ann@example.com").status == 200)
            #expect(try server.message(after: known + 1).to == "ann@example.com")
        }
    }

    @Test func `a blocked network gets 429 for every path, until the list is read again`() async throws {
        try await TestServer.runInProduction(Self.proxy) { server in
            func ask(_ path: String, from client: String) throws -> Answer {
                try server.send("GET", path, headers: ["X-Forwarded-For: \(client)"])
            }
            let list = try Self.write("networks", "192.0.2.0/24\n2001:db8:1::/48\n", in: server.folder)
            Self.reload(server, ["BLOCKED_NETWORKS": list])
            for client in ["192.0.2.1", "2001:db8:1:2::3"] {
                for path in ["/", "/healthz", "/.well-known/jwks.json", "/nowhere"] {
                    let answer = try ask(path, from: client)
                    #expect(answer.status == 429 && answer.header("retry-after") == "3600", "\(path) \(answer.text)")
                }
                let up = try server.call("accounts:signUp", headers: ["X-Forwarded-For: \(client)"])
                #expect(up.code == "TOO_MANY_ATTEMPTS_TRY_LATER")
            }
            #expect(try ask("/healthz", from: "192.0.3.1").status == 200)
            #expect(try ask("/healthz", from: "2001:db8:2::1").status == 200)
            _ = try Self.write("networks", "", in: server.folder)
            Self.reload(server, ["BLOCKED_NETWORKS": list])
            #expect(try ask("/healthz", from: "192.0.2.1").status == 200)
        }
    }

    @Test func `an allowed network is exempt from limits of networks`() async throws {
        let settings = Self.proxy.merging(["LIMITS_GUESTS_PER_CLIENT": "2", "LIMITS_MAILS_PER_CLIENT": "2"]) { $1 }
        try await TestServer.runInProduction(settings) { server in
            server.clock.startHour()
            let list = try Self.write("allowed", "192.0.2.0/24", in: server.folder)
            Self.reload(server, ["ALLOWED_NETWORKS": list])
            func status(_ call: String, _ body: JSONValue, _ client: String) throws -> Int {
                try server.call(call, body, headers: ["X-Forwarded-For: \(client)"]).status
            }
            for number in 0..<4 {
                #expect(try status("accounts:signUp", [:], "192.0.2.1") == 200)
                #expect(try status("accounts:signUp", [:], "192.0.3.1") == (number < 2 ? 200 : 429))
                let mail: JSONValue = ["requestType": "EMAIL_SIGNIN", "email": .string("u\(number)@example.com")]
                #expect(try status("accounts:sendOobCode", mail, "192.0.2.1") == 200)
                #expect(try status("accounts:sendOobCode", mail, "192.0.3.1") == (number < 2 ? 200 : 429))
            }
        }
    }

    @Test func `an allowed network may have more connections than limits.connectionsPerClient`() async throws {
        try await TestServer.runInProduction(["LIMITS_CONNECTIONS_PER_CLIENT": "2"]) { server in
            let list = try Self.write("allowed", "127.0.7.0/24", in: server.folder)
            Self.reload(server, ["ALLOWED_NETWORKS": list])
            func open(_ count: Int, from source: String) throws -> [HTTPConnection] {
                try (0..<count).map { _ in try HTTPConnection(port: server.port, from: source) }
            }
            let school = try open(5, from: "127.0.7.1"), others = try open(3, from: "127.0.8.1")
            func isServed(_ connection: HTTPConnection) -> Bool {
                let request = "GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n"
                guard (try? connection.send(Array(request.utf8))) != nil else { return false }
                return (try? connection.answer().status) == 200
            }
            #expect(school.map(isServed) == [true, true, true, true, true])
            #expect(others.map(isServed) == [true, true, false])
        }
    }

    @Test(arguments: [
        ("BLOCKED_ADDRESSES", "a@b.example\nnot an entry\n", 2), ("ALLOWED_DOMAINS", "\n\na@b.example", 3),
        ("BLOCKED_NETWORKS", "192.0.2.0/33", 1), ("ALLOWED_NETWORKS", "192.0.2.1\nexample.com", 2),
    ])
    func `a bad line is named, and a reload with it changes nothing`(key: String, lines: String, line: Int) async throws
    {
        try await TestServer.run { server in
            let list = try Self.write("list", lines, in: server.folder)
            Self.reload(server, [key: list])
            try server.eventually("the reload is refused") {
                server.log.contains("reload.refused") && server.log.contains("list, line \(line)")
            }
            Self.reload(server, [key: "/nonexistent"])
            try server.eventually("the reload is refused") { server.log.contains("/nonexistent cannot be read") }
        }
    }
}
