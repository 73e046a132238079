import Database
import JSON
import Server
import Testing

@Suite("Sign-in by identity providers")
struct IdpSignInTests {
    static let ann = ProviderPerson(
        email: "Ann@Example.com",
        name: "Ann Example",
        picture: "https://example.com/ann.png"
    )

    @Test func `a new identity makes a user, and the answer says what Google said`() async throws {
        try await TestServer.run { server in
            let claims: JSONValue = [
                "iss": "", "sub": "123456789", "email": "Ann@Example.com", "email_verified": true,
                "name": "Ann Example", "given_name": "Ann", "family_name": "Example", "picture": "https://x.example/a",
                "screen_name": "ann",
            ]
            let token = UnsignedToken.make(claims)
            let answer = try server.signIn(provider: "google.com", token: token)
            #expect(answer.status == 200, "\(answer.text)")
            #expect(
                answer.keys == [
                    "kind", "context", "providerId", "displayName", "fullName", "screenName", "email", "emailVerified",
                    "photoUrl", "firstName", "lastName", "rawUserInfo", "federatedId", "oauthAccessToken",
                    "oauthIdToken", "localId", "isNewUser", "idToken", "refreshToken", "expiresIn",
                ]
            )
            let expected = [
                "kind": "identitytoolkit#VerifyAssertionResponse", "context": "", "providerId": "google.com",
                "displayName": "Ann Example", "fullName": "Ann Example", "screenName": "ann",
                "email": "ann@example.com", "photoUrl": "https://x.example/a", "firstName": "Ann",
                "lastName": "Example", "federatedId": "https://accounts.google.com/123456789",
                "oauthAccessToken": "FirebaseAuthEmulatorFakeAccessToken_google.com", "oauthIdToken": token,
                "expiresIn": "3600",
            ]
            for (name, value) in expected { #expect(answer[name] == value, "\(name)") }
            #expect(answer.json["emailVerified"] == true)
            #expect(answer.json["isNewUser"] == true)
            let info: JSONValue = [
                "granted_scopes":
                    "openid https://www.googleapis.com/auth/userinfo.profile https://www.googleapis.com/auth/userinfo.email",
                "id": "123456789", "name": "Ann Example", "given_name": "Ann", "family_name": "Example",
                "verified_email": true, "locale": "en", "email": "ann@example.com", "picture": "https://x.example/a",
            ]
            #expect(try JSONValue.parse(answer["rawUserInfo"]) == info)

            let user = try server.user(answer["idToken"])
            for (name, value) in [
                "localId": answer["localId"], "email": "ann@example.com", "displayName": "Ann Example",
                "photoUrl": "https://x.example/a",
            ] {
                #expect(user[name]?.string == value, "\(name)")
            }
            #expect(user["emailVerified"] == true)
            #expect(
                user["providerUserInfo"] == [
                    [
                        "providerId": "google.com", "rawId": "123456789", "federatedId": "123456789",
                        "email": "ann@example.com", "displayName": "Ann Example", "photoUrl": "https://x.example/a",
                        "screenName": "ann",
                    ]
                ]
            )
            let token2 = try Claims(answer["idToken"])
            #expect(token2["firebase"]?["sign_in_provider"] == "google.com")
            #expect(
                token2["firebase"]?["identities"] == ["email": ["ann@example.com"], "google.com": ["123456789"]]
            )
            #expect(token2["email_verified"] == true)
            #expect(token2["provider_id"] == nil)
            let refreshed = try Claims(server.refresh(answer["refreshToken"])["id_token"])
            #expect(refreshed["firebase"] == token2["firebase"])
        }
    }

    @Test func `of other providers the claims are repeated as they are, and nothing that they do not say`() async throws
    {
        try await TestServer.run { server in
            let claims: JSONValue = ["sub": "7", "given_name": "Ann", "custom": ["a": 150, "b": nil]]
            let answer = try server.signIn(provider: "oidc.example", token: UnsignedToken.make(claims))
            #expect(
                answer.keys == [
                    "kind", "context", "providerId", "emailVerified", "rawUserInfo", "federatedId", "oauthAccessToken",
                    "oauthIdToken", "localId", "isNewUser", "idToken", "refreshToken", "expiresIn",
                ]
            )
            #expect(answer["federatedId"] == "7")
            #expect(answer.json["emailVerified"] == false)
            #expect(try JSONValue.parse(answer["rawUserInfo"]) == claims)
            let user = try server.user(answer["idToken"])
            #expect(user["email"] == nil)
            #expect(user["providerUserInfo"] == [["providerId": "oidc.example", "rawId": "7", "federatedId": "7"]])
            #expect(try Claims(answer["idToken"])["firebase"]?["identities"] == ["oidc.example": ["7"]])
        }
    }

    @Test func `an access token is repeated`() async throws {
        try await TestServer.run { server in
            let answer = try server.call(
                "accounts:signInWithIdp",
                [
                    "requestUri": "http://localhost",
                    "postBody": .string(
                        "providerId=foo.com&access_token=at&id_token=\(UnsignedToken.make(["sub": "x"]))"
                    ),
                ]
            )
            #expect(answer["oauthAccessToken"] == "at")
        }
    }

    @Test func `a known identity signs in, its row is refreshed, and the user's own profile is not`() async throws {
        try await TestServer.run { server in
            let first = try Tokens(server.signIn(Self.ann))
            _ = try server.call("accounts:update", ["idToken": .string(first.idToken), "displayName": "Mine"])
            var later = Self.ann
            later.name = "Ann Later"
            later.email = "later@example.com"
            later.picture = nil
            let again = try Tokens(server.signIn(later))
            #expect(again.uid == first.uid)
            #expect(again.answer.json["isNewUser"] == nil)
            #expect(again.answer["displayName"] == "Ann Later")
            let user = try server.user(again.idToken)
            #expect(user["displayName"] == "Mine")
            #expect(user["photoUrl"] == .string(Self.ann.picture ?? ""))
            #expect(user["email"] == "ann@example.com")
            #expect(
                user["providerUserInfo"] == [
                    [
                        "providerId": "google.com", "rawId": "123456789", "federatedId": "123456789",
                        "email": "later@example.com", "displayName": "Ann Later",
                    ]
                ]
            )
            #expect(try server.lookup(first.idToken).status == 200, "the other device stays signed in")
        }
    }

    @Test(arguments: [1, 2]) func `at once, a new identity makes one user`(addresses: Int) async throws {
        try await TestServer.run { server in
            let people = (0..<16).map { number in
                ProviderPerson(subject: addresses == 1 ? "one" : "\(number)", email: "ann@example.com")
            }
            let answers = try server.callAtOnce(
                people.map { person in
                    let token = UnsignedToken.make(person.claims)
                    return ("accounts:signInWithIdp", TestServer.idpBody(person.provider, token))
                }
            )
            #expect(answers.allSatisfy { $0.status == 200 }, "\(answers.map(\.status))")
            #expect(Set(answers.map { $0["localId"] }).count == 1)
            #expect(answers.count { $0.json["isNewUser"] == true } == 1)
        }
    }

    @Test(arguments: [JSONValue.string("false"), .string("True"), .number(JSONNumber(1)), .bool(false), .null])
    func `a provider that does not say that the address is proven has not proven it`(flag: JSONValue) async throws {
        try await TestServer.run { server in
            let token = UnsignedToken.make(["sub": "x", "email": "ann@example.com", "email_verified": flag])
            let answer = try server.signIn(provider: "google.com", token: token)
            #expect(answer.json["emailVerified"] == false)
            #expect(try server.user(answer["idToken"])["emailVerified"] == false)
        }
    }

    @Test func `the string "true" counts as proven`() async throws {
        try await TestServer.run { server in
            let token = UnsignedToken.make(["sub": "x", "email": "ann@example.com", "email_verified": "true"])
            let answer = try server.signIn(provider: "apple.com", token: token)
            #expect(try server.user(answer["idToken"])["emailVerified"] == true)
        }
    }

    @Test func `a proven address signs in to its owner, whose profile becomes the provider's`() async throws {
        try await TestServer.run { server in
            let owner = try server.signIn("ann@example.com")
            _ = try server.call(
                "accounts:update",
                ["idToken": .string(owner.idToken), "displayName": "Old", "photoUrl": "https://old.example"]
            )
            var person = Self.ann
            person.picture = nil
            let answer = try Tokens(server.signIn(person))
            #expect(answer.uid == owner.uid)
            for key in ["isNewUser", "emailRecycled", "needConfirmation"] { #expect(answer.answer.json[key] == nil) }
            let user = try server.user(answer.idToken)
            #expect(user["displayName"] == "Ann Example")
            #expect(user["photoUrl"] == nil, "what the provider does not say is cleared")
            #expect(user.providerIDs == ["password", "google.com"])
            #expect(try server.lookup(owner.idToken).status == 200, "the address was proven before: nobody has to go")
        }
    }

    @Test
    func
        `an address that has passed to another identity at the provider is reported, and its former owner is signed out`()
        async throws
    {
        try await TestServer.run { server in
            let before = try Tokens(server.signIn(Self.ann))
            var other = Self.ann
            other.subject = "another"
            let answer = try Tokens(server.signIn(other))
            #expect(answer.uid == before.uid)
            #expect(answer.answer.json["emailRecycled"] == true)
            let user = try server.user(answer.idToken)
            #expect(user["providerUserInfo"]?.array?.map { $0["rawId"] } == ["another"])
            #expect(try server.lookup(before.idToken).code == "TOKEN_EXPIRED")
            #expect(try server.signIn(Self.ann).json["emailRecycled"] == true, "the old identity is nobody's")
        }
    }

    @Test(arguments: [false, true])
    func `an unproven address changes nothing and needs confirmation`(privacy: Bool) async throws {
        try await TestServer.run(["EMAIL_PRIVACY": privacy ? "on" : "off"]) { server in
            let owner = try Tokens(server.signIn(Self.ann))
            _ = try server.signIn(ProviderPerson(provider: "foo.com", subject: "f"), idToken: owner.idToken)
            let before = try server.dump()
            var stranger = Self.ann
            stranger.provider = "oidc.example"
            stranger.isVerified = false
            for returnsCredential in [false, true] {
                let answer = try server.signIn(stranger, returnsCredential: returnsCredential)
                #expect(answer.status == 200)
                #expect(answer.json["needConfirmation"] == true)
                #expect(answer["localId"] == owner.uid)
                #expect(answer.json["verifiedProvider"] == (privacy ? nil : ["google.com", "foo.com"]))
                #expect(answer["email"] == "ann@example.com")
                for key in ["idToken", "refreshToken", "isNewUser", "errorMessage"] {
                    #expect(!answer.keys.contains(key), "\(key)")
                }
            }
            #expect(try server.dump() == before)
        }
    }

    @Test(arguments: [false, true])
    func `a disabled user cannot sign in`(returnsCredential: Bool) async throws {
        try await TestServer.run { server in
            let user = try Tokens(server.signIn(Self.ann))
            try server.withDatabase { try $0.execute("UPDATE users SET disabled_at = 1") }
            let before = try server.dump()
            var byEmail = Self.ann
            byEmail.provider = "apple.com"
            for person in [Self.ann, byEmail] {
                let answer = try server.signIn(person, returnsCredential: returnsCredential)
                #expect(answer.status == 400)
                #expect(answer.message == "USER_DISABLED")
            }
            let linking = try server.signIn(
                ProviderPerson(provider: "foo.com"),
                idToken: user.idToken,
                returnsCredential: returnsCredential
            )
            #expect(linking.status == 400)
            #expect(linking.message == "USER_DISABLED")
            #expect(try server.dump() == before)
        }
    }

    @Test func `a deleted user's identity makes a new user`() async throws {
        try await TestServer.run { server in
            let first = try Tokens(server.signIn(Self.ann))
            #expect(try server.call("accounts:delete", ["idToken": .string(first.idToken)]).status == 200)
            let second = try Tokens(server.signIn(Self.ann))
            #expect(second.uid != first.uid)
            #expect(second.answer.json["isNewUser"] == true)
        }
    }

    @Test func `where addresses may repeat, providers neither match by them nor give them`() async throws {
        try await TestServer.run { server in
            let owner = try server.signIn("ann@example.com")
            try server.allowDuplicateEmails()
            var uids: Set = [owner.uid]
            for provider in ["google.com", "apple.com", "foo.com"] {
                var person = Self.ann
                person.provider = provider
                person.isVerified = provider != "foo.com"
                let answer = try Tokens(server.signIn(person))
                #expect(answer.answer.json["isNewUser"] == true)
                #expect(answer.answer["email"] == "ann@example.com")
                #expect(answer.answer.json["emailVerified"] == .bool(person.isVerified))
                let user = try server.user(answer.idToken)
                #expect(user["email"] == nil)
                #expect(user["displayName"] == "Ann Example")
                #expect(user["providerUserInfo"]?.array?.first?["email"] == "ann@example.com")
                #expect(try Tokens(server.signIn(person)).uid == answer.uid)
                uids.insert(answer.uid)
            }
            #expect(uids.count == 4)
        }
    }

    @Test func `names and pictures that no profile could hold are left out of it`() async throws {
        try await TestServer.run { server in
            let claims: JSONValue = [
                "sub": "x", "name": .string(String(repeating: "n", count: 1025)), "picture": "a\u{7}b",
                "email": "no address",
            ]
            let answer = try server.signIn(provider: "foo.com", token: UnsignedToken.make(claims))
            #expect(answer.status == 200)
            for key in ["displayName", "fullName", "photoUrl", "email"] {
                #expect(!answer.keys.contains(key), "\(key)")
            }
            #expect(try JSONValue.parse(answer["rawUserInfo"]) == claims)
        }
    }
}
