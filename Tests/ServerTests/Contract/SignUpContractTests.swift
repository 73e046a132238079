import JSON
import Testing

/// The contract's section 3.1.
@Suite("Contract, 3.1: signing up and creating users")
struct SignUpContractTests {
    @Test func `signing up, then looking up, is what a client does to be a guest`() async throws {
        try await TestServer.run { server in
            let guest = try server.guest()
            #expect(guest.answer.keys == ["kind", "localId", "idToken", "refreshToken", "expiresIn"])
            #expect(try server.user(guest.idToken)["localId"]?.string == guest.uid)
        }
    }

    @Test func `an administrator creates a user and gets no tokens`() async throws {
        try await TestServer.run { server in
            let answer = try server.owner(
                "/accounts",
                [
                    "localId": "me", "email": "Ann@Example.com", "displayName": "Ann", "photoUrl": "http://x/a",
                ]
            )
            #expect(answer.status == 200)
            #expect(answer["kind"] == "identitytoolkit#SignupNewUserResponse")
            #expect(answer["localId"] == "me")
            #expect(answer["displayName"] == "Ann")
            #expect(answer["email"] == "ann@example.com")
            for name in ["idToken", "refreshToken", "expiresIn"] { #expect(!answer.keys.contains(name), "\(name)") }
            let user = try server.found("me")
            #expect(user["photoUrl"] == "http://x/a")
            #expect(user["emailVerified"]?.bool != true)
            #expect(user["disabled"]?.bool != true)
            #expect(user["providerUserInfo"] == nil, "an address alone is no sign-in method")
        }
    }

    @Test func `a user whom an administrator created is no guest, even without any sign-in method`() async throws {
        try await TestServer.run { server in
            _ = try server.make(["localId": "bare"])
            let answer = try server.call("accounts:signInWithCustomToken", ["token": #"{"uid":"bare"}"#])
            #expect(answer.json["isNewUser"] == false)
            let reset = try server.call("accounts:signOut", ["refreshToken": .string(answer["refreshToken"])])
            #expect(reset.json["reset"] == false)
        }
    }

    @Test func `emailVerified and disabled are as the administrator sets them`() async throws {
        try await TestServer.run { server in
            let uid = try server.make(["email": "a@b.co", "emailVerified": true, "disabled": true])
            let user = try server.found(uid)
            #expect(user["emailVerified"] == true)
            #expect(user["disabled"] == true)
        }
    }

    @Test func `an administrator creates a user on the client's path too`() async throws {
        try await TestServer.run { server in
            let answer = try server.unscopedOwner("accounts:signUp", ["localId": "x", "email": "x@b.co"])
            #expect(answer["localId"] == "x")
            #expect(!answer.keys.contains("idToken"))
        }
    }

    @Test func `users that an administrator cannot create are refused`() async throws {
        try await TestServer.run { server in
            _ = try server.make(["localId": "taken", "email": "taken@b.co"])
            let refused: [(JSONValue, String)] = [
                (["localId": "taken"], "DUPLICATE_LOCAL_ID"), (["email": "TAKEN@b.co"], "EMAIL_EXISTS"),
                (["email": "nobody"], "INVALID_EMAIL"),
                (["idToken": "x", "localId": "y"], "UNEXPECTED_PARAMETER"),
            ]
            for (body, code) in refused {
                #expect(try server.owner("/accounts", body).code == code, "\(body)")
            }
        }
    }

    @Test func `a deleted UID may be created again, a merged one never`() async throws {
        try await TestServer.run { server in
            let gone = try server.make(["localId": "gone"])
            _ = try server.owner("/accounts:delete", ["localId": .string(gone)])
            #expect(try server.owner("/accounts", ["localId": "gone"]).status == 200)
            let guest = try server.guest(), ann = try server.signIn("ann@example.com")
            let merged = try server.call(
                "accounts:merge",
                ["idToken": .string(ann.idToken), "anonymousIdToken": .string(guest.idToken)]
            )
            #expect(merged.status == 200, "\(merged.text)")
            #expect(try server.owner("/accounts", ["localId": .string(guest.uid)]).code == "DUPLICATE_LOCAL_ID")
        }
    }
}
