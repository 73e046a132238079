import JSON
import Testing

/// The contract's section 3.3.
@Suite("Contract, 3.3: signing in with an e-mail link")
struct EmailLinkContractTests {
    @Test func `the answer has the members that clients read, and says whether the user is new`() async throws {
        try await TestServer.run { server in
            let first = try server.redeem(server.askForLink("Ann@Example.com").oobCode, "ANN@example.com")
            #expect(
                first.keys == ["kind", "email", "localId", "isNewUser", "idToken", "refreshToken", "expiresIn"],
                "\(first.text)"
            )
            #expect(first["kind"] == "identitytoolkit#EmailLinkSigninResponse")
            #expect(first["email"] == "ann@example.com")
            #expect(first.json["isNewUser"] == true)
            let again = try server.redeem(server.askForLink("ann@example.com").oobCode, "ann@example.com")
            #expect(again.json["isNewUser"] == false)
            #expect(again["localId"] == first["localId"])
            let guest = try server.guest()
            let linked = try server.redeem(
                server.askForLink("bob@example.com").oobCode,
                "bob@example.com",
                idToken: guest.idToken
            )
            #expect(linked.json["isNewUser"] == false)
            #expect(linked["localId"] == guest.uid)
            #expect(linked.json.names.contains("providerId") == false)
        }
    }

    @Test func `the token is checked before missing parameters, and a refusal keeps the code`() async throws {
        try await TestServer.run { server in
            let asked = try server.askForLink("ann@example.com")
            let gone = try server.guest(), disabled = try server.guest(), revoked = try server.guest()
            _ = try server.owner("/accounts:delete", ["localId": .string(gone.uid)])
            _ = try server.owner("/accounts:update", ["localId": .string(disabled.uid), "disableUser": true])
            _ = try server.owner(
                "/accounts:update",
                ["localId": .string(revoked.uid), "validSince": "99999999999"]
            )
            for (token, code) in [
                ("x", "INVALID_ID_TOKEN"), (gone.idToken, "USER_NOT_FOUND"), (revoked.idToken, "TOKEN_EXPIRED"),
                (disabled.idToken, "USER_DISABLED"),
            ] {
                for body: JSONValue in [
                    ["idToken": .string(token)],
                    ["idToken": .string(token), "email": "ann@example.com", "oobCode": .string(asked.oobCode)],
                ] {
                    #expect(try server.call("accounts:signInWithEmailLink", body).code == code)
                }
            }
            let missing: [(JSONValue, String)] = [
                ([:], "MISSING_EMAIL"), (["oobCode": .string(asked.oobCode)], "MISSING_EMAIL"),
                (["email": "ann@example.com"], "MISSING_OOB_CODE"),
                (["email": "ann@example.com", "oobCode": "x"], "INVALID_OOB_CODE"),
                (
                    ["email": "bob@example.com", "oobCode": .string(asked.oobCode)],
                    "INVALID_EMAIL"
                ),
            ]
            for (body, code) in missing {
                #expect(try server.call("accounts:signInWithEmailLink", body).code == code, "\(body)")
            }
            #expect(try server.redeem(asked.oobCode, "ann@example.com").status == 200)
        }
    }

    @Test func `an address other than the code's is refused with a message of its own`() async throws {
        try await TestServer.run { server in
            let answer = try server.redeem(server.askForLink("ann@example.com").oobCode, "bob@example.com")
            #expect(
                answer.message == "INVALID_EMAIL : The email provided does not match the sign-in email address."
            )
        }
    }

    @Test func `a code of another type does not sign in`() async throws {
        try await TestServer.run { server in
            _ = try server.make(["email": "ann@example.com"])
            let code = try server.owner(
                "/accounts:sendOobCode",
                ["requestType": "VERIFY_EMAIL", "email": "ann@example.com", "returnOobLink": true]
            )["oobCode"]
            #expect(try server.redeem(code, "ann@example.com").code == "INVALID_OOB_CODE")
        }
    }

    @Test func `linking replaces the address that the user had`() async throws {
        try await TestServer.run { server in
            let ann = try server.signIn("ann@example.com")
            let answer = try server.redeem(
                server.askForLink("new@example.com").oobCode,
                "new@example.com",
                idToken: ann.idToken
            )
            #expect(answer["localId"] == ann.uid)
            let user = try server.user(answer["idToken"])
            #expect(user["email"] == "new@example.com")
            #expect(user["emailVerified"] == true)
            #expect(user["emailLinkSignin"] == true)
            #expect(user.providers == ["password"])
        }
    }

    @Test func `a user whom an administrator created with the address is signed in, and the address is proven`()
        async throws
    {
        try await TestServer.run { server in
            let uid = try server.make(["email": "ann@example.com"])
            let answer = try server.redeem(server.askForLink("ann@example.com").oobCode, "ann@example.com")
            #expect(answer["localId"] == uid)
            #expect(answer.json["isNewUser"] == false)
            let user = try server.user(answer["idToken"])
            #expect(user["emailVerified"] == true)
            #expect(user["emailLinkSignin"] == true)
            #expect(user.providers == ["password"])
        }
    }

    @Test func `a conflict keeps code and both accounts, and the same link then signs in`() async throws {
        try await TestServer.run { server in
            let owner = try server.signIn("ann@example.com"), guest = try server.guest()
            let asked = try server.askForLink("ann@example.com")
            let conflict = try server.redeem(asked.oobCode, "ann@example.com", idToken: guest.idToken)
            #expect(conflict.status == 400)
            #expect(conflict.code == "EMAIL_EXISTS")
            #expect(try server.user(guest.idToken)["email"] == nil)
            let signedIn = try server.redeem(asked.oobCode, "ann@example.com")
            #expect(signedIn["localId"] == owner.uid)
        }
    }
}
