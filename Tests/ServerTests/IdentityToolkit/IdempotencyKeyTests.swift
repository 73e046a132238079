import AccountDatabase
import Database
import Foundation
import JSON
import Testing

@Suite("Repeated sign-ups")
struct IdempotencyKeyTests {
    private static func key(_ name: String = "a") -> String {
        "Idempotency-Key: " + String(repeating: name, count: 43).prefix(43)
    }

    private static func signUp(_ server: TestServer, _ name: String = "a") throws -> Answer {
        try server.call("accounts:signUp", headers: [key(name)])
    }

    /// Expects that a second sign-up with the same key is refused and creates no user.
    private static func expectUsed(
        _ server: TestServer,
        _ comment: Comment,
        after change: (Tokens) throws -> Void
    ) throws {
        let guest = try server.guest(headers: [key()])
        try change(guest)
        let users = try server.withDatabase { try $0.userCount() }
        for _ in 0..<2 {
            let again = try signUp(server)
            #expect(again.status == 409, comment)
            #expect(again.code == "IDEMPOTENCY_KEY_USED", comment)
            #expect(again.json["error"]?["status"] == "ALREADY_EXISTS", comment)
        }
        #expect(try server.withDatabase { try $0.userCount() } == users, comment)
        #expect(try server.guest(headers: [key("b")]).uid != guest.uid, comment)
    }

    @Test func `a repetition after a lost reply gets the same guest`() async throws {
        try await TestServer.run { server in
            let first = try server.guest(headers: [Self.key()])
            let again = try server.guest(headers: [Self.key()])
            #expect(again.uid == first.uid)
            #expect(try Claims(again.idToken)["sid"] == Claims(first.idToken)["sid"])
            #expect(again.answer.keys == ["kind", "localId", "idToken", "refreshToken", "expiresIn"])
            #expect(try server.user(again.idToken)["localId"]?.string == first.uid)
            #expect(try server.refresh(again.refreshToken).status == 200)
            #expect(first.uid.utf8.count == 28 && first.uid.utf8.allSatisfy { $0 != 0x2D && $0 != 0x5F })
            let other = try server.guest(headers: [Self.key("b")])
            #expect(other.uid != first.uid)
            #expect(try server.guest().uid != server.guest().uid)
        }
    }

    @Test func `a guest whose session went on, in an app or a Firebase SDK, is not given out again`() async throws {
        try await TestServer.run { server in
            try Self.expectUsed(server, "refreshed") { guest in
                let refreshed = try server.refresh(guest.refreshToken)
                #expect(refreshed.status == 200)
            }
        }
        try await TestServer.run { server in
            let headers = [Self.key(), "X-Client-Version: Chrome/JsCore/11.0.0/FirebaseCore-web"]
            let guest = try server.guest(headers: headers)
            #expect(try server.guest(headers: headers).uid == guest.uid)
            #expect(try server.refresh(guest.refreshToken).status == 200)
            #expect(try server.call("accounts:signUp", headers: headers).status == 409)
        }
    }

    @Test func `the key of a deleted guest creates no user, and never the same UID`() async throws {
        try await TestServer.run { server in
            try Self.expectUsed(server, "deleted") { guest in
                let deleted = try server.call("accounts:delete", ["idToken": .string(guest.idToken)])
                #expect(deleted.status == 200)
            }
        }
        try await TestServer.run { server in
            try Self.expectUsed(server, "signed out") { guest in
                let answer = try server.call("accounts:signOut", ["refreshToken": .string(guest.refreshToken)])
                #expect(answer.json["reset"] == true)
            }
        }
        try await TestServer.run { server in
            try Self.expectUsed(server, "made anew by an administrator") { guest in
                let deleted = try server.call("accounts:delete", ["idToken": .string(guest.idToken)])
                #expect(deleted.status == 200)
                let made = try server.call(
                    "accounts:signUp",
                    ["localId": .string(guest.uid)],
                    headers: ["Authorization: Bearer owner"]
                )
                #expect(made.status == 200, "\(made.text)")
            }
        }
    }

    @Test func `the key of a guest that was linked, merged or disabled makes no user`() async throws {
        try await TestServer.run { server in
            try Self.expectUsed(server, "linked") { guest in
                let asked = try server.askForLink("ann@example.com")
                #expect(try server.redeem(asked.oobCode, "ann@example.com", idToken: guest.idToken).status == 200)
            }
        }
        try await TestServer.run { server in
            let ann = try server.signIn("ann@example.com")
            try Self.expectUsed(server, "merged") { guest in
                let merged = try MergePath.call.merge(guest, into: ann, "ann@example.com", server).answer
                #expect(merged.status == 200, "\(merged.text)")
            }
        }
        try await TestServer.run { server in
            try Self.expectUsed(server, "disabled") { guest in
                let disabled = try server.call(
                    "accounts:update",
                    ["localId": .string(guest.uid), "disableUser": true],
                    headers: ["Authorization: Bearer owner"]
                )
                #expect(disabled.status == 200, "\(disabled.text)")
            }
        }
    }

