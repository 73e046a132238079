import Database
import JSON
import Server
import Testing
import Tokens

/// Users and administrators list and end sessions.
@Suite("Sessions")
struct SessionTests {
    private static let laptop = ["User-Agent: Firefox/1 Linux"]
    private static let phone = ["User-Agent: Safari/1 iPhone"]
    private static let project = "/v1/projects/demo-latchkey/users"
    private static let owner = ["Authorization: Bearer owner"]

    private static func list(_ server: TestServer, _ idToken: String) throws -> Answer {
        try server.send("GET", "/v1/sessions", headers: ["Authorization: Bearer \(idToken)"])
    }

    private static func end(_ server: TestServer, _ id: String, _ idToken: String) throws -> Answer {
        try server.send("DELETE", "/v1/sessions/\(id)", headers: ["Authorization: Bearer \(idToken)"])
    }

    private static func id(of idToken: String) throws -> String {
        try #require(try Claims(idToken)["sid"]?.string)
    }

    @Test func `a user sees each session with its device and times, and which one asks`() async throws {
        try await TestServer.run { server in
            let first = try server.signIn("ann@example.com", headers: Self.laptop)
            server.clock.advance(seconds: 60)
            let second = try server.signIn("ann@example.com", headers: Self.phone)
            let unnamed = try server.signIn("ann@example.com")
            server.clock.advance(seconds: 60)
            let refreshed = try server.refresh(first.refreshToken)
            _ = try server.signIn("bob@example.com")

            let answer = try Self.list(server, refreshed["id_token"])
            #expect(answer.status == 200, "\(answer.text)")
            let sessions = try #require(answer.json["sessions"]?.array)
            let ids = try [first, unnamed, second].map { try Self.id(of: $0.idToken) }
            #expect(sessions.map { $0["id"]?.string } == ids, "the most recently used first, and none of others")
            #expect(sessions.map { $0["device"]?.string } == ["Firefox · Linux", nil, "Safari · iPhone"])
            #expect(sessions.map { $0["current"]?.bool } == [true, false, false])
            #expect(sessions.allSatisfy { $0["signInProvider"] == "password" })
            #expect(sessions[0]["createdAt"] != sessions[0]["lastUsedAt"])
            #expect(sessions[1]["createdAt"] == sessions[1]["lastUsedAt"])
        }
    }

    @Test func `a thief's session ends at once when the victim ends it, and no other session ends`() async throws {
        try await TestServer.run { server in
            let owner = try server.signIn("ann@example.com", headers: Self.laptop)
            let thief = try server.signIn("ann@example.com", headers: Self.phone)
            let id = try Self.id(of: thief.idToken)
            #expect(try Self.end(server, id, owner.idToken).status == 204)
            #expect(try server.lookup(thief.idToken).code == "TOKEN_EXPIRED")
            #expect(try server.refresh(thief.refreshToken).code == "TOKEN_EXPIRED")
            #expect(try Self.end(server, id, owner.idToken).status == 204, "a lost reply costs nothing")
            #expect(try Self.list(server, owner.idToken).json["sessions"]?.array?.count == 1)
            #expect(try server.refresh(owner.refreshToken).status == 200)
            #expect(try Self.end(server, try Self.id(of: owner.idToken), owner.idToken).status == 204)
            #expect(try Self.list(server, owner.idToken).code == "TOKEN_EXPIRED")
        }
    }

    @Test(arguments: ["end", "revoke", "sign-out"])
    func `a change of address that a thief's session asked for ends with that session, but not by a sign-out`(
        _ end: String
    ) async throws {
        try await TestServer.run { server in
            let owner = try server.signIn("ann@example.com"), thief = try server.signIn("ann@example.com")
            let mail = try server.askForMail(thief.idToken, changingTo: "thief@example.com")
            switch end {
            case "end": #expect(try Self.end(server, try Self.id(of: thief.idToken), owner.idToken).status == 204)
            case "revoke":
                _ = try server.call("accounts:update", ["idToken": .string(owner.idToken), "validSince": "1"])
            default: _ = try server.call("accounts:signOut", ["refreshToken": .string(thief.refreshToken)])
            }
            let isLeft = end == "sign-out"
            #expect(try server.open(mail.link).status == (isLeft ? 200 : 410))
            #expect(try server.answerLink(mail.oobCode, "confirm").status == (isLeft ? 200 : 410))
            #expect(try server.apply(mail).code == "INVALID_OOB_CODE")
            let user = try server.find(uid: owner.uid)
            #expect(user["email"]?.string == (isLeft ? "thief@example.com" : "ann@example.com"))
        }
    }

    @Test func `a user neither sees nor ends the session of another`() async throws {
        try await TestServer.run { server in
            let ann = try server.signIn("ann@example.com"), bob = try server.signIn("bob@example.com")
            let answer = try Self.end(server, try Self.id(of: bob.idToken), ann.idToken)
            #expect(answer.status == 404 && answer.code == "SESSION_NOT_FOUND")
            #expect(try server.lookup(bob.idToken).status == 200)
            for id in ["x", "AAAAAAAAAAAAAAAAAAAAAA", String(repeating: "a", count: 500)] {
                #expect(try Self.end(server, id, ann.idToken).status == 404, "\(id)")
            }
        }
    }

