import Foundation
import JSON
import Testing

@testable import Server

/// The contract's 3.11, `accounts:batchCreate`.
@Suite("Imports of users by call")
struct BatchCreateTests {
    private static let path = "/identitytoolkit.googleapis.com/v1/projects/demo-latchkey/accounts:batchCreate"
    private static let owner = ["Authorization: Bearer owner", "Content-Type: application/json"]
    private static let kind: JSONValue = "identitytoolkit#UploadAccountResponse"

    private static func upload(_ server: TestServer, _ body: JSONValue, headers: [String] = owner) throws -> Answer {
        try server.send("POST", path, headers: headers, body: body.serialized())
    }

    private static func upload(_ server: TestServer, users: JSONValue...) throws -> Answer {
        try upload(server, ["users": .array(users)])
    }

    /// Returns a user as administrators see them.
    private static func user(_ uid: String, _ server: TestServer) throws -> JSONValue {
        try server.send("GET", "/v1/projects/demo-latchkey/users/\(uid)", headers: owner).json
    }

    private static func faults(_ answer: Answer) -> [String] {
        (answer.json["error"]?.array ?? []).map { error in
            "\(error["index"]?.int64 ?? -1) \(error["message"]?.string ?? "")"
        }
    }

    @Test func `users are imported with all that they had`() async throws {
        try await TestServer.run { server in
            let answer = try Self.upload(
                server,
                users: [
                    "localId": "u1", "email": "Ann@Example.com", "emailVerified": true, "displayName": "Ann",
                    "photoUrl": "https://p.example/a", "disabled": true, "customAttributes": #"{"admin":true}"#,
                    "createdAt": 1_500_000_000_000, "lastLoginAt": "1600000000000",
                    "providerUserInfo": [
                        [
                            "providerId": "google.com", "rawId": "g1", "email": "ann@gmail.com", "displayName": "A",
                            "photoUrl": "https://g.example",
                        ], ["providerId": "password", "rawId": "ann@example.com"],
                        ["providerId": "phone", "phoneNumber": "+491"],
                    ],
                ],
                ["local_id": "u2", "display_name": "Snake"]
            )
            #expect(answer.status == 200)
            #expect(answer.json == ["kind": Self.kind])
            let user = try Self.user("u1", server)
            #expect(user["email"] == "ann@example.com" && user["emailVerified"] == true && user["disabled"] == true)
            #expect(user["displayName"] == "Ann" && user["photoUrl"] == "https://p.example/a")
            #expect(user["customAttributes"] == #"{"admin":true}"#)
            #expect(user["createdAt"] == "1500000000000" && user["lastLoginAt"] == "1600000000000")
            let rows = user["providerUserInfo"]?.array ?? []
            #expect(rows.count == 1, "rows of passwords and phones are no ways in")
            #expect(rows.first?["providerId"] == "google.com" && rows.first?["rawId"] == "g1")
            #expect(rows.first?["email"] == "ann@gmail.com" && rows.first?["displayName"] == "A")
            let validSince = try #require(user["validSince"]?.string.flatMap { Int64($0) })
            #expect(abs(validSince - server.clock.now() / 1000) < 5)
            let plain = try Self.user("u2", server)
            #expect(plain["displayName"] == "Snake" && plain["providerUserInfo"] == nil && plain["email"] == nil)
        }
    }

    @Test func `a password is dropped and reported, and the e-mail link replaces it`() async throws {
        try await TestServer.run { server in
            let answer = try Self.upload(
                server,
                users: ["localId": "u1", "email": "a@b.c", "passwordHash": "aGFzaA==", "salt": "c2FsdA=="],
                ["localId": "u2", "email": "b@b.c", "rawPassword": "secret", "phoneNumber": "+491"],
                ["email": "c@b.c", "passwordHash": "aGFzaA=="]
            )
            #expect(Self.faults(answer) == ["2 localId is missing"])
            let dropped = try #require(answer.json["dropped"]?.array)
            #expect(dropped.map { $0["what"] } == ["password", "phoneNumber"])
            #expect(dropped.map { $0["users"] } == [2, 1])
            for uid in ["u1", "u2"] {
                let user = try Self.user(uid, server)
                #expect(user["emailLinkSignin"] == true)
                #expect(user["providerUserInfo"]?.array?.first?["providerId"] == "password")
                #expect(user["passwordHash"] == nil && user["salt"] == nil)
            }
            #expect(!server.log.contains("aGFzaA"))
            // The address is the sign-in method: the reader of the e-mail signs in to the imported user.
            #expect(try server.signIn("a@b.c").uid == "u1")
        }
    }

