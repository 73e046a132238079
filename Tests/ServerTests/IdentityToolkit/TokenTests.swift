import JSON
import Testing

@Suite("Token refresh")
struct TokenTests {
    @Test func `a refresh answers all names that clients read, in snake case, and a new refresh token`() async throws {
        try await TestServer.run { server in
            let guest = try server.guest()
            let answer = try server.refresh(guest.refreshToken)
            #expect(answer.status == 200)
            #expect(
                answer.keys == [
                    "id_token", "access_token", "refresh_token", "expires_in", "token_type", "user_id", "project_id",
                ]
            )
            #expect(answer["id_token"] == answer["access_token"])
            #expect(answer["expires_in"] == "3600")
            #expect(answer["token_type"] == "Bearer")
            #expect(answer["user_id"] == guest.uid)
            #expect(Int(answer["project_id"]) != nil)
            #expect(answer["refresh_token"] != guest.refreshToken)
            #expect(try server.user(answer["id_token"])["localId"]?.string == guest.uid)
        }
    }

    struct Form: Sendable, CustomTestStringConvertible {
        let testDescription: String
        var path = "/v1/token?key=k"
        var type = "application/x-www-form-urlencoded"
        /// `%` stands for the token.
        let body: String
    }

    static let forms = [
        Form(testDescription: "a form", body: "grant_type=refresh_token&refresh_token=%"),
        Form(testDescription: "a leading ampersand", body: "&grant_type=refresh_token&refresh_token=%"),
        Form(testDescription: "camel case in a form", body: "grantType=refresh_token&refreshToken=%"),
        Form(
            testDescription: "JSON",
            type: "application/json",
            body: #"{"grant_type":"refresh_token","refresh_token":"%"}"#
        ),
        Form(
            testDescription: "camel case in JSON",
            type: "application/json; charset=utf-8",
            body: #"{"grantType":"refresh_token","refreshToken":"%"}"#
        ),
        Form(
            testDescription: "the host prefix",
            path: "/securetoken.googleapis.com/v1/token?key=k",
            body: "grant_type=refresh_token&refresh_token=%"
        ),
    ]

    @Test func `form and JSON, both spellings and both paths are accepted`() async throws {
        try await TestServer.run { server in
            for form in Self.forms {
                let guest = try server.guest()
                let answer = try server.send(
                    "POST",
                    form.path,
                    headers: ["Content-Type: \(form.type)"],
                    body: Array(form.body.replacing("%", with: guest.refreshToken).utf8)
                )
                #expect(answer.status == 200, "\(form.testDescription): \(answer.text)")
                #expect(answer["user_id"] == guest.uid)
            }
        }
    }

    static let refusals = [
        Scenario(name: "nothing", call: "token", body: "", status: 400, code: "MISSING_GRANT_TYPE"),
        Scenario(
            name: "another grant",
            call: "token",
            body: "grant_type=password&refresh_token=x",
            status: 400,
            code: "INVALID_GRANT_TYPE"
        ),
        Scenario(
            name: "no token",
            call: "token",
            body: "grant_type=refresh_token",
            status: 400,
            code: "MISSING_REFRESH_TOKEN"
        ),
        Scenario(
            name: "no token of ours",
            call: "token",
            body: "grant_type=refresh_token&refresh_token=AAAA",
            status: 400,
            code: "INVALID_REFRESH_TOKEN"
        ),
        Scenario(
            name: "bytes that are no text",
            call: "token",
            body: "grant_type=refresh_token&refresh_token=%FF%00",
            status: 400,
            code: "MISSING_REFRESH_TOKEN"
        ),
        Scenario(name: "a number", call: "token", body: #"{"grant_type":1}"#, status: 400, code: "Invalid JSON"),
    ]

    @Test func `bad requests are refused in the order that clients know`() async throws {
        try await TestServer.run { server in
            for scenario in Self.refusals { try scenario.check(server) }
        }
    }

    @Test func `every changed byte of a refresh token is detected`() async throws {
        try await TestServer.run { server in
            let token = try server.guest().refreshToken
            for forged in Forgery.all(of: token) {
                #expect(try server.refresh(forged.text).code == "INVALID_REFRESH_TOKEN", "\(forged.what)")
            }
            #expect(try server.refresh(token).status == 200)
        }
    }

    @Test func `a repeated refresh yields the same successor, also once that was used, for a minute`() async throws {
        try await TestServer.run { server in
            let first = try server.guest().refreshToken
            let second = try server.refresh(first)["refresh_token"]
            #expect(try server.refresh(first)["refresh_token"] == second)
            server.clock.advance(seconds: 3600)
            #expect(try server.refresh(first)["refresh_token"] == second, "until the successor was used")
            let third = try server.refresh(second)["refresh_token"]
            #expect(third != second)
            #expect(try server.refresh(first)["refresh_token"] == second, "within the minute")
            #expect(try server.refresh(third).status == 200)
        }
    }

    @Test func `an outdated refresh token ends the session for the owner and the thief`() async throws {
        try await TestServer.run { server in
            let guest = try server.guest()
            let second = try server.refresh(guest.refreshToken)["refresh_token"]
            let third = try server.refresh(second)
            server.clock.advance(seconds: 61)
            #expect(try server.refresh(guest.refreshToken).code == "TOKEN_EXPIRED")
            #expect(try server.refresh(third["refresh_token"]).code == "TOKEN_EXPIRED")
            #expect(try server.lookup(third["id_token"]).code == "TOKEN_EXPIRED")
        }
    }

    @Test func `a Firebase SDK keeps one refresh token`() async throws {
        try await TestServer.run { server in
            let guest = try server.guest(headers: Self.firebase)
            for _ in 0..<5 {
                let answer = try server.refresh(guest.refreshToken)
                #expect(answer.status == 200)
                #expect(answer["refresh_token"] == guest.refreshToken)
                server.clock.advance(seconds: 4000)
            }
        }
    }

    private static let firebase = ["X-Client-Version: Firefox/JsCore/11.0.0/FirebaseCore-web"]

    @Test func `a Firebase SDK's refreshes are stored every five minutes, the first one always`() async throws {
        try await TestServer.run { server in
            let guest = try server.guest(headers: Self.firebase)
            var tokens = [guest.idToken]
            /// Refreshes after some seconds, and returns the time of the stored last use.
            func refresh(after seconds: Int64) throws -> String {
                server.clock.advance(seconds: seconds)
                let idToken = try server.refresh(guest.refreshToken)["id_token"]
                #expect(try Claims(idToken)["iat"] != Claims(tokens.removeLast())["iat"])
                tokens.append(idToken)
                return try server.user(idToken)["lastRefreshAt"]?.string ?? ""
            }
            let created = try server.user(guest.idToken)["lastRefreshAt"]?.string ?? ""
            let first = try refresh(after: 1)
            #expect(first > created)
            #expect(try refresh(after: 1) == first)
            #expect(try refresh(after: 200) == first)
            let second = try refresh(after: 200)
            #expect(second > first)
            #expect(try refresh(after: 200) == second)
        }
    }

    @Test func `a session of a Firebase SDK ends at once, however short ago its last use was stored`() async throws {
        try await TestServer.run { server in
            let endings: [(code: String, end: (Tokens) throws -> Answer)] = [
                ("TOKEN_EXPIRED", { try server.call("accounts:signOut", ["refreshToken": .string($0.refreshToken)]) }),
                ("USER_DISABLED", { try server.change($0.uid, ["disableUser": true]) }),
                (
                    "TOKEN_EXPIRED",
                    { try server.change($0.uid, ["validSince": .string("\(server.clock.now() / 1000)")]) }
                ),
                ("INVALID_REFRESH_TOKEN", { try server.call("accounts:delete", ["idToken": .string($0.idToken)]) }),
            ]
            for (number, (code, end)) in endings.enumerated() {
                let user = try server.signIn("ann\(number)@example.com", headers: Self.firebase)
                for _ in 0..<2 {
                    server.clock.advance(seconds: 1)
                    #expect(try server.refresh(user.refreshToken).status == 200)
                }
                #expect(try end(user).status == 200)
                #expect(try server.refresh(user.refreshToken).code == code)
            }
        }
    }

    @Test func `auth_time stays what it was, and the time of the refresh is remembered`() async throws {
        try await TestServer.run { server in
            let guest = try server.guest()
            let before = try server.user(guest.idToken)
            server.clock.advance(seconds: 1000)
            let refreshed = try server.refresh(guest.refreshToken)["id_token"]
            let (old, new) = (try Claims(guest.idToken), try Claims(refreshed))
            #expect(new["auth_time"] == old["auth_time"])
            #expect(new["iat"] != old["iat"])
            let after = try server.user(refreshed)
            #expect(after["lastLoginAt"] == before["lastLoginAt"])
            #expect(after["lastRefreshAt"] != before["lastRefreshAt"])
        }
    }

    @Test func `the refresh token of a deleted user is invalid, that of a signed-out one expired`() async throws {
        try await TestServer.run { server in
            let deleted = try server.guest()
            #expect(try server.call("accounts:delete", ["idToken": .string(deleted.idToken)]).status == 200)
            #expect(try server.refresh(deleted.refreshToken).code == "INVALID_REFRESH_TOKEN")
            let signedOut = try server.signIn("ann@example.com")
            let answer = try server.call("accounts:signOut", ["refreshToken": .string(signedOut.refreshToken)])
            #expect(answer.status == 200)
            #expect(try server.refresh(signedOut.refreshToken).code == "TOKEN_EXPIRED")
        }
    }

    @Test func `a session that was unused for 400 days has ended`() async throws {
        try await TestServer.run { server in
            let guest = try server.guest()
            server.clock.advance(seconds: 399 * 86_400)
            let refreshed = try server.refresh(guest.refreshToken)
            #expect(refreshed.status == 200)
            server.clock.advance(seconds: 401 * 86_400)
            let late = try server.refresh(refreshed["refresh_token"])
            #expect(["TOKEN_EXPIRED", "INVALID_REFRESH_TOKEN"].contains(late.code))
        }
    }

    @Test func `an ID token expires after an hour`() async throws {
        try await TestServer.run { server in
            server.clock.freeze()
            let guest = try server.guest()
            server.clock.advance(seconds: 3590)
            #expect(try server.lookup(guest.idToken).status == 200)
            server.clock.advance(seconds: 20)
            #expect(try server.lookup(guest.idToken).code == "TOKEN_EXPIRED")
        }
    }

    @Test func `a hundred refreshes at once all get the one successor, and the family lives`() async throws {
        try await TestServer.run { server in
            let guest = try server.guest()
            let body: JSONValue = ["grantType": "refresh_token", "refreshToken": .string(guest.refreshToken)]
            let answers = try server.callAtOnce(Array(repeating: ("token", body), count: 100))
            #expect(answers.allSatisfy { $0.status == 200 })
            #expect(Set(answers.map { $0["refresh_token"] }).count == 1)
            #expect(try server.refresh(answers[0]["refresh_token"]).status == 200)
        }
    }
}
