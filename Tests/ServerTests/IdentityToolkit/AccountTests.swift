import JSON
import Testing

@Suite("Profile, deletion and sign-out")
struct AccountTests {
    private static func update(_ server: TestServer, _ token: String, _ members: JSONValue) throws -> Answer {
        var object = members.object ?? JSONObject()
        object["idToken"] = .string(token)
        return try server.call("accounts:update", .object(object))
    }

    @Test func `a profile is changed and deleted without new tokens`() async throws {
        try await TestServer.run { server in
            let guest = try server.guest()
            let set = try Self.update(
                server,
                guest.idToken,
                ["displayName": "Ännchen 🦊", "photoUrl": "https://example.com/a.png", "returnSecureToken": true]
            )
            #expect(set.status == 200)
            #expect(set.keys == ["kind", "localId", "displayName", "photoUrl"])
            #expect(set["displayName"] == "Ännchen 🦊")
            #expect(try server.user(guest.idToken)["displayName"]?.string == "Ännchen 🦊")
            let refreshed = try Claims(server.refresh(guest.refreshToken)["id_token"])
            #expect(refreshed["name"]?.string == "Ännchen 🦊")
            #expect(refreshed["picture"]?.string == "https://example.com/a.png")
            let none = try Self.update(server, guest.idToken, ["displayName": nil])
            #expect(none["displayName"] == "Ännchen 🦊", "null means not given")
            let gone = try Self.update(server, guest.idToken, ["deleteAttribute": ["DISPLAY_NAME", 4]])
            #expect(gone.keys == ["kind", "localId"])
            #expect(try server.user(guest.idToken)["photoUrl"] == nil)
        }
    }

    @Test func `unlinking the address leaves the user without one`() async throws {
        try await TestServer.run { server in
            let ann = try server.signIn("ann@example.com")
            let known = try server.messages().count
            let answer = try Self.update(server, ann.idToken, ["deleteProvider": ["password"]])
            #expect(answer.status == 200)
            #expect(try server.message(after: known).parameter("mode") == "recoverEmail")
            #expect(!answer.keys.contains("email"))
            #expect(answer.json["providerUserInfo"] == [], "what is left")
            let user = try server.user(ann.idToken)
            for name in ["email", "emailVerified", "emailLinkSignin", "providerUserInfo"] {
                #expect(user[name] == nil, "\(name)")
            }
            let other = try server.signIn("ann@example.com")
            #expect(other.uid != ann.uid)
            let signOut = try server.call("accounts:signOut", ["refreshToken": .string(ann.refreshToken)])
            #expect(signOut.json["reset"]?.bool == false, "who once had a credential is never anonymous again")
        }
    }

    @Test func `validSince gives fresh tokens and ends all others`() async throws {
        try await TestServer.run { server in
            let ann = try server.signIn("ann@example.com")
            let elsewhere = try server.signIn("ann@example.com")
            let answer = try Self.update(server, ann.idToken, ["validSince": "1"])
            #expect(answer.status == 200)
            for token in [ann.idToken, elsewhere.idToken] {
                #expect(try server.lookup(token).code == "TOKEN_EXPIRED")
            }
            for token in [ann.refreshToken, elsewhere.refreshToken] {
                #expect(try server.refresh(token).code == "TOKEN_EXPIRED")
            }
            #expect(try server.lookup(answer["idToken"]).status == 200)
            #expect(try server.refresh(answer["refreshToken"]).status == 200)
            let claims = try Claims(answer["idToken"])
            #expect(claims["firebase"]?["sign_in_provider"]?.string == "password")
        }
    }

    static let refusals = [
        Scenario(name: "nothing", call: "accounts:update", status: 400, code: "INVALID_REQ_TYPE : "),
        Scenario(
            name: "a strange token",
            call: "accounts:update",
            body: #"{"idToken":"x"}"#,
            status: 400,
            code: "INVALID_ID_TOKEN"
        ),
        Scenario(
            name: "a strange code",
            call: "accounts:update",
            body: #"{"oobCode":"x"}"#,
            status: 400,
            code: "INVALID_OOB_CODE"
        ),
        Scenario(
            name: "claims",
            call: "accounts:update",
            body: #"{"idToken":"x","customAttributes":"{}"}"#,
            status: 400,
            code: "INSUFFICIENT_PERMISSION"
        ),
        Scenario(
            name: "a provider, first of all",
            call: "accounts:update",
            body: #"{"provider":["x"]}"#,
            status: 501
        ),
        Scenario(
            name: "an upgrade, first of all",
            call: "accounts:update",
            body: #"{"upgradeToFederatedLogin":true}"#,
            status: 501
        ),
        Scenario(
            name: "what nobody may delete, before the code",
            call: "accounts:update",
            body: #"{"idToken":"x","deleteAttribute":["RAW_USER_INFO"]}"#,
            status: 501
        ),
        Scenario(
            name: "disabling, after the token",
            call: "accounts:update",
            body: #"{"idToken":"x","disableUser":true}"#,
            status: 400,
            code: "INVALID_ID_TOKEN"
        ),
        Scenario(
            name: "a bad address, after the token",
            call: "accounts:update",
            body: #"{"idToken":"x","email":"x"}"#,
            status: 400,
            code: "INVALID_ID_TOKEN"
        ),
    ]

