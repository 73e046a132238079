import Accounts
import JSON
import Testing

@Suite("Usernames")
struct UsernameTests {
    private static func set(_ server: TestServer, _ token: String, _ name: JSONValue) throws -> Answer {
        try server.send(
            "POST",
            "/v1/accounts:setUsername",
            headers: ["Authorization: Bearer \(token)", "Content-Type: application/json"],
            body: (["username": name] as JSONValue).serialized()
        )
    }

    private static func find(_ server: TestServer, _ token: String, _ name: String) throws -> Answer {
        try server.send("GET", "/v1/usernames/\(name)", headers: ["Authorization: Bearer \(token)"])
    }

    @Test(arguments: [
        ("abc", true), ("Ann_1", true), ("a.b-c_d", true), ("...", true), (String(repeating: "x", count: 30), true),
        ("ab", false), ("", false), (String(repeating: "x", count: 31), false), ("ann smith", false), ("Änn", false),
        ("ann\u{301}", false), ("ann@", false), ("ann/1", false), ("ann\n", false), ("аnn", false),
    ])
    func `what is a username`(text: String, isOne: Bool) {
        #expect((Username(text) != nil) == isOne, "\(text)")
        if isOne { #expect(Username(text)?.canonical == text.lowercased()) }
    }

    @Test func `a name is claimed, spelled anew, changed and released`() async throws {
        try await TestServer.run { server in
            let ann = try server.guest(), bob = try server.signIn("bob@example.com")
            #expect(try server.user(ann.idToken)["username"] == nil)
            let claimed = try Self.set(server, ann.idToken, "Ann_1")
            #expect(claimed.status == 200)
            #expect(claimed.json == ["localId": .string(ann.uid), "username": "Ann_1"])
            #expect(try server.user(ann.idToken)["username"]?.string == "Ann_1")
            for spelling in ["ann_1", "ANN_1", "Ann_1"] {
                let refused = try Self.set(server, bob.idToken, .string(spelling))
                #expect(refused.status == 409 && refused.code == "USERNAME_TAKEN", "\(spelling)")
                let found = try Self.find(server, bob.idToken, spelling)
                #expect(found.json == ["username": "Ann_1", "available": false, "localId": .string(ann.uid)])
            }
            #expect(try Self.set(server, ann.idToken, "ANN_1")["username"] == "ANN_1")
            #expect(try Self.set(server, ann.idToken, "Anna")["username"] == "Anna")
            #expect(try Self.find(server, bob.idToken, "ann_1").json == ["username": "ann_1", "available": true])
            #expect(try Self.set(server, bob.idToken, "ann_1").status == 200)
            let released = try Self.set(server, ann.idToken, nil)
            #expect(released.json == ["localId": .string(ann.uid)])
            #expect(try Self.set(server, ann.idToken, nil).status == 200, "repeating it is harmless")
            #expect(try server.user(ann.idToken)["username"] == nil)
            #expect(try Self.find(server, bob.idToken, "Anna").json["available"] == true)
        }
    }

    @Test func `of a hundred claims of one name at once exactly one wins`() async throws {
        try await TestServer.run { server in
            let guests = try (0..<100).map { _ in try server.guest() }
            let connections = try guests.enumerated().map { number, guest in
                let connection = try HTTPConnection(port: server.port)
                let name = number % 2 == 0 ? "Popular" : "popular"
                let headers = ["Authorization: Bearer \(guest.idToken)"]
                let body = (["username": .string(name)] as JSONValue).serialized()
                return (
                    connection,
                    TestServer.request("POST", "/v1/accounts:setUsername", headers: headers, body: body)
                )
            }
            for (connection, bytes) in connections { try connection.send(bytes) }
            let codes = try connections.map { try $0.0.answer().code }
            #expect(codes.filter { $0 == "ok" }.count == 1)
            #expect(codes.filter { $0 == "USERNAME_TAKEN" }.count == 99)
            let winner = try #require(codes.firstIndex(of: "ok"))
            #expect(try Self.find(server, guests[0].idToken, "popular")["localId"] == guests[winner].uid)
        }
    }

    @Test func `a name is free again when its user is gone`() async throws {
        try await TestServer.run { server in
            let ann = try server.guest(), bob = try server.guest()
            #expect(try Self.set(server, ann.idToken, "ann").status == 200)
            _ = try server.call("accounts:signOut", ["refreshToken": .string(ann.refreshToken)])
            #expect(try Self.set(server, bob.idToken, "Ann").status == 200)
        }
    }

    @Test func `reserved words cannot be taken, however they are written`() async throws {
        try await TestServer.run { server in
            let ann = try server.guest()
            for name in ["admin", "Admin", "a.d.m.i.n", "_root_", "SUPPORT", "no-reply"] {
                let refused = try Self.set(server, ann.idToken, .string(name))
                #expect(refused.status == 409 && refused.code == "USERNAME_RESERVED", "\(name)")
                #expect(
                    try Self.find(server, ann.idToken, name).json == ["username": .string(name), "available": false]
                )
            }
            #expect(try Self.set(server, ann.idToken, "administratrix").status == 200)
        }
        try await TestServer.run(file: #"{ usernames: { reserved: ["Acme", "no-body"] } }"#) { server in
            let ann = try server.guest()
            for name in ["acme", "A_C_M_E", "nobody"] {
                #expect(try Self.set(server, ann.idToken, .string(name)).code == "USERNAME_RESERVED", "\(name)")
            }
            #expect(
                try Self.set(server, ann.idToken, "support").status == 200,
                "the list stands in place of the usual one"
            )
            try server.restarted(["USERNAMES_RESERVED": "support"]) { again in
                let kept = try Self.set(again, ann.idToken, "SUPPORT")
                #expect(kept.status == 200, "who has it keeps it")
            }
        }
    }

    @Test func `what is no name, no call or no caller is refused`() async throws {
        try await TestServer.run { server in
            let ann = try server.guest()
            for name in ["ab", "x y z", "ä-ö-ü", ""] {
                #expect(try Self.set(server, ann.idToken, .string(name)).code == "INVALID_USERNAME", "\(name)")
            }
            #expect(try Self.find(server, ann.idToken, "%C3%A4nn").code == "INVALID_USERNAME")
            #expect(try Self.find(server, ann.idToken, "a%00b").status == 400)
            #expect(try Self.set(server, ann.idToken, 17).status == 400)
            let bearer = ["Authorization: Bearer \(ann.idToken)"]
            let empty = try server.send("POST", "/v1/accounts:setUsername", headers: bearer, body: Array("{}".utf8))
            #expect(empty.code == "MISSING_USERNAME")
            #expect(try server.send("POST", "/v1/accounts:setUsername?key=k").code == "MISSING_ID_TOKEN")
            #expect(try server.send("GET", "/v1/usernames/ann").code == "MISSING_ID_TOKEN")
            #expect(try Self.find(server, "x", "ann").code == "INVALID_ID_TOKEN")
            _ = try server.call("accounts:signOut", ["refreshToken": .string(ann.refreshToken)])
            #expect(try Self.find(server, ann.idToken, "ann").code == "USER_NOT_FOUND")
            #expect(try Self.set(server, ann.idToken, "ann").code == "USER_NOT_FOUND")
        }
    }

    @Test func `a client cannot try names without end`() async throws {
        try await TestServer.runInProduction(["LIMITS_USERNAMES_PER_CLIENT": "3"]) { server in
            server.clock.startHour()
            let ann = try server.guest()
            #expect(try Self.set(server, ann.idToken, "ann").status == 200)
            #expect(try Self.find(server, ann.idToken, "bob").status == 200)
            #expect(try Self.find(server, ann.idToken, "x").code == "INVALID_USERNAME")
            for answer in [try Self.find(server, ann.idToken, "bob"), try Self.set(server, ann.idToken, "bob")] {
                #expect(answer.status == 429 && answer.code == "TOO_MANY_ATTEMPTS_TRY_LATER")
                #expect(answer.header("retry-after") != nil)
            }
        }
    }

    @Test func `web pages may ask`() async throws {
        try await TestServer.run { server in
            let ann = try server.guest()
            let answer = try server.send(
                "GET",
                "/v1/usernames/ann",
                headers: ["Authorization: Bearer \(ann.idToken)", "Origin: https://app.example.com"]
            )
            #expect(answer.header("access-control-allow-origin") == "https://app.example.com")
        }
    }
}