    @Test func `the id of a session opens nothing`() async throws {
        try await TestServer.run { server in
            let ann = try server.signIn("ann@example.com")
            let id = try Self.id(of: ann.idToken)
            #expect(try Self.list(server, id).code == "INVALID_ID_TOKEN")
            #expect(try server.lookup(id).code == "INVALID_ID_TOKEN")
            #expect(try server.refresh(id).code == "INVALID_REFRESH_TOKEN")
            #expect(try server.redeemTicket(id).code == "INVALID_TICKET")
            #expect(try server.redeem(id, "ann@example.com").code == "INVALID_OOB_CODE")
            #expect(try server.call("accounts:signOut", ["refreshToken": .string(id)]).code == "INVALID_REFRESH_TOKEN")
            let session = try #require(TokenID(text: id))
            let guessed = try RefreshToken.make(
                session: session,
                generation: 1,
                secrets: ServerSecrets(text: "another-secret-with-more-than-32-bytes")
            )
            #expect(try server.refresh(guessed).code == "INVALID_REFRESH_TOKEN")
            #expect(try server.lookup(ann.idToken).status == 200)
        }
    }

    @Test func `a guest does not lock itself out`() async throws {
        try await TestServer.run { server in
            let guest = try server.guest(headers: Self.laptop)
            let listed = try Self.list(server, guest.idToken).json["sessions"]?.array
            #expect(listed?.map { $0["device"]?.string } == ["Firefox · Linux"])
            let refused = try Self.end(server, try Self.id(of: guest.idToken), guest.idToken)
            #expect(refused.code == "OPERATION_NOT_ALLOWED")
            #expect(try server.lookup(guest.idToken).status == 200)
        }
    }

    @Test func `sessions are listed and ended with a good token only`() async throws {
        try await TestServer.run { server in
            let ann = try server.signIn("ann@example.com")
            let id = try Self.id(of: ann.idToken)
            for method in ["GET", "DELETE"] {
                let path = method == "GET" ? "/v1/sessions" : "/v1/sessions/\(id)"
                #expect(try server.send(method, path).code == "MISSING_ID_TOKEN")
                let headers = ["Authorization: Bearer \(ann.idToken)x"]
                #expect(try server.send(method, path, headers: headers).code == "INVALID_ID_TOKEN")
            }
            server.clock.advance(seconds: 3601)
            #expect(try Self.list(server, ann.idToken).code == "TOKEN_EXPIRED")
            #expect(try Self.end(server, id, ann.idToken).code == "TOKEN_EXPIRED")
            #expect(try server.refresh(ann.refreshToken).status == 200)
        }
    }

    @Test func `revoked and unused sessions are not listed`() async throws {
        try await TestServer.run(["LIFE_SESSION": "2d"]) { server in
            _ = try server.signIn("ann@example.com")
            server.clock.advance(seconds: 3 * 86_400)
            let kept = try server.signIn("ann@example.com")
            #expect(try Self.list(server, kept.idToken).json["sessions"]?.array?.count == 1)
            let renewed = try server.call("accounts:update", ["idToken": .string(kept.idToken), "validSince": "1"])
            #expect(renewed.status == 200, "\(renewed.text)")
            let listed = try Self.list(server, renewed["idToken"]).json["sessions"]?.array
            #expect(listed?.map { $0["id"]?.string } == [try Self.id(of: renewed["idToken"])])
        }
    }

    // MARK: Administrators

    @Test func `an administrator lists, finds and ends the sessions of a user`() async throws {
        try await TestServer.run { server in
            let ann = try server.signIn("ann@example.com", headers: Self.laptop)
            let bob = try server.signIn("bob@example.com")
            let id = try Self.id(of: ann.idToken)
            let path = "\(Self.project)/\(ann.uid)/sessions"
            let listed = try server.send("GET", path, headers: Self.owner)
            #expect(listed.json["sessions"]?.array?.map { $0["id"]?.string } == [id])
            #expect(listed.json["sessions"]?.array?.first?["current"] == nil)
            let found = try server.send("GET", "\(path)/\(id)", headers: Self.owner)
            #expect(found.status == 200 && found["device"] == "Firefox · Linux", "\(found.text)")
            let strange = "\(path)/\(try Self.id(of: bob.idToken))"
            for method in ["GET", "DELETE"] {
                #expect(try server.send(method, strange, headers: Self.owner).code == "SESSION_NOT_FOUND")
            }
            #expect(try server.send("GET", "\(Self.project)/nobody/sessions", headers: Self.owner).status == 404)
            #expect(try server.send("DELETE", "\(path)/\(id)", headers: Self.owner).status == 204)
            #expect(try server.lookup(ann.idToken).code == "TOKEN_EXPIRED")
            #expect(try server.send("GET", "\(path)/\(id)", headers: Self.owner).code == "SESSION_NOT_FOUND")
            #expect(try server.lookup(bob.idToken).status == 200)
        }
    }

