import AccountDatabase
import Accounts
import Database
import Foundation
import JSON
import PostgreSQLHarness
import Server
import Testing
import Tokens

@Suite("Move from Firebase")
struct FirebaseMoveTests {
    // MARK: A session moves once

    @Test func `a stored session moves at its first contact, and every old token of it gets the same refresh token`()
        async throws
    {
        try await FirebaseWorld.run { world in
            let stored = try world.guest()
            let first = try world.refresh(stored.refreshToken)
            #expect(first.status == 200, "\(first.text)")
            #expect(first["user_id"] == stored.uid && first["expires_in"] == "3600")
            #expect(first["id_token"] == first["access_token"])
            let claims = try Claims(first["id_token"]), before = try Claims(stored.idToken)
            #expect(claims["sub"] == before["sub"] && claims["auth_time"] == before["auth_time"])
            #expect(claims["iss"] == "https://securetoken.google.com/demo-latchkey")
            #expect(claims["provider_id"] == "anonymous")
            // A second tab, and one that wakes up a month later, while Firebase is away.
            world.firebase.behave(.say(status: 500, "{}"))
            let asked = world.firebase.questions.count
            #expect(try world.refresh(stored.refreshToken)["refresh_token"] == first["refresh_token"])
            world.new.clock.advance(seconds: 30 * 86_400)
            let late = try world.refresh(stored.refreshToken)
            #expect(late["refresh_token"] == first["refresh_token"], "\(late.text)")
            #expect(world.firebase.questions.count == asked)
            // The fixed token goes on, and the look-up names the user.
            let own = try world.refresh(first["refresh_token"])
            #expect(own["refresh_token"] == first["refresh_token"])
            let user = try world.lookup(own["id_token"])
            #expect(user.json["users"]?.array?.first?["localId"]?.string == stored.uid)
            #expect(try world.count("adopted_sessions") == 1)
            let rows = try world.new.withDatabase { try $0.dump(without: []) }
            #expect(!rows.contains { $0.contains(stored.refreshToken) }, "no old token is stored")
            #expect(!world.new.log.contains(stored.refreshToken))
        }
    }

    @Test func `many tabs at once get one session`() async throws {
        try await FirebaseWorld.run { world in
            let stored = try world.guest()
            let connections = try (0..<12).map { _ in try HTTPConnection(port: world.new.port) }
            let request = TestServer.request(
                "POST",
                "/securetoken.googleapis.com/v1/token?key=\(FirebaseWorld.key)",
                headers: ["Content-Type: application/x-www-form-urlencoded", TestServer.webSDK],
                body: Array("grant_type=refresh_token&refresh_token=\(stored.refreshToken)".utf8)
            )
            for connection in connections { try connection.send(request) }
            let tokens = try connections.map { try $0.answer()["refresh_token"] }
            #expect(Set(tokens).count == 1 && tokens[0] != "")
            #expect(try world.count("adopted_sessions") == 1)
            #expect(world.firebase.count("/v1/token") == 1, "Firebase is asked once")
        }
    }

    @Test func `two nodes may both ask, and one session results`() async throws {
        try await FirebaseWorld.run { world in
            try world.new.beside { other in
                try other.eventually("the phase") {
                    try FirebaseWorld(old: world.old, firebase: world.firebase, new: other).lookup("x").status == 400
                }
                for _ in 0..<4 {
                    let stored = try world.guest()
                    let requests = try [world.new, other, world.new, other].map { node in
                        let connection = try HTTPConnection(port: node.port)
                        try connection.send(
                            TestServer.request(
                                "POST",
                                "/v1/token?key=\(FirebaseWorld.key)",
                                headers: ["Content-Type: application/x-www-form-urlencoded", TestServer.webSDK],
                                body: Array("grant_type=refresh_token&refresh_token=\(stored.refreshToken)".utf8)
                            )
                        )
                        return connection
                    }
                    let answers = try requests.map { try $0.answer() }
                    // A node that loses the race may say that it cannot decide, and knows a moment later.
                    let tokens = Set(answers.map { $0["refresh_token"] }.filter { !$0.isEmpty })
                    #expect(tokens.count == 1, "\(answers.map(\.text))")
                    #expect(try tokens.first == world.move(stored))
                }
                #expect(try world.count("adopted_sessions") == 4)
            }
        }
    }

