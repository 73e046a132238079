import AccountDatabase
import Database
import Foundation
import JSON
import Server
import Testing

@Suite("Former users and refused deletions")
struct FormerUserTests {
    private static func find(_ server: TestServer, _ uid: String, _ headers: [String] = ["Authorization: Bearer owner"])
        throws -> Answer
    {
        try server.send("GET", "/v1/projects/demo-latchkey/users/\(uid)", headers: headers)
    }

    private static func signOut(_ server: TestServer, _ tokens: Tokens) throws -> Answer {
        try server.call("accounts:signOut", ["refreshToken": .string(tokens.refreshToken)])
    }

    @Test func `an administrator learns who a UID is, or what became of it`() async throws {
        try await TestServer.run { server in
            let ann = try server.signIn("ann@example.com")
            let present = try Self.find(server, ann.uid)
            #expect(present.status == 200)
            let seen = try server.user(ann.idToken)
            #expect(present.json == seen)
            let guest = try server.guest(), merged = try server.guest()
            #expect(try Self.signOut(server, guest).json["reset"] == true)
            let deleted = try Self.find(server, guest.uid)
            #expect(deleted.keys == ["localId", "deleted", "deletedAt"])
            #expect(deleted.json["deleted"] == true && deleted["localId"] == guest.uid)
            try server.withDatabase { try $0.deleteUser(merged.uid, mergedInto: ann.uid) }
            let moved = try Self.find(server, merged.uid)
            #expect(moved.keys == ["localId", "mergedInto", "mergedAt"])
            #expect(moved["mergedInto"] == ann.uid)
            #expect(moved["mergedAt"].hasSuffix("Z"))
            for uid in ["nobody", "%C3%A4", String(repeating: "x", count: 500)] {
                let unknown = try Self.find(server, uid)
                #expect(unknown.status == 404, "\(uid)")
            }
            #expect(try Self.find(server, "nobody").code == "USER_NOT_FOUND")
        }
    }

    @Test func `every way to delete leaves the UID and its times`() async throws {
        try await TestServer.run { server in
            let ann = try server.signIn("ann@example.com"), bob = try server.signIn("bob@example.com")
            #expect(try server.call("accounts:delete", ["idToken": .string(ann.idToken)]).status == 200)
            let desk = try Operator(file: nil, environment: server.environment)
            defer { desk.close() }
            try desk.eraseUser(bob.uid)
            for uid in [ann.uid, bob.uid] { #expect(try Self.find(server, uid).json["deleted"] == true) }
        }
    }

    @Test func `only an administrator of the project may ask`() async throws {
        try await TestServer.run { server in
            let ann = try server.guest()
            let byKey = try server.send("GET", "/v1/projects/demo-latchkey/users/\(ann.uid)?key=k")
            #expect(byKey.status == 400 && byKey.code == "INSUFFICIENT_PERMISSION")
            #expect(try Self.find(server, ann.uid, []).status == 403)
            #expect(try Self.find(server, ann.uid, ["Authorization: Bearer \(ann.idToken)"]).status == 401)
            let any = try server.send(
                "GET",
                "/v1/projects/other/users/\(ann.uid)",
                headers: ["Authorization: Bearer owner", "Origin: https://app.example.com"]
            )
            #expect(any.status == 200, "in development every project is this one")
            #expect(any.header("access-control-allow-origin") == nil)
        }
        let key = String(repeating: "k", count: 40)
        try await TestServer.runInProduction(["ADMIN_KEY": key]) { server in
            let ann = try server.guest()
            #expect(try Self.find(server, ann.uid, ["Authorization: Bearer owner"]).status == 401)
            let own = ["Authorization: Bearer \(key)"]
            #expect(try Self.find(server, ann.uid, own).status == 200)
            #expect(try server.send("GET", "/v1/projects/other/users/\(ann.uid)", headers: own).status == 403)
            #expect(try server.send("GET", "/v1/projects/other/cleanup", headers: own).status == 403)
        }
    }

    // MARK: The operator's own tables

    @Test(
        arguments: [
            "CREATE TABLE orders (buyer TEXT REFERENCES users (uid))",
            "CREATE TABLE orders (buyer TEXT REFERENCES users (uid) DEFERRABLE INITIALLY DEFERRED)",
            "CREATE TABLE orders (buyer TEXT REFERENCES users (uid) ON DELETE RESTRICT)",
        ] as [SQL]
    )
    func `signing out ends the session of a guest whom a row keeps`(table: SQL) async throws {
        try await TestServer.run { server in
            let guest = try server.guest(), free = try server.guest()
            try server.withDatabase { transaction in
                try transaction.execute(table)
                try transaction.execute("INSERT INTO orders VALUES (\(guest.uid))")
            }
            for _ in 0..<2 {
                let answer = try Self.signOut(server, guest)
                #expect(answer.status == 200)
                #expect(answer.json["reset"] == false)
            }
            #expect(try server.lookup(guest.idToken).code == "TOKEN_EXPIRED")
            #expect(try server.refresh(guest.refreshToken).code == "TOKEN_EXPIRED")
            #expect(try Self.find(server, guest.uid)["localId"] == guest.uid)
            #expect(try Self.find(server, guest.uid).json["deleted"] == nil)
            #expect(
                server.log.contains(
                    #""event":"user.signed-out","uid":"\#(guest.uid)","is_anon":true,"outcome":"user-kept""#
                )
            )
            #expect(try Self.signOut(server, free).json["reset"] == true, "others go as ever")
        }
    }

    @Test func `deleting a user whom a row keeps is refused, and names the table to the operator only`() async throws {
        try await TestServer.run { server in
            let ann = try server.signIn("ann@example.com")
            try server.withDatabase { transaction in
                try transaction.execute("CREATE TABLE orders (buyer TEXT REFERENCES users (uid))")
                try transaction.execute("INSERT INTO orders VALUES (\(ann.uid))")
            }
            let answer = try server.call("accounts:delete", ["idToken": .string(ann.idToken)])
            #expect(answer.status == 400 && answer.code == "OPERATION_NOT_ALLOWED")
            #expect(!answer.text.contains("orders"))
            #expect(try server.lookup(ann.idToken).status == 200, "nothing has changed")
            let desk = try Operator(file: nil, environment: server.environment)
            defer { desk.close() }
            let failure = #expect(throws: Operator.Failure.self) { try desk.eraseUser(ann.uid) }
            #expect(failure.map { "\($0)" }?.contains("table orders") == true)
            #expect(try server.refresh(ann.refreshToken).status == 200)
        }
    }

    @Test func `a guest in a suspended merge is neither deleted nor signed out, and nothing changes`() async throws {
        try await TestServer.run { server in
            let guest = try server.guest()
            try server.withDatabase { try $0.execute("UPDATE users SET merge_id = 'm' WHERE uid = \(guest.uid)") }
            let calls = [
                try Self.signOut(server, guest),
                try server.call("accounts:delete", ["idToken": .string(guest.idToken)]),
                try server.send(
                    "POST",
                    "/v1/accounts:setUsername",
                    headers: ["Authorization: Bearer \(guest.idToken)"],
                    body: Array(#"{"username":"ann"}"#.utf8)
                ),
            ]
            for answer in calls { #expect(answer.status == 409 && answer.code == "MERGE_IN_PROGRESS") }
            let desk = try Operator(file: nil, environment: server.environment)
            defer { desk.close() }
            #expect(throws: Operator.Failure.self) { try desk.eraseUser(guest.uid) }
            #expect(try server.refresh(guest.refreshToken).status == 200)
            #expect(try server.user(guest.idToken)["username"] == nil)
        }
    }
}
