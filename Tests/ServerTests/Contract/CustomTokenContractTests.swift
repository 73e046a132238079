import JSON
import Testing

/// The contract's section 3.9 in development mode: tokens without signatures.
@Suite("Contract, 3.9: custom tokens")
struct CustomTokenContractTests {
    private static let audience =
        "https://identitytoolkit.googleapis.com/google.identity.identitytoolkit.v1.IdentityToolkit"

    private static func signIn(_ token: String, _ server: TestServer) throws -> Answer {
        try server.call("accounts:signInWithCustomToken", ["token": .string(token)])
    }

    @Test func `a token of a tenant is refused`() async throws {
        try await TestServer.run { server in
            let audience = "https://identitytoolkit.googleapis.com/google.identity.identitytoolkit.v1.IdentityToolkit"
            let token = unsignedToken(["aud": .string(audience), "uid": "ann", "tenant_id": "t"])
            let answer = try server.call("accounts:signInWithCustomToken", ["token": .string(token)])
            #expect(answer.code == "UNSUPPORTED_TENANT_OPERATION", "\(answer.text)")
            #expect(try server.owner("/accounts:lookup", ["localId": ["ann"]]).json["users"] == nil)
        }
    }

    @Test func `in development the third part may be any base64url text`() async throws {
        try await TestServer.run { server in
            let audience = "https://identitytoolkit.googleapis.com/google.identity.identitytoolkit.v1.IdentityToolkit"
            let custom = unsignedToken(["aud": .string(audience), "uid": "ann"])
            let provider = unsignedToken(["sub": "1"])
            for part in ["", "x", "fakeSignature", "-_", String(repeating: "a", count: 1001)] {
                let answer = try server.call("accounts:signInWithCustomToken", ["token": .string(custom + part)])
                #expect(answer.status == 200, "\(part): \(answer.text)")
                #expect(try server.signIn(provider: "google.com", token: provider + part).status == 200, "\(part)")
            }
            for part in ["=", "a b", "é", "a.b"] {
                let answer = try server.call("accounts:signInWithCustomToken", ["token": .string(custom + part)])
                #expect(answer.code == "INVALID_CUSTOM_TOKEN", "\(part): \(answer.text)")
            }
        }
    }

    @Test func `the answer has tokens and no UID, and the user is created`() async throws {
        try await TestServer.run { server in
            let token = unsignedToken(["aud": .string(Self.audience), "uid": "mine", "claims": ["level": 3]])
            let answer = try Self.signIn(token, server)
            #expect(answer.keys == ["kind", "isNewUser", "idToken", "refreshToken", "expiresIn"], "\(answer.text)")
            #expect(answer["kind"] == "identitytoolkit#VerifyCustomTokenResponse")
            #expect(answer.json["isNewUser"] == true)
            let claims = try Claims(answer["idToken"])
            #expect(claims["sub"] == "mine")
            #expect(claims["level"] == 3)
            #expect(claims["provider_id"] == nil)
            #expect(claims["firebase"]?["sign_in_provider"] == "custom")
            #expect(try server.user(answer["idToken"])["customAuth"] == true)
            #expect(try Self.signIn(token, server).json["isNewUser"] == false)
        }
    }

    @Test func `claims stay with the refresh token`() async throws {
        try await TestServer.run { server in
            let answer = try Self.signIn(#"{"uid":"mine","claims":{"level":3}}"#, server)
            let refreshed = try server.refresh(answer["refreshToken"])
            #expect(try Claims(refreshed["id_token"])["level"] == 3)
            let other = try Self.signIn(#"{"uid":"mine"}"#, server)
            #expect(try Claims(other["idToken"])["level"] == nil)
        }
    }

    static let tokens: [(String, String)] = [
        ("", "MISSING_CUSTOM_TOKEN"), ("no token", "INVALID_CUSTOM_TOKEN"), ("a.b.c", "INVALID_CUSTOM_TOKEN"),
        (unsignedToken(["aud": "other", "uid": "x"]), "INVALID_CUSTOM_TOKEN"),
        (unsignedToken(["uid": "x"]), "INVALID_CUSTOM_TOKEN"), (#"{"aud":"other","uid":"x"}"#, "ok"),
        (#"{"uid":"x"}"#, "ok"), (#"{"user_id":"x"}"#, "ok"), (#"{}"#, "MISSING_IDENTIFIER"),
        (#"{"uid":"x","claims":[]}"#, "INVALID_CLAIMS"), (#"{"uid":"x","claims":"a"}"#, "INVALID_CLAIMS"),
        (#"{"uid":"x","claims":{"sub":"y"}}"#, "FORBIDDEN_CLAIM"),
        (#"{"uid":"x","claims":{"firebase":1}}"#, "FORBIDDEN_CLAIM"),
    ]

    @Test(arguments: tokens)
    func `a bad token is refused with its reason`(_ token: String, code: String) async throws {
        try await TestServer.run { server in
            let answer = try Self.signIn(token, server)
            #expect(answer.code == code, "\(answer.text)")
        }
    }

    @Test func `a number as UID becomes its text`() async throws {
        try await TestServer.run { server in
            let answer = try Self.signIn(#"{"uid":123}"#, server)
            #expect(try Claims(answer["idToken"])["sub"] == "123")
        }
    }

    @Test func `a disabled user is refused, and an existing user signs in`() async throws {
        try await TestServer.run { server in
            _ = try server.make(["localId": "mine", "displayName": "Ann"])
            let answer = try Self.signIn(#"{"uid":"mine"}"#, server)
            #expect(answer.json["isNewUser"] == false)
            #expect(try server.user(answer["idToken"])["displayName"] == "Ann")
            _ = try server.owner("/accounts:update", ["localId": "mine", "disableUser": true])
            #expect(try Self.signIn(#"{"uid":"mine"}"#, server).code == "USER_DISABLED")
        }
    }
}