    @Test func `an error of the whole call comes first, and no user is imported`() async throws {
        func google(_ subject: JSONValue) -> JSONValue { [["providerId": "google.com", "rawId": subject]] }
        let cases: [(JSONValue, String)] = [
            ([:], "MISSING_USER_ACCOUNT"), (["users": []], "MISSING_USER_ACCOUNT"),
            (
                [
                    "sanityCheck": true,
                    "users": [["localId": "a", "email": "a@b.c"], ["localId": "a", "email": "a@b.c"]],
                ],
                "DUPLICATE_EMAIL : a@b.c"
            ),
            (
                [
                    "sanityCheck": true,
                    "users": [
                        ["localId": "a", "providerUserInfo": google("x")],
                        ["localId": "a", "providerUserInfo": google("x")],
                    ],
                ],
                "DUPLICATE_RAW_ID : Provider id(google.com), Raw id(x)"
            ),
            (["users": [["localId": "a"], ["localId": "a"]]], "DUPLICATE_LOCAL_ID : a"),
            (["users": [[:], [:]]], "DUPLICATE_LOCAL_ID : "),
        ]
        try await TestServer.run { server in
            for (body, message) in cases {
                let answer = try Self.upload(server, body)
                #expect(answer.status == 400)
                #expect(answer.message.hasPrefix(message), "\(answer.text)")
            }
            #expect(try Self.user("a", server)["localId"] == nil)
            for (body, text) in [
                (#"{"users":{}}"#, "/users must be array"), (#"{"users":[1]}"#, "/users/0 must be object"),
                (#"{"users":[{"localId":"a","email":1}]}"#, "/users/0/email must be string"),
                (#"{"users":[{"localId":"a","providerUserInfo":[{"rawId":{}}]}]}"#, "must be string"),
                (#"{"users":[{"localId":"a","localId":"b"}]}"#, "duplicate name"),
                (#"{"users":[{"localId":"a\u0000"}]}"#, "U+0000"), ("{", "unexpected end"),
            ] {
                let answer = try server.send("POST", Self.path, headers: Self.owner, body: Array(body.utf8))
                #expect(answer.status == 400 && answer.json["error"]?["status"] == "INVALID_ARGUMENT")
                #expect(answer.json["error"]?["message"]?.string?.contains(text) == true, "\(answer.text)")
            }
        }
    }

    @Test func `a bad row is told by its number, and the others are imported`() async throws {
        try await TestServer.run { server in
            _ = try Self.upload(
                server,
                users: [
                    "localId": "old", "email": "old@b.c",
                    "providerUserInfo": [["providerId": "google.com", "rawId": "g"]],
                ]
            )
            let answer = try Self.upload(
                server,
                users: ["email": "x@b.c"],
                ["localId": "a", "email": "no address"],
                ["localId": "b", "email": "old@b.c"],
                ["localId": "c", "providerUserInfo": [["providerId": "google.com", "rawId": "g"]]],
                ["localId": "d", "providerUserInfo": [["providerId": "google.com"]]],
                ["localId": "old"],
                ["localId": "e", "customAttributes": "[]"],
                ["localId": "f", "customAttributes": .string(#"{"x":"\#(String(repeating: "y", count: 9000))"}"#)],
                ["localId": "g", "customAttributes": #"{"firebase":1}"#],
                ["localId": "h", "createdAt": "soon", "lastLoginAt": ["x"]]
            )
            #expect(answer.status == 200)
            #expect(
                Self.faults(answer) == [
                    "0 localId is missing", "1 email is invalid", "2 email exists in other account in database",
                    "3 raw id exists in other account in database",
                    "4 providerUserInfo: rawId is required",
                    "5 localId belongs to an existing account - can not overwrite.",
                    "6 Invalid custom claims provided.", "7 Custom claims provided are too large.",
                    "8 Custom claims provided include a reserved claim.",
                ]
            )
            #expect(try Self.user("h", server)["localId"] == "h")
            for uid in ["a", "b", "c", "d", "e", "f", "g"] { #expect(try Self.user(uid, server)["localId"] == nil) }
        }
    }

    @Test func `overwriting replaces a user wholly and ends their sessions`() async throws {
        try await TestServer.run { server in
            let ann = try server.signIn("ann@example.com")
            let answer = try Self.upload(
                server,
                [
                    "allowOverwrite": true,
                    "users": [
                        ["localId": .string(ann.uid), "displayName": "A", "createdAt": "5"],
                        ["localId": .string(ann.uid), "photoUrl": "https://p.example"],
                    ],
                ]
            )
            #expect(answer.json == ["kind": Self.kind])
            let user = try Self.user(ann.uid, server)
            #expect(user["email"] == nil && user["displayName"] == nil && user["photoUrl"] == "https://p.example")
            #expect(try server.lookup(ann.idToken).code == "TOKEN_EXPIRED")
            #expect(try server.refresh(ann.refreshToken).code == "TOKEN_EXPIRED")
            #expect(try server.signIn("ann@example.com").uid != ann.uid, "the address is free")
        }
    }

    @Test func `an imported guest is one for clean-up, and a user with a provider is none`() async throws {
        try await TestServer.run { server in
            _ = try Self.upload(
                server,
                users: ["localId": "guest", "createdAt": "5"],
                ["localId": "user", "providerUserInfo": [["providerId": "google.com", "rawId": "g"]]]
            )
            let cleanup = try server.send("GET", "/v1/projects/demo-latchkey/cleanup", headers: Self.owner)
            #expect(cleanup.json["guests"] == 1)
        }
    }

    @Test func `a deleted user may come again, and a merged one not`() async throws {
        try await TestServer.run { server in
            let gone = try server.signIn("gone@example.com")
            #expect(try server.call("accounts:delete", ["idToken": .string(gone.idToken)]).status == 200)
            #expect(try Self.faults(Self.upload(server, users: ["localId": .string(gone.uid)])) == [])
            #expect(try server.lookup(gone.idToken).status == 400, "an old token leads nowhere")

            let guest = try server.guest(), ann = try server.signIn("ann@example.com")
            let merge = try server.call(
                "accounts:merge",
                ["idToken": .string(ann.idToken), "anonymousIdToken": .string(guest.idToken)]
            )
            #expect(merge.status == 200)
            for overwrite in [false, true] {
                let answer = try Self.upload(
                    server,
                    ["allowOverwrite": .bool(overwrite), "users": [["localId": .string(guest.uid)]]]
                )
                #expect(Self.faults(answer).first?.hasPrefix("0 DUPLICATE_LOCAL_ID") == true)
            }
        }
    }

    @Test func `only administrators call it, and only they send a long body`() async throws {
        let long = [UInt8](repeating: 0x20, count: 2 << 20) + Array(#"{"users":[{"localId":"long"}]}"#.utf8)
        try await TestServer.run { server in
            #expect(try server.send("POST", Self.path, body: Array("{}".utf8)).status == 403)
            let client = try server.send("POST", Self.path + "?key=k", body: Array("{}".utf8))
            #expect(client.status == 400 && client.code == "INSUFFICIENT_PERMISSION")
            #expect(try server.send("POST", Self.path, headers: Self.owner, body: long).status == 200)
            #expect(try Self.user("long", server)["localId"] == "long")
        }
        let key = String(repeating: "k", count: 32)
        try await TestServer.runInProduction(["ADMIN_KEY": key]) { server in
            for header in ["Authorization: Bearer owner", "Authorization: Bearer ya29.x"] {
                let connection = try HTTPConnection(port: server.port)
                // Only the head: the answer comes before any of the body.
                let head =
                    "POST \(Self.path) HTTP/1.1\r\nHost: localhost\r\n\(header)\r\nContent-Length: 60000000\r\n\r\n"
                try connection.send(Array(head.utf8))
                #expect(try connection.answer().status == 401)
            }
            let headers = ["Authorization: Bearer \(key)"]
            #expect(try server.send("POST", Self.path, headers: headers, body: long).status == 200)
            let other = Self.path.replacing("demo-latchkey", with: "other")
            #expect(try server.send("POST", other, headers: headers, body: long).status == 403)
        }
    }

    @Test func `many users go into many short transactions`() async throws {
        try await TestServer.run { server in
            let users = (0..<3000).map { JSONValue.object(["localId": .string("u\($0)")].asObject) }
            server.statements.clear()
            let answer = try Self.upload(server, ["users": .array(users)])
            #expect(answer.json == ["kind": Self.kind])
            #expect(server.statements.all.count { $0.hasPrefix("SELECT uid FROM users WHERE uid IN") } > 1)
            #expect(try Self.user("u2999", server)["localId"] == "u2999")
        }
    }
}

extension [String: JSONValue] {
    /// The members as an object.
    fileprivate var asObject: JSONObject {
        var object = JSONObject()
        for (name, value) in self { object.append(name, value) }
        return object
    }
}