    @Test func `only an administrator sees the sessions of others`() async throws {
        try await TestServer.runInProduction(["ADMIN_KEY": TestServer.secret]) { server in
            let ann = try server.signIn("ann@example.com"), bob = try server.signIn("bob@example.com")
            let path = "\(Self.project)/\(ann.uid)/sessions"
            let one = "\(path)/\(try Self.id(of: ann.idToken))"
            for bearer in ["owner", bob.idToken, ann.idToken, ""] {
                let headers = bearer.isEmpty ? [] : ["Authorization: Bearer \(bearer)"]
                for (method, path) in [("GET", path), ("GET", one), ("DELETE", one)] {
                    let status = try server.send(method, path, headers: headers).status
                    #expect([401, 403].contains(status), "\(method) \(path) \(bearer)")
                }
            }
            #expect(try server.lookup(ann.idToken).status == 200)
        }
    }

    @Test func `an administrator's ID token ends no session of another administrator`() async throws {
        try await TestServer.run { server in
            let ann = try server.signIn("ann@example.com"), bob = try server.signIn("bob@example.com")
            for user in [ann, bob] { try server.withOperator { try $0.setAdministrator(true, user.uid) } }
            let path = "\(Self.project)/\(bob.uid)/sessions/\(try Self.id(of: bob.idToken))"
            let refused = try server.send("DELETE", path, headers: ["Authorization: Bearer \(ann.idToken)"])
            #expect(refused.status == 400 && refused.code == "OPERATION_NOT_ALLOWED", "\(refused.text)")
            #expect(try server.lookup(bob.idToken).status == 200)
            #expect(try server.send("DELETE", path, headers: Self.owner).status == 204)
        }
    }

    // MARK: Limits

    @Test func `the session whose last use is longest ago ends where a user has too many`() async throws {
        try await TestServer.run(["LIMITS_SESSIONS_PER_USER": "3"]) { server in
            var sessions: [Tokens] = []
            for _ in 0..<3 {
                sessions.append(try server.signIn("ann@example.com"))
                server.clock.advance(seconds: 60)
            }
            // The oldest session has been used since, so it stays.
            #expect(try server.refresh(sessions[0].refreshToken).status == 200)
            server.clock.advance(seconds: 60)
            let newest = try server.signIn("ann@example.com")
            try server.eventually("the second session ends") {
                try server.lookup(sessions[1].idToken).code == "TOKEN_EXPIRED"
            }
            #expect(try server.refresh(sessions[1].refreshToken).code == "TOKEN_EXPIRED")
            #expect(try Self.list(server, newest.idToken).json["sessions"]?.array?.count == 3)
            for kept in [sessions[2].idToken, newest.idToken] { #expect(try server.lookup(kept).status == 200) }
        }
    }

    @Test func `many sign-ins at once leave a user no more sessions than the limit`() async throws {
        let settings = ["LIMITS_SESSIONS_PER_USER": "3", "LIMITS_MAILS_PER_ADDRESS": "1000"]
        try await TestServer.run(settings) { server in
            _ = try server.signIn("ann@example.com")
            let codes = try (0..<10).map { _ in try server.askForLink("ann@example.com").oobCode }
            let calls = codes.map { code -> (name: String, body: JSONValue) in
                ("accounts:signInWithEmailLink", ["email": "ann@example.com", "oobCode": .string(code)])
            }
            let answers = try server.callAtOnce(calls)
            #expect(answers.allSatisfy { $0.status == 200 })
            try server.eventually("three sessions are left") {
                try server.withDatabase { transaction in
                    try transaction.first("SELECT count(*) FROM sessions WHERE ended_at IS NULL") {
                        try $0.integer(0)
                    }
                } == 3
            }
        }
    }

    @Test func `a session ends some time after the sign-in, however often it is used, and a guest's does not`()
        async throws
    {
        try await TestServer.run(["LIFE_SESSION_ABSOLUTE": "2h"]) { server in
            let guest = try server.guest(), ann = try server.signIn("ann@example.com")
            server.clock.advance(seconds: 3000)
            // A change that replaces the session does not make it younger.
            let renewed = try server.call("accounts:update", ["idToken": .string(ann.idToken), "validSince": "1"])
            #expect(renewed.status == 200, "\(renewed.text)")
            server.clock.advance(seconds: 3000)
            let used = try server.refresh(renewed["refreshToken"])
            #expect(used.status == 200)
            server.clock.advance(seconds: 1201)
            #expect(try server.refresh(renewed["refreshToken"]).code == "TOKEN_EXPIRED")
            #expect(try server.lookup(used["id_token"]).code == "TOKEN_EXPIRED")
            #expect(try Self.list(server, used["id_token"]).code == "TOKEN_EXPIRED")
            #expect(try server.refresh(guest.refreshToken).status == 200)
            let again = try server.signIn("ann@example.com")
            #expect(try Self.list(server, again.idToken).json["sessions"]?.array?.count == 1)
        }
    }
}