    @Test func `a client cannot change members that only administrators may`() async throws {
        try await TestServer.run { server in
            for scenario in Self.refusals { try scenario.check(server) }
            let ann = try server.signIn("ann@example.com"), before = try server.user(ann.idToken)
            for (name, value, code) in Self.forbidden {
                var members = JSONObject()
                members.append(name, value)
                members.append("displayName", "x")
                #expect(try Self.update(server, ann.idToken, .object(members)).code == code, "\(name)")
            }
            #expect(try server.user(ann.idToken) == before)
            // Errors of the caller come before errors of the call.
            #expect(try server.change(ann.uid, ["disableUser": true]).status == 200)
            for (name, value, _) in Self.forbidden {
                var members = JSONObject()
                members.append(name, value)
                #expect(try Self.update(server, ann.idToken, .object(members)).code == "USER_DISABLED", "\(name)")
            }
        }
    }

    static let forbidden: [(String, JSONValue, String)] = [
        ("disableUser", true, "OPERATION_NOT_ALLOWED"), ("disableUser", false, "OPERATION_NOT_ALLOWED"),
        ("linkProviderUserInfo", ["providerId": "google.com", "rawId": "1"], "OPERATION_NOT_ALLOWED"),
        ("password", "secret", "OPERATION_NOT_ALLOWED"), ("email", "x", "INVALID_EMAIL"),
    ]

    @Test func `a client cannot set emailVerified, disableUser or createdAt`() async throws {
        try await TestServer.run { server in
            let guest = try server.guest()
            let before = try server.user(guest.idToken)
            let answer = try Self.update(
                server,
                guest.idToken,
                ["emailVerified": true, "createdAt": "1", "lastLoginAt": "1", "localId": "x", "displayName": "x"]
            )
            #expect(answer.status == 200)
            #expect(answer.json["emailVerified"] == nil)
            let after = try server.user(guest.idToken)
            #expect(after["createdAt"] == before["createdAt"])
            #expect(after["localId"] == before["localId"])
        }
    }

    @Test func `deleting a user ends the user's sessions, codes and links`() async throws {
        try await TestServer.run { server in
            let ann = try server.signIn("ann@example.com")
            let answer = try server.call("accounts:delete", ["idToken": .string(ann.idToken), "localId": "other"])
            #expect(answer.status == 200)
            #expect(answer.text == #"{"kind":"identitytoolkit#DeleteAccountResponse"}"#)
            #expect(try server.lookup(ann.idToken).code == "USER_NOT_FOUND")
            #expect(try server.refresh(ann.refreshToken).code == "INVALID_REFRESH_TOKEN")
            #expect(try server.call("accounts:delete", ["idToken": .string(ann.idToken)]).code == "USER_NOT_FOUND")
            #expect(try server.call("accounts:delete").code == "MISSING_ID_TOKEN")
            #expect(try server.signIn("ann@example.com").uid != ann.uid)
        }
    }

    @Test func `sign-out deletes a guest, who could not be reached again`() async throws {
        try await TestServer.run { server in
            let guest = try server.guest()
            let answer = try server.call("accounts:signOut", ["refreshToken": .string(guest.refreshToken)])
            #expect(answer.status == 200)
            #expect(answer.json["reset"]?.bool == true)
            #expect(try server.lookup(guest.idToken).code == "USER_NOT_FOUND")
        }
    }

    @Test func `signing out a permanent user ends this session only`() async throws {
        try await TestServer.run { server in
            let ann = try server.signIn("ann@example.com")
            let elsewhere = try server.signIn("ann@example.com")
            for _ in 0..<2 {
                let answer = try server.call("accounts:signOut", ["refreshToken": .string(ann.refreshToken)])
                #expect(answer.status == 200)
                #expect(answer.json["reset"]?.bool == false)
            }
            #expect(try server.lookup(ann.idToken).code == "TOKEN_EXPIRED")
            #expect(try server.lookup(elsewhere.idToken).status == 200)
        }
    }

    @Test func `an old refresh token ends the session but deletes no user`() async throws {
        try await TestServer.run { server in
            let guest = try server.guest()
            let second = try server.refresh(guest.refreshToken)
            let third = try server.refresh(second["refresh_token"])
            server.clock.advance(seconds: 61)
            let answer = try server.call("accounts:signOut", ["refreshToken": .string(guest.refreshToken)])
            #expect(answer.status == 200)
            #expect(answer.json["reset"]?.bool == false)
            #expect(try server.lookup(third["id_token"]).code == "TOKEN_EXPIRED", "ended, not deleted")
        }
    }

    @Test func `the previous refresh token still signs out for good`() async throws {
        try await TestServer.run { server in
            let guest = try server.guest()
            _ = try server.refresh(guest.refreshToken)
            let answer = try server.call("accounts:signOut", ["refreshToken": .string(guest.refreshToken)])
            #expect(answer.json["reset"]?.bool == true)
            #expect(try server.call("accounts:signOut").code == "MISSING_REFRESH_TOKEN")
            #expect(try server.call("accounts:signOut", ["refreshToken": "x"]).code == "INVALID_REFRESH_TOKEN")
        }
    }
}