    @Test func `the key of a guest whose session was forgotten makes no user`() async throws {
        try await TestServer.run(["LIFE_SESSION": "1d"]) { server in
            try Self.expectUsed(server, "unused for too long") { _ in server.clock.advance(seconds: 86_401) }
            #expect(try server.withDatabase { try $0.execute("DELETE FROM sessions") } > 0)
            #expect(try Self.signUp(server).status == 409)
        }
    }

    @Test func `identical concurrent sign-ups create one guest`() async throws {
        try await TestServer.run { server in
            for round in 0..<5 {
                let call = (name: "accounts:signUp", body: JSONValue.object(JSONObject()))
                let answers = try server.callAtOnce(
                    Array(repeating: call, count: 12),
                    headers: [Self.key("\(round)")]
                )
                #expect(answers.allSatisfy { $0.status == 200 }, "\(answers.map(\.text))")
                #expect(Set(answers.map { $0["localId"] }).count == 1)
                #expect(try server.withDatabase { try $0.userCount() } == Int64(round + 1))
            }
        }
    }

    @Test func `nodes that get the same sign-up at once make one guest`() async throws {
        try await TestServer.runNodes(2) { nodes in
            for round in 0..<5 {
                let connections = try (0..<8).map { try HTTPConnection(port: nodes[$0 % 2].port) }
                let bytes = TestServer.request(
                    "POST",
                    "/v1/accounts:signUp?key=k",
                    headers: [Self.key("\(round)")],
                    body: Array("{}".utf8)
                )
                for connection in connections { try connection.send(bytes) }
                let answers = try connections.map { try $0.answer() }
                #expect(answers.allSatisfy { $0.status == 200 }, "\(answers.map(\.text))")
                #expect(Set(answers.map { $0["localId"] }).count == 1)
            }
            #expect(try nodes[0].withDatabase { try $0.userCount() } == 5)
        }
    }

    @Test func `a key finds its guest after the server's secret was rotated`() async throws {
        let newer = "a-newer-secret-of-the-tests-with-more-than-32-bytes"
        try await TestServer.run(["SECRET": TestServer.secret]) { server in
            let guest = try server.guest(headers: [Self.key()])
            let gone = try server.guest(headers: [Self.key("b")])
            #expect(try server.call("accounts:delete", ["idToken": .string(gone.idToken)]).status == 200)
            try server.restarted(["SECRET": "\(newer) \(TestServer.secret)"]) { again in
                #expect(try again.guest(headers: [Self.key()]).uid == guest.uid)
                #expect(try Self.signUp(again, "b").status == 409)
                let new = try again.guest(headers: [Self.key("c")])
                #expect(try again.guest(headers: [Self.key("c")]).uid == new.uid)
            }
        }
    }

    @Test func `a key of another form is refused before anything is counted`() async throws {
        try await TestServer.run(["LIMITS_GUESTS_PER_CLIENT": "1"]) { server in
            server.clock.startHour()
            for bad in ["", "short", String(repeating: "k", count: 65), String(repeating: "k", count: 30) + "+/"] {
                let answer = try server.call("accounts:signUp", headers: ["Idempotency-Key: \(bad)"])
                #expect(answer.status == 400, "\(bad)")
                #expect(answer.code == "INVALID_IDEMPOTENCY_KEY", "\(bad)")
            }
            #expect(try server.call("accounts:signUp", headers: [Self.key(), Self.key("b")]).status == 400)
            #expect(try Self.signUp(server).status == 200)
        }
    }

    @Test func `a repetition uses up no other guest of its client`() async throws {
        try await TestServer.run(["LIMITS_GUESTS_PER_CLIENT": "3"]) { server in
            server.clock.startHour()
            _ = try server.guest(headers: [Self.key()])
            for _ in 0..<6 { _ = try server.guest(headers: [Self.key()]) }
            _ = try server.guest()
            _ = try server.guest()
            #expect(try server.call("accounts:signUp").code == "TOO_MANY_ATTEMPTS_TRY_LATER")
        }
    }

    @Test func `a key is neither logged nor stored`() async throws {
        let text = String(repeating: "Zy9-", count: 11)
        try await TestServer.run { server in
            for _ in 0..<2 { _ = try server.guest(headers: ["Idempotency-Key: \(text)"]) }
            #expect(!server.log.contains(text))
            #expect(try server.bytesAtRest().firstRange(of: Array(text.utf8)) == nil)
        }
    }

    @Test func `a page of another origin may send the key and a solution`() async throws {
        try await TestServer.run { server in
            let asked = try server.send(
                "OPTIONS",
                "/v1/accounts:signUp",
                headers: [
                    "Origin: https://app.example.com", "Access-Control-Request-Method: POST",
                    "Access-Control-Request-Headers: challenge-solution,idempotency-key",
                ]
            )
            #expect(asked.header("access-control-allow-headers")?.contains("idempotency-key") == true)
            #expect(asked.header("access-control-allow-headers")?.contains("challenge-solution") == true)
        }
    }
}
