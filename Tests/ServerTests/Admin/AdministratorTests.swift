import JSON
import Server
import Testing

@Suite("Administrator authentication")
struct AdministratorTests {
    private static let key = String(repeating: "k", count: 40)

    /// Every administrator's call: its method, its path after the project, and whether it changes anything.
    static let calls: [(method: String, path: String, body: String, changes: Bool)] = [
        ("POST", "/accounts", #"{"localId":"x"}"#, true),
        ("POST", "/accounts:lookup", "{}", false),
        ("POST", "/accounts:update", #"{"localId":"nobody"}"#, true),
        ("POST", "/accounts:delete", #"{"localId":"nobody"}"#, true),
        ("POST", "/accounts:batchDelete", #"{"localIds":["nobody"]}"#, true),
        ("GET", "/accounts:batchGet", "", false),
        ("POST", "/accounts:query", "{}", false),
        ("POST", ":queryAccounts", "{}", false),
        (
            "POST", "/accounts:sendOobCode",
            #"{"requestType":"EMAIL_SIGNIN","email":"x@example.com","returnOobLink":true}"#, true
        ),
        ("GET", "/users/nobody", "", false),
        ("GET", "/cleanup", "", false),
        ("PATCH", "/cleanup", #"{"enabled":false}"#, true),
    ]

    private static func send(
        _ server: TestServer,
        _ call: (method: String, path: String, body: String, changes: Bool),
        _ headers: [String],
        query: String = "",
        project: String = "demo-latchkey"
    ) throws -> Answer {
        try server.send(
            call.method,
            "/v1/projects/\(project)\(call.path)\(query)",
            headers: headers,
            body: Array(call.body.utf8)
        )
    }

    /// Signs in, and makes the user an administrator.
    private static func administrator(_ server: TestServer) throws -> Tokens {
        let ann = try server.signIn("ann@example.com")
        try server.withOperator { try $0.setAdministrator(true, ann.uid) }
        return ann
    }

    @Test func `no call is for clients, strangers or other projects`() async throws {
        try await TestServer.runInProduction(["ADMIN_KEY": Self.key]) { server in
            let guest = try server.guest()
            for call in Self.calls {
                let none = try Self.send(server, call, [])
                #expect(none.status == 403, "\(call.path): \(none.text)")
                #expect(none.json["error"]?["status"]?.string == "PERMISSION_DENIED")
                let byKey = try Self.send(server, call, [], query: "?key=k")
                #expect(byKey.status == 400 && byKey.code == "INSUFFICIENT_PERMISSION", "\(call.path): \(byKey.text)")
                for bearer in ["owner", "ya29.x", "", guest.idToken, String(Self.key.dropLast())] {
                    let answer = try Self.send(server, call, ["Authorization: Bearer \(bearer)"])
                    let expected = bearer.isEmpty ? 403 : 401
                    #expect(answer.status == expected, "\(call.path) \(bearer): \(answer.text)")
                }
                let own = ["Authorization: Bearer \(Self.key)"]
                #expect(try Self.send(server, call, own, project: "other").status == 403, "\(call.path)")
                let answer = try Self.send(server, call, own)
                #expect([200, 400, 404].contains(answer.status) && answer.code != "INSUFFICIENT_PERMISSION")
            }
        }
    }

    @Test func `an administrator's ID token opens every call, for as long as its session lives`() async throws {
        try await TestServer.runInProduction { server in
            let ann = try Self.administrator(server)
            let headers = ["Authorization: Bearer \(ann.idToken)"]
            for call in Self.calls {
                let answer = try Self.send(server, call, headers)
                #expect([200, 400, 404].contains(answer.status), "\(call.path): \(answer.text)")
                #expect(answer.code != "CREDENTIAL_TOO_OLD_LOGIN_AGAIN")
            }
            let byPlainPath = try server.admin(
                "accounts:lookup",
                ["localId": [.string(ann.uid)]],
                as: ann.idToken,
                scoped: false
            )
            #expect(byPlainPath.json["users"]?.array?.count == 1)
            _ = try server.call("accounts:signOut", ["refreshToken": .string(ann.refreshToken)])
            #expect(try Self.send(server, Self.calls[1], headers).status == 401)
        }
    }

    @Test func `an administrator whose sign-in is older than 15 minutes may read, but change nothing`() async throws {
        try await TestServer.run { server in
            server.clock.freeze()
            let ann = try Self.administrator(server)
            server.clock.advance(seconds: 899)
            for call in Self.calls {
                #expect(
                    try Self.send(server, call, ["Authorization: Bearer \(ann.idToken)"]).code
                        != "CREDENTIAL_TOO_OLD_LOGIN_AGAIN"
                )
            }
            server.clock.advance(seconds: 2)
            let refreshed = try server.refresh(ann.refreshToken)["id_token"]
            for token in [ann.idToken, refreshed] {
                for call in Self.calls {
                    let answer = try Self.send(server, call, ["Authorization: Bearer \(token)"])
                    if call.changes {
                        #expect(answer.status == 400 && answer.code == "CREDENTIAL_TOO_OLD_LOGIN_AGAIN", "\(call.path)")
                    } else {
                        #expect(answer.status == 200 || answer.code == "USER_NOT_FOUND", "\(call.path): \(answer.text)")
                    }
                }
            }
            for call in Self.calls where call.changes {
                let answer = try Self.send(server, call, ["Authorization: Bearer owner"])
                #expect(answer.code != "CREDENTIAL_TOO_OLD_LOGIN_AGAIN", "a key is never too old")
            }
            let again = try server.signIn("ann@example.com")
            #expect(try server.admin("accounts", as: again.idToken).status == 200)
        }
    }

    @Test func `a sign-in while the server's clock was ahead changes nothing once it is right`() async throws {
        try await TestServer.run { server in
            server.clock.advance(seconds: 3600)
            let ann = try Self.administrator(server)
            server.clock.advance(seconds: -3600)
            let token = try server.refresh(ann.refreshToken)["id_token"]
            for call in Self.calls where call.changes {
                let answer = try Self.send(server, call, ["Authorization: Bearer \(token)"])
                #expect(answer.code == "CREDENTIAL_TOO_OLD_LOGIN_AGAIN", "\(call.path): \(answer.text)")
            }
        }
    }

    @Test func `who is disabled, revoked or dismissed is none`() async throws {
        try await TestServer.run { server in
            let ends: [(TestServer, Tokens) throws -> Void] = [
                { server, ann in try server.withOperator { try $0.setAdministrator(false, ann.uid) } },
                { server, ann in _ = try server.change(ann.uid, ["disableUser": true]) },
                { server, ann in _ = try server.change(ann.uid, ["disableUser": false, "validSince": 99_999_999_999]) },
                { server, ann in _ = try server.admin("accounts:delete", ["localId": .string(ann.uid)]) },
            ]
            for end in ends {
                let ann = try Self.administrator(server)
                #expect(try server.admin("accounts:lookup", as: ann.idToken).status == 200)
                try end(server, ann)
                #expect(try server.admin("accounts:lookup", as: ann.idToken).status == 401)
                _ = try server.change(ann.uid, ["validSince": 0, "disableUser": false])
            }
            let ann = try Self.administrator(server)
            server.clock.advance(seconds: 3601)
            #expect(try server.admin("accounts:lookup", as: ann.idToken).status == 401, "an expired token")
        }
    }

    @Test func `guessing at keys ends, and the right key passes`() async throws {
        try await TestServer.runInProduction(["ADMIN_KEY": Self.key, "LIMITS_FAILURES_PER_CLIENT": "5"]) { server in
            let guest = try server.guest()
            func status(_ bearer: String) throws -> Int {
                try Self.send(server, Self.calls[1], ["Authorization: Bearer \(bearer)"]).status
            }
            for number in 0..<5 {
                #expect(try status("guess-\(number)") == 401)
                #expect(try status(guest.idToken) == 401, "signed, so no guess")
            }
            #expect(try status("guess") == 429)
            #expect(try status(guest.idToken) == 401)
            let right = try status(Self.key)
            #expect(right != 401 && right != 429, "the right key passes")
        }
    }

    @Test func `what clients get wrong does not shut out a back end at the same address`() async throws {
        try await TestServer.runInProduction(["ADMIN_KEY": Self.key, "LIMITS_FAILURES_PER_CLIENT": "5"]) { server in
            for _ in 0..<5 {
                #expect(try server.redeem("wrong", "ann@example.com").code == "INVALID_OOB_CODE")
            }
            #expect(try server.redeem("wrong", "ann@example.com").status == 429)
            let answer = try Self.send(server, Self.calls[1], ["Authorization: Bearer \(Self.key)"])
            #expect(answer.status != 429)
            #expect(answer.status != 401)
        }
    }

    @Test func `a UID of two words makes no administrators of its words`() async throws {
        try await TestServer.run { server in
            for uid in ["ann", "bob", "ann bob"] { try server.create(["localId": .string(uid)]) }
            try server.withOperator { desk in
                _ = #expect(throws: Operator.Failure.self) { try desk.setAdministrator(true, "ann bob") }
            }
            #expect(try server.administrators().isEmpty)
        }
    }
}
