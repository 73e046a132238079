import AccountDatabase
import Accounts
import Database
import Foundation
import JSON
import PostgreSQLHarness
import Server
import Testing

@Suite("Audit log")
struct AuditTests {
    private static let key = "an-administrator's-key-of-32-bytes-and-more"

    /// Returns the entries as `event actor`, the oldest first.
    private static func entries(
        _ server: TestServer,
        _ set: (inout Operator.AuditConditions) -> Void = { _ in }
    ) throws -> [String] {
        var conditions = Operator.AuditConditions(), lines: [String] = []
        set(&conditions)
        try server.withOperator { desk in
            lines = try desk.audit(conditions, limit: 1000).items.reversed().map { "\($0.event) \($0.actor)" }
        }
        return lines
    }

    @Test func `each entry names its actor`() async throws {
        let settings = ["ADMIN_LISTEN": "127.0.0.1:0", "ADMIN_KEY": Self.key, "PROJECT_ID": "p"]
        try await TestServer.runInProduction(settings) { server throws in
            let listener = try AdminClient(server)
            let ann = try server.signIn("ann@example.com"), bob = try server.signIn("bob@example.com")
            try server.withOperator { try $0.setAdministrator(true, ann.uid) }
            func change(_ path: String, _ body: String, _ headers: [String], at admin: Bool = false) throws -> Answer {
                let headers = headers + ["Content-Type: application/json"]
                let target = "/v1/projects/p/\(path)"
                return admin
                    ? try listener.send("POST", target, headers: headers, body: Array(body.utf8))
                    : try server.send("POST", target, headers: headers, body: Array(body.utf8))
            }
            let disable = #"{"localId":"\#(bob.uid)","disableUser":true}"#
            let enable = #"{"localId":"\#(bob.uid)","disableUser":false}"#
            let withKey = "Authorization: Bearer \(Self.key)"
            let answers = try [
                change("accounts:update", disable, ["Authorization: Bearer \(ann.idToken)"]),
                change("accounts:update", enable, [withKey, "X-Latchkey-Actor: billing / Eve"]),
                change("accounts:update", disable, [withKey]),
                change("accounts:update", enable, ["Authorization: Bearer owner"], at: true),
                change("accounts", #"{"localId":"made"}"#, [withKey]),
                change(
                    "accounts:sendOobCode",
                    #"{"requestType":"EMAIL_SIGNIN","email":"bob@example.com","returnOobLink":true}"#,
                    [withKey]
                ),
                change("accounts:sendOobCode", #"{"requestType":"EMAIL_SIGNIN","email":"bob@example.com"}"#, [withKey]),
                change("accounts:batchCreate", #"{"users":[{"localId":"u1"},{"localId":"u2"}]}"#, [withKey]),
                change("accounts:batchDelete", #"{"localIds":["u1"],"force":true}"#, [withKey]),
                change("accounts:delete", #"{"localId":"made"}"#, [withKey]),
            ]
            #expect(answers.map(\.status).allSatisfy { $0 == 200 }, "\(answers.map(\.text))")
            let login = Login.current(ProcessInfo.processInfo.environment)
            #expect(
                try Self.entries(server) { $0.user = bob.uid } == [
                    "user.created client", "user.changed administrator:\(ann.uid)", "user.changed key:billing / Eve",
                    "user.changed key", "user.changed owner", "link.made key", "mail.requested key",
                ]
            )
            #expect(
                try Self.entries(server) { $0.user = "ann@example.com" }.last == "administrator.added login:\(login)"
            )
            #expect(
                try Self.entries(server) { $0.actor = "key" }.suffix(6) == [
                    "user.created key", "link.made key", "mail.requested key", "users.imported key", "user.deleted key",
                    "user.deleted key",
                ]
            )
            #expect(try Self.entries(server) { $0.user = "made" } == ["user.created key", "user.deleted key"])
        }
    }

    @Test func `a UID that nothing knows is reported, and one without entries is not`() async throws {
        try await TestServer.run { server in
            let guest = try server.guest()
            #expect(try Self.entries(server) { $0.user = guest.uid }.isEmpty)
            #expect(throws: Operator.Failure.self) { try Self.entries(server) { $0.user = "mistyped" } }
        }
    }

    @Test(arguments: ["", "two\u{1F}parts", String(repeating: "x", count: 101)])
    func `a claimed name that the log cannot show is refused, and nothing changes`(name: String) async throws {
        try await TestServer.runInProduction(["ADMIN_KEY": Self.key, "PROJECT_ID": "p"]) { server throws in
            let answer = try server.send(
                "POST",
                "/v1/projects/p/accounts",
                headers: [
                    "Authorization: Bearer \(Self.key)", "X-Latchkey-Actor: \(name)", "Content-Type: application/json",
                ],
                body: Array(#"{"localId":"made"}"#.utf8)
            )
            #expect(answer.status == 400, "\(answer.text)")
            #expect(try Self.entries(server).isEmpty)
        }
    }

    @Test func `changes by users are recorded, and a guest's sign-up, look-up and refresh are not`() async throws {
        try await TestServer.run { server in
            let guest = try server.guest()
            _ = try server.lookup(guest.idToken)
            _ = try server.refresh(guest.refreshToken)
            #expect(try Self.entries(server).isEmpty)
            let ann = try server.signIn("ann@example.com")
            for _ in 0..<3 {
                let renamed = try server.call(
                    "accounts:update",
                    ["idToken": .string(ann.idToken), "displayName": "Ann"]
                )
                #expect(renamed.status == 200)
            }
            let named = try server.send(
                "POST",
                "/v1/accounts:setUsername",
                headers: ["Authorization: Bearer \(ann.idToken)", "Content-Type: application/json"],
                body: Array(#"{"username":"ann"}"#.utf8)
            )
            #expect(named.status == 200)
            for number in 0..<3 {
                let written = try server.send(
                    "PUT",
                    "/v1/documents/notes/n\(number)",
                    headers: ["Authorization: Bearer \(ann.idToken)", "Content-Type: application/json"],
                    body: Array("{}".utf8)
                )
                #expect(written.status == 201)
            }
            #expect(try server.call("accounts:signOut", ["refreshToken": .string(ann.refreshToken)]).status == 200)
            #expect(try server.call("accounts:signOut", ["refreshToken": .string(ann.refreshToken)]).status == 200)
            #expect(
                try Self.entries(server) { $0.user = ann.uid } == [
                    "user.created client", "user.changed client", "username.changed client", "documents.changed client",
                    "user.signed-out client",
                ],
                "a repeated change has one entry in a minute, and a repeated sign-out changes nothing"
            )
        }
    }

    @Test func `every command that changes something is recorded with its login and reason`() async throws {
        try await TestServer.run { server in
            let ann = try server.signIn("ann@example.com"), guest = try server.guest()
            let desk = try Operator(file: server.file, environment: server.environment, reason: "ticket 42")
            defer { desk.close() }
            try desk.setDisabled(true, "ann@example.com")
            try desk.setDisabled(false, ann.uid)
            try desk.setAdministrator(true, ann.uid)
            try desk.setAdministrator(true, ann.uid)
            try desk.setAdministrator(false, ann.uid)
            _ = try desk.changeCleanup(isOn: true)
            _ = try desk.rotateKeys(algorithm: nil)
            _ = try desk.resealKeys()
            try desk.eraseUser(guest.uid)
            #expect(throws: Operator.Failure.self) { try desk.retryMail("none") }
            #expect(throws: Operator.Failure.self) { try desk.retryHookMessage("none") }
            var conditions = Operator.AuditConditions()
            conditions.actor = "login"
            let found = try desk.audit(conditions, limit: 100).items
            #expect(
                found.reversed().map(\.event) == [
                    "user.changed", "user.changed", "administrator.added", "administrator.removed", "cleanup.changed",
                    "key.rotated", "keys.resealed", "user.deleted", "user.erased",
                ]
            )
            #expect(found.allSatisfy { $0.reason == "ticket 42" })
            for reason in ["", "two\nlines", String(repeating: "x", count: 301)] {
                #expect(throws: Operator.Failure.self) {
                    try Operator(file: server.file, environment: server.environment, reason: reason)
                }
            }
        }
    }

    @Test func `pages meet every entry once, and stop at the given time`() async throws {
        try await TestServer.run { server in
            let now = server.clock.now()
            try server.withDatabase { transaction in
                for number in 0..<25 {
                    let at = now - Int64(25 - number) * 3_600_000, uid = number % 2 == 0 ? "even" : "odd"
                    try transaction.execute(
                        "INSERT INTO audit_log (at, event, uid, detail) VALUES (\(at), 'e', \(uid), \("\(number)"))"
                    )
                }
            }
            func all(limit: Int, user: String? = nil, since: Int64? = nil) throws -> [Int] {
                var found: [Int] = [], page: String?, conditions = Operator.AuditConditions()
                conditions.user = user
                conditions.since = since
                try server.withOperator { desk in
                    repeat {
                        let part = try desk.audit(conditions, page: page, limit: limit)
                        found += part.items.compactMap { $0.detail.flatMap { Int($0) } }
                        page = part.nextPage
                    } while page != nil
                }
                return found
            }
            for limit in [1, 5, 10, 25, 26] { #expect(try all(limit: limit) == (0..<25).reversed()) }
            #expect(try all(limit: 4, user: "odd") == (0..<25).filter { $0 % 2 == 1 }.reversed())
            for limit in [1, 3, 100] {
                #expect(try all(limit: limit, since: now - 5 * 3_600_000) == [24, 23, 22, 21, 20])
            }
            try server.withOperator { desk in
                #expect(throws: Operator.Failure.self) { try desk.audit(.init(), page: "x", limit: 1) }
            }
        }
    }

    @Test func `a follower returns each new entry once, also one whose transaction ends late`() async throws {
        try await TestServer.run { server in
            func add(_ number: Int64, ago: Int64 = 0) throws {
                let at = server.clock.now() - ago
                try server.withDatabase { transaction in
                    try transaction.execute("INSERT INTO audit_log (id, at, event) VALUES (\(number), \(at), 'e')")
                }
            }
            try add(1, ago: 60_000)
            try add(5)
            try server.withOperator { desk in
                var follower = try desk.auditFollower(.init())
                func next() throws -> [Int64] { try follower.next().map(\.id) }
                #expect(try next() == [])
                try add(7)
                #expect(try next() == [7])
                try add(4)
                try add(6)
                #expect(try next() == [4, 6])
                #expect(try next() == [])
            }
        }
    }

    @Test func `a login is that of the session, of sudo, or of the process`() {
        #expect(Login.current([:], session: "0\n") == "root")
        #expect(Login.current(["SUDO_UID": "0"], session: "4294967295") == "root")
        #expect(Login.current(["SUDO_UID": "4242424"], session: nil) == "4242424")
        #expect(Login.current(["SUDO_UID": "x"], session: nil) == Login.name(of: getuid()))
    }
}