    @Test func `an ID token of Firebase acts through the session, in calls with a body and with a bearer`() async throws
    {
        try await FirebaseWorld.run { world in
            let stored = try world.linked("ann@example.com")
            let user = try world.lookup(stored.idToken)
            #expect(user.json["users"]?.array?.first?["localId"]?.string == stored.uid, "\(user.text)")
            #expect(user.json["users"]?.array?.first?["email"]?.string == "ann@example.com")
            let written = try world.new.send(
                "PUT",
                "/v1/documents/notes/one",
                headers: ["Authorization: Bearer \(stored.idToken)", "Content-Type: application/json"],
                body: Array(#"{"a":1}"#.utf8)
            )
            #expect(written.status == 200 || written.status == 201, "\(written.text)")
            let named = try world.call(
                "accounts:update",
                ["idToken": .string(stored.idToken), "displayName": "Ann", "returnSecureToken": true]
            )
            #expect(named.status == 200 && named["displayName"] == "Ann", "\(named.text)")
            // The browser has no refresh token of the session yet, which `status` says.
            func unrefreshed() throws -> Int64? {
                var count: Int64?
                try world.new.withOperator { count = try $0.firebaseStatus(limit: 0).unrefreshedSessions }
                return count
            }
            #expect(try unrefreshed() == 1)
            // The refresh token of the same session leads to the same session.
            let token = try world.move(stored)
            #expect(try unrefreshed() == 0)
            #expect(try world.move(stored) == token)
            #expect(try world.count("adopted_sessions") == 1)
            #expect(try world.count("sessions") == 1)
        }
    }

    // MARK: Who it is

    @Test func `who is unknown is made from the look-up, with the address and the claims`() async throws {
        try await FirebaseWorld.run { world in
            let stored = try world.linked("ann@example.com")
            #expect(
                try world.old.change(stored.uid, ["displayName": "Ann", "customAttributes": #"{"plan":"pro"}"#]).status
                    == 200
            )
            try world.move(stored)
            let user = try #require(try world.new.withDatabase { try $0.user(stored.uid) })
            #expect(user.email == "ann@example.com" && user.emailVerifiedAt != nil && user.displayName == "Ann")
            #expect(user.customAttributes == #"{"plan":"pro"}"# && user.importedAt != nil && !user.isAnonymous)
        }
    }

    @Test func `who is unknown keeps an unproven address, the identities, and the times`() async throws {
        try await FirebaseWorld.run { world in
            let stored = try world.linked("ann@example.com")
            let user =
                #"{"users":[{"localId":"\#(stored.uid)","email":"ann@example.com","emailVerified":false,"#
                + #""createdAt":"1600000000000","lastLoginAt":"1600000001000","providerUserInfo":"#
                + #"[{"providerId":"google.com","rawId":"17","email":"ann@example.com"}]}]}"#
            world.firebase.behave(.say(status: 200, user), to: "accounts:lookup")
            try world.move(stored)
            let made = try #require(try world.new.withDatabase { try $0.user(stored.uid) })
            #expect(made.email == "ann@example.com" && made.emailVerifiedAt == nil)
            #expect(made.createdAt == 1_600_000_000_000)
            let identities = try world.new.withDatabase { try $0.identities(of: stored.uid) }
            #expect(identities.map(\.provider) == ["google.com"] && identities.map(\.subject) == ["17"])
        }
    }

    @Test func `a look-up about another user, or about two, makes no user`() async throws {
        try await FirebaseWorld.run { world in
            let stored = try world.guest()
            for users in [#"[{"localId":"other"}]"#, #"[{"localId":"\#(stored.uid)"},{"localId":"other"}]"#, "[]"] {
                world.firebase.behave(.say(status: 200, #"{"users":\#(users)}"#), to: "accounts:lookup")
                #expect(FirebaseWorld.isUndecided(try world.refresh(stored.refreshToken)), "\(users)")
                #expect(FirebaseWorld.isUndecided(try world.lookup(stored.idToken)), "\(users)")
            }
            #expect(try world.count("users") == 0 && world.count("adopted_sessions") == 0)
        }
    }

    @Test func `a token with one thing wrong moves nothing, from a client or from Firebase`() async throws {
        let key = try ExchangeTests.key.get()
        let file = FileManager.default.temporaryDirectory.appending(path: "latchkey-keys-\(UUID().uuidString).json")
        try Data(KeySet(signer: key.key, others: []).jwks).write(to: file)
        defer { try? FileManager.default.removeItem(at: file) }
        try await FirebaseWorld.run(more: "keysFile: '\(file.path)'") { world in
            world.firebase.behave(.say(status: 200, #"{"users":[{"localId":"ann"}]}"#), to: "accounts:lookup")
            let now = world.new.clock.now() / 1000
            func claims(_ change: JSONValue) throws -> JSONValue {
                var changed = try #require(
                    ExchangeTests.claims("ann", at: now, ["iss": "https://securetoken.google.com/old", "aud": "old"])
                        .object
                )
                for member in change.object?.members ?? [] {
                    changed[member.name] = member.value.isNull ? nil : member.value
                }
                return .object(changed)
            }
            var wrong = [
                try ForeignKey().signNamingKey(claims([:])),
                try key.sign(claims([:]), header: ["alg": "none", "kid": .string(key.key.keyID)]),
                try key.sign(claims([:]), header: ["alg": "HS256", "kid": .string(key.key.keyID)]),
            ]
            for example in ExchangeTests.refused { wrong.append(try key.signNamingKey(claims(example.change(now)))) }
            for token in wrong {
                let answer = try world.lookup(token)
                #expect(answer.code == "INVALID_ID_TOKEN" || FirebaseWorld.isUndecided(answer), "\(answer.text)")
                let said = #"{"id_token":"\#(token)","refresh_token":"AMf-x","expires_in":"3600","user_id":"ann"}"#
                world.firebase.behave(.say(status: 200, said), to: "/v1/token")
                #expect(FirebaseWorld.isUndecided(try world.refresh("AMf-any")))
            }
            #expect(try world.count("users") == 0 && world.count("adopted_sessions") == 0)
            #expect(world.firebase.count("accounts:lookup") == 0)
            #expect(try world.lookup(key.signNamingKey(claims([:]))).status == 200)
        }
    }

    @Test func `if the look-up fails nothing is made`() async throws {
        try await FirebaseWorld.run { world in
            let stored = try world.guest()
            world.firebase.behave(.say(status: 503, "{}"), to: "accounts:lookup")
            #expect(FirebaseWorld.isUndecided(try world.refresh(stored.refreshToken)))
            #expect(try world.count("users") == 0 && world.count("adopted_sessions") == 0)
            world.firebase.recover()
            try world.move(stored)
        }
    }

    @Test func `an imported user is refreshed from Firebase until the first session here, and never after`()
        async throws
    {
        try await FirebaseWorld.run { world in
            let first = try world.linked("ann@example.com")
            try world.importUser(first.uid)
            #expect(try world.old.change(first.uid, ["displayName": "New"]).status == 200)
            try world.move(first)
            #expect(try world.new.withDatabase { try $0.user(first.uid)?.displayName } == "New")
            #expect(try world.old.change(first.uid, ["displayName": "Newer"]).status == 200)
            world.new.clock.advance(seconds: 2)
            let second = try world.linked("ann@example.com")
            let asked = world.firebase.count("accounts:lookup")
            try world.move(second)
            #expect(try world.new.withDatabase { try $0.user(first.uid)?.displayName } == "New")
            #expect(world.firebase.count("accounts:lookup") == asked)
            #expect(try world.count("adopted_sessions") == 2)
        }
    }

    @Test func `an imported user who was changed here is not refreshed`() async throws {
        try await FirebaseWorld.run { world in
            let stored = try world.linked("ann@example.com")
            try world.importUser(stored.uid)
            #expect(try world.new.change(stored.uid, ["displayName": "Here"]).status == 200)
            #expect(try world.old.change(stored.uid, ["displayName": "There"]).status == 200)
            try world.move(stored)
            #expect(try world.new.withDatabase { try $0.user(stored.uid)?.displayName } == "Here")
        }
    }

    @Test func `an imported user's own change stays, even after their sessions here are deleted`() async throws {
        try await FirebaseWorld.run { world in
            let stored = try world.linked("ann@example.com")
            try world.importUser(stored.uid)
            let here = try world.new.signIn("ann@example.com")
            try #require(here.uid == stored.uid)
            let changed = try world.new.call(
                "accounts:update",
                ["idToken": .string(here.idToken), "displayName": "Here"]
            )
            #expect(changed.status == 200, "\(changed.text)")
            try world.new.withDatabase { try $0.execute("DELETE FROM sessions") }
            #expect(try world.old.change(stored.uid, ["displayName": "There"]).status == 200)
            try world.move(stored)
            #expect(try world.new.withDatabase { try $0.user(stored.uid)?.displayName } == "Here")
        }
    }

    @Test func `a user who did not come from Firebase is never adopted, nor an administrator`() async throws {
        try await FirebaseWorld.run { world in
            let outsider = try world.guest(), administrator = try world.guest()
            for uid in [outsider.uid, administrator.uid] { try world.new.create(["localId": .string(uid)]) }
            #expect(FirebaseWorld.code(try world.refresh(outsider.refreshToken)) == "TOKEN_EXPIRED")
            #expect(FirebaseWorld.code(try world.lookup(outsider.idToken)) == "TOKEN_EXPIRED")
            try world.new.withDatabase { transaction in
                var user = try #require(try transaction.user(administrator.uid))
                user.importedAt = transaction.now
                try transaction.update(user)
                try transaction.set("administrators", to: administrator.uid)
            }
            #expect(FirebaseWorld.code(try world.refresh(administrator.refreshToken)) == "TOKEN_EXPIRED")
            #expect(try world.count("sessions") == 0)
        }
    }

    @Test func `if another user has the address the old user is adopted without it`() async throws {
        try await FirebaseWorld.run { world in
            let owner = try world.new.signIn("ann@example.com")
            let stored = try world.linked("ann@example.com")
            try world.move(stored)
            let user = try #require(try world.new.withDatabase { try $0.user(stored.uid) })
            #expect(user.email == nil && !user.isAnonymous)
            #expect(try world.new.withDatabase { try $0.user(owner.uid)?.email } == "ann@example.com")
            // A link to the address leads to its owner here.
            #expect(try world.new.signIn("ann@example.com").uid == owner.uid)
            try world.move(stored)
        }
    }

    @Test func `the claims of a custom token stay the session's`() async throws {
        try await FirebaseWorld.run { world in
            let token = #"{"uid":"bob","claims":{"room":"7"}}"#
            let answer = try world.old.call(
                "accounts:signInWithCustomToken",
                ["token": .string(token)],
                headers: [TestServer.webSDK]
            )
            #expect(answer.status == 200, "\(answer.text)")
            let refreshed = try world.refresh(FirebaseStandIn.wrapped(answer["refreshToken"]))
            let claims = try Claims(refreshed["id_token"])
            #expect(claims["sub"] == "bob" && claims["room"] == "7")
            #expect(try world.new.withDatabase { try $0.user("bob")?.customAttributes } == nil)
        }
    }
}
