import JSON
import Testing

/// The contract's section 3.8 in development mode: tokens without signatures, every provider trusted.
@Suite("Contract, 3.8: signing in with a provider")
struct ProviderContractTests {
    private static let google: JSONValue = [
        "sub": "g1", "email": "Ann@Gmail.com", "email_verified": true, "name": "Ann Bee", "given_name": "Ann",
        "family_name": "Bee", "picture": "http://x/a.png",
    ]

    // MARK: Requests

    static let refused: [(JSONValue, Int, String)] = [
        ([:], 400, "MISSING_REQUEST_URI"),
        (["requestUri": "notUrl", "postBody": "providerId=google.com&id_token=x"], 400, "INVALID_REQUEST_URI"),
        (["requestUri": "http://localhost", "postBody": ""], 400, "INVALID_CREDENTIAL_OR_PROVIDER_ID"),
        (["requestUri": "http://localhost", "postBody": "id_token=x"], 400, "INVALID_CREDENTIAL_OR_PROVIDER_ID"),
        (
            ["requestUri": "http://localhost", "postBody": "providerId=google.com&id_token=x"], 400,
            "INVALID_IDP_RESPONSE"
        ),
        (
            ["requestUri": "http://localhost", "postBody": "providerId=google.com&id_token={}"], 400,
            "INVALID_IDP_RESPONSE"
        ),
        (
            ["requestUri": "http://localhost", "postBody": #"providerId=google.com&id_token={"sub":12}"#], 400,
            "INVALID_IDP_RESPONSE"
        ),
        (["requestUri": "http://localhost", "postBody": "providerId=google.com&access_token=opaque"], 501, ""),
        (["requestUri": "http://localhost", "postBody": "providerId=google.com"], 501, ""),
        (
            [
                "requestUri": "http://localhost", "returnRefreshToken": true,
                "postBody": #"providerId=google.com&id_token={"sub":"1"}"#,
            ], 501, ""
        ),
        (["requestUri": "http://localhost", "pendingIdToken": "x"], 501, ""),
    ]

    @Test func `SAML is refused in every mode`() async throws {
        let body: JSONValue = [
            "requestUri": "http://localhost", "postBody": #"providerId=SAML.corp&id_token={"sub":"1"}"#,
        ]
        for mode in ServerMode.allCases {
            try await mode.run { server, _ in
                let answer = try server.call("accounts:signInWithIdp", body)
                #expect(answer.status == 400 && answer.code == "OPERATION_NOT_ALLOWED", "\(answer.text)")
            }
        }
    }

    @Test func `a provider that production would refuse is logged once`() async throws {
        try await TestServer.run { server in
            for provider in ["facebook.com", "oidc.corp", "facebook.com", "oidc.corp"] {
                let answer = try server.signIn(ProviderPerson(provider: provider))
                #expect(answer.status == 200, "\(answer.text)")
            }
            let lines = server.log.all.filter { $0.contains("provider.unconfigured") }
            #expect(lines.count == 2)
            #expect(lines.contains { $0.contains("facebook.com") && $0.contains("knows google.com, apple.com") })
            #expect(lines.contains { $0.contains("oidc.corp") && $0.contains("setting providers") })
        }
    }

    @Test func `what is wrong is told in order`() async throws {
        try await TestServer.run { server in
            for (body, status, code) in Self.refused {
                let answer = try server.call("accounts:signInWithIdp", body)
                #expect(answer.status == status && (code.isEmpty || answer.code == code), "\(body): \(answer.text)")
            }
        }
    }

    @Test(arguments: [
        ("http://localhost?providerId=google.com&id_token=%", ""),
        ("http://localhost", "providerId=GOOGLE.com&id_token=%"),
        ("http://localhost", "&id_token=%&providerId=google.com"),
        ("http://localhost#id_token=%", "providerId=google.com"),
        ("http://localhost?providerId=apple.com&id_token=x", "providerId=google.com&id_token=%"),
        ("http://localhost#id_token=%", "providerId=google.com&id_token=x"),
        ("http://localhost", "providerId=google.com&access_token=%"),
    ])
    func `parameters come from query, body and fragment, the later over the earlier`(_ uri: String, body: String)
        async throws
    {
        try await TestServer.run { server in
            let token = unsignedToken(["sub": "g1"])
            let answer = try server.call(
                "accounts:signInWithIdp",
                [
                    "requestUri": .string(uri.replacing("%", with: token)),
                    "postBody": .string(body.replacing("%", with: token)),
                ]
            )
            #expect(answer.status == 200, "\(answer.text)")
            #expect(answer["providerId"] == "google.com")
        }
    }

    @Test func `a token is an unsigned one, or claims as bare JSON`() async throws {
        try await TestServer.run { server in
            let first = try server.signIn(provider: "google.com", ["sub": "g1"])
            let bare = try server.call(
                "accounts:signInWithIdp",
                ["requestUri": "http://localhost", "postBody": #"providerId=google.com&id_token={"sub":"g1"}"#]
            )
            #expect(bare["localId"] == first["localId"])
            #expect(!bare.keys.contains("isNewUser"))
        }
    }

    // MARK: Answers

    @Test func `the answer for Google`() async throws {
        try await TestServer.run { server in
            let answer = try server.signIn(provider: "google.com", Self.google)
            #expect(answer.status == 200, "\(answer.text)")
            let expected: JSONValue = [
                "kind": "identitytoolkit#VerifyAssertionResponse", "context": "", "providerId": "google.com",
                "federatedId": "https://accounts.google.com/g1", "email": "ann@gmail.com", "emailVerified": true,
                "displayName": "Ann Bee", "fullName": "Ann Bee", "firstName": "Ann", "lastName": "Bee",
                "photoUrl": "http://x/a.png", "isNewUser": true, "expiresIn": "3600",
            ]
            for (name, value) in expected.object?.members ?? [] {
                #expect(answer.json[name] == value, "\(name): \(answer.text)")
            }
            for name in ["localId", "idToken", "refreshToken", "oauthAccessToken", "oauthIdToken"] {
                #expect(!answer[name].isEmpty, "\(name)")
            }
            let raw = try JSONValue.parse(Array(answer["rawUserInfo"].utf8))
            #expect(raw["id"] == "g1")
            #expect(raw["verified_email"] == true)
            #expect(raw["name"] == "Ann Bee")
            #expect(raw["given_name"] == "Ann")
            #expect(raw["family_name"] == "Bee")
            #expect(raw["picture"] == "http://x/a.png")
            #expect(raw["granted_scopes"]?.string?.isEmpty == false)
        }
    }

    @Test func `the answer for others carries their claims as they are`() async throws {
        try await TestServer.run { server in
            let claims: JSONValue = ["sub": "o1", "screen_name": "ann", "colour": "blue"]
            let answer = try server.signIn(provider: "oidc.example", claims)
            #expect(answer["federatedId"] == "o1")
            #expect(answer["screenName"] == "ann")
            #expect(try JSONValue.parse(Array(answer["rawUserInfo"].utf8)) == claims)
            for name in ["email", "displayName", "photoUrl", "firstName", "lastName"] {
                #expect(!answer.keys.contains(name), "\(name)")
            }
        }
    }

    @Test func `an access token is echoed, or made up`() async throws {
        try await TestServer.run { server in
            let body = "providerId=google.com&access_token=mine&id_token=\(unsignedToken(["sub": "g1"]))"
            let given = try server.call(
                "accounts:signInWithIdp",
                ["requestUri": "http://localhost", "postBody": .string(body)]
            )
            #expect(given["oauthAccessToken"] == "mine")
            #expect(try server.signIn(provider: "google.com", ["sub": "g1"])["oauthAccessToken"].isEmpty == false)
        }
    }

    // MARK: Signing in

    @Test func `a known identity signs in to its user, and only its row is renewed`() async throws {
        try await TestServer.run { server in
            let first = try Tokens(server.signIn(provider: "google.com", Self.google))
            let again = try server.signIn(
                provider: "google.com",
                ["sub": "g1", "email": "other@gmail.com", "email_verified": true, "name": "Other"]
            )
            #expect(again["localId"] == first.uid)
            #expect(!again.keys.contains("isNewUser"))
            let user = try server.user(again["idToken"])
            #expect(user["email"] == "ann@gmail.com")
            #expect(user["displayName"] == "Ann Bee")
            #expect(user["providerUserInfo"]?.array?.first?["displayName"] == "Other")
        }
    }

    @Test func `a proven address signs in to its owner, whose profile becomes the provider's`() async throws {
        try await TestServer.run { server in
            let ann = try server.signIn("ann@gmail.com")
            _ = try server.call(
                "accounts:update",
                ["idToken": .string(ann.idToken), "displayName": "Old", "photoUrl": "http://x/old"]
            )
            let answer = try server.signIn(
                provider: "google.com",
                ["sub": "g1", "email": "ann@gmail.com", "email_verified": true, "name": "New"]
            )
            #expect(answer["localId"] == ann.uid, "\(answer.text)")
            let user = try server.user(answer["idToken"])
            #expect(user["displayName"] == "New")
            #expect(user["photoUrl"] == nil)
            #expect(user["emailVerified"] == true)
            #expect(user.providers.sorted() == ["google.com", "password"])
        }
    }

    @Test func `another subject of the same provider takes the row over, and says so`() async throws {
        try await TestServer.run { server in
            let first = try Tokens(server.signIn(provider: "google.com", Self.google))
            let second = try server.signIn(
                provider: "google.com",
                ["sub": "g2", "email": "ann@gmail.com", "email_verified": true]
            )
            #expect(second["localId"] == first.uid, "\(second.text)")
            #expect(second.json["emailRecycled"] == true)
            #expect(try server.user(second["idToken"])["providerUserInfo"]?.array?.map { $0["rawId"] } == ["g2"])
        }
    }

    @Test func `another user's unproven address needs confirmation, and nothing is stored`() async throws {
        try await TestServer.run { server in
            let owner = try Tokens(server.signIn(provider: "google.com", Self.google))
            let answer = try server.signIn(
                provider: "oidc.example",
                ["sub": "o1", "email": "ann@gmail.com", "email_verified": false]
            )
            #expect(answer.status == 200, "\(answer.text)")
            #expect(answer.json["needConfirmation"] == true)
            #expect(answer["localId"] == owner.uid)
            #expect(answer.json["verifiedProvider"] == ["google.com"])
            for name in ["idToken", "refreshToken", "expiresIn"] { #expect(!answer.keys.contains(name), "\(name)") }
            #expect(try server.found(owner.uid).providers == ["google.com"])
        }
    }

    @Test(arguments: [("true", true), ("false", false)])
    func `a proof of the address may be a word, and only true is one`(_ word: String, isProven: Bool) async throws {
        try await TestServer.run { server in
            let answer = try server.signIn(
                provider: "apple.com",
                ["sub": "a1", "email": "ann@example.com", "email_verified": .string(word)]
            )
            #expect(answer.json["emailVerified"]?.bool == isProven)
            #expect(try server.user(answer["idToken"])["emailVerified"]?.bool == isProven)
        }
    }

    @Test func `a new identity makes a user with its profile`() async throws {
        try await TestServer.run { server in
            let answer = try server.signIn(provider: "google.com", Self.google)
            #expect(answer.json["isNewUser"] == true)
            let user = try server.user(answer["idToken"])
            #expect(user["email"] == "ann@gmail.com")
            #expect(user["emailVerified"] == true)
            #expect(user["displayName"] == "Ann Bee")
            #expect(user["photoUrl"] == "http://x/a.png")
        }
    }

    @Test func `where addresses may be used twice none is matched or taken over`() async throws {
        try await TestServer.run { server in
            try server.configure(["signIn": ["allowDuplicateEmails": true]])
            let ann = try server.signIn("ann@gmail.com")
            let answer = try server.signIn(provider: "google.com", Self.google)
            #expect(answer["localId"] != ann.uid)
            let user = try server.user(answer["idToken"])
            #expect(user["email"] == nil)
            #expect(user["providerUserInfo"]?.array?.first?["email"] == "ann@gmail.com")
        }
    }

    @Test func `a disabled user stays out`() async throws {
        try await TestServer.run { server in
            let ann = try Tokens(server.signIn(provider: "google.com", Self.google))
            _ = try server.owner("/accounts:update", ["localId": .string(ann.uid), "disableUser": true])
            #expect(try server.signIn(provider: "google.com", Self.google).code == "USER_DISABLED")
        }
    }

    // MARK: Linking

    @Test func `linking keeps the UID and takes the provider's address where there is none`() async throws {
        try await TestServer.run { server in
            let guest = try server.guest()
            let answer = try server.signIn(provider: "google.com", Self.google, ["idToken": .string(guest.idToken)])
            #expect(answer["localId"] == guest.uid, "\(answer.text)")
            #expect(!answer.keys.contains("isNewUser"))
            let user = try server.user(answer["idToken"])
            #expect(user["email"] == "ann@gmail.com")
            #expect(user["emailVerified"] == true)
            #expect(user.providers == ["google.com"])
        }
    }

    @Test func `linking leaves an address that is there`() async throws {
        try await TestServer.run { server in
            let ann = try server.signIn("ann@example.com")
            let answer = try server.signIn(provider: "google.com", Self.google, ["idToken": .string(ann.idToken)])
            #expect(try server.user(answer["idToken"])["email"] == "ann@example.com", "\(answer.text)")
        }
    }

    @Test func `a bad token is told before anything is linked, always with 400`() async throws {
        try await TestServer.run { server in
            for more: JSONValue in [["idToken": "x"], ["idToken": "x", "returnIdpCredential": true]] {
                let answer = try server.signIn(provider: "google.com", ["sub": "g1"], more)
                #expect(answer.status == 400)
                #expect(answer.code == "INVALID_ID_TOKEN")
            }
        }
    }

    @Test func `an identity that is linked already is not linked, also to its own user, in both forms of the answer`()
        async throws
    {
        try await TestServer.run { server in
            let owner = try Tokens(server.signIn(provider: "google.com", ["sub": "g1"])), guest = try server.guest()
            for token in [guest.idToken, owner.idToken] {
                let refused = try server.signIn(provider: "google.com", ["sub": "g1"], ["idToken": .string(token)])
                #expect(refused.status == 400)
                #expect(refused.code == "FEDERATED_USER_ID_ALREADY_LINKED")
                let told = try server.signIn(
                    provider: "google.com",
                    ["sub": "g1"],
                    ["idToken": .string(token), "returnIdpCredential": true]
                )
                #expect(told.status == 200, "\(told.text)")
                #expect(told["errorMessage"] == "FEDERATED_USER_ID_ALREADY_LINKED")
                #expect(told["providerId"] == "google.com")
                #expect(!told["oauthIdToken"].isEmpty)
                for name in ["localId", "idToken", "refreshToken", "expiresIn"] {
                    #expect(!told.keys.contains(name), "\(name)")
                }
            }
        }
    }

    @Test func `another user's address is not linked, in both forms of the answer`() async throws {
        try await TestServer.run { server in
            _ = try server.signIn("ann@gmail.com")
            let guest = try server.guest()
            let refused = try server.signIn(provider: "google.com", Self.google, ["idToken": .string(guest.idToken)])
            #expect(refused.status == 400)
            #expect(refused.code == "EMAIL_EXISTS")
            let told = try server.signIn(
                provider: "google.com",
                Self.google,
                ["idToken": .string(guest.idToken), "returnIdpCredential": true]
            )
            #expect(told.status == 200)
            #expect(told["errorMessage"] == "EMAIL_EXISTS")
            #expect(told["email"] == "ann@gmail.com")
            #expect(!told.keys.contains("localId"))
            #expect(try server.lookup(guest.idToken).status == 200, "the guest is as it was")
        }
    }
}
