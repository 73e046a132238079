import Foundation
import JSON
import Testing

/// The contract's section 2: users, ID tokens.
@Suite("Contract, 2: users and tokens")
struct UserContractTests {
    // MARK: 0

    @Test func `members that clients check for presence are absent, and nothing is null`() async throws {
        try await TestServer.run { server in
            let guest = try server.guest()
            let link = try server.askForLink("ann@example.com", idToken: guest.idToken).oobCode
            let linked = try server.redeem(link, "ann@example.com", idToken: guest.idToken)
            let answers = [
                guest.answer, linked, try server.lookup(linked["idToken"]),
                try server.signIn(provider: "google.com", ["sub": "1"]),
                try server.call("accounts:signInWithCustomToken", ["token": #"{"uid":"c"}"#]),
                try server.refresh(linked["refreshToken"]), try server.owner("/accounts:lookup", ["localId": ["c"]]),
            ]
            for answer in answers {
                #expect(answer.status == 200, "\(answer.text)")
                for name in ["needConfirmation", "errorMessage", "mfaPendingCredential", "phoneNumber"] {
                    #expect(!answer.text.contains("\"\(name)\""), "\(answer.text)")
                }
                #expect(!answer.text.contains(":null"), "\(answer.text)")
            }
        }
    }

    // MARK: 2.1

    @Test func `a user's members have the types that clients restore`() async throws {
        try await TestServer.run { server in
            let uid = try server.make([
                "email": "Ann@Example.com", "emailVerified": true, "displayName": "Ann", "photoUrl": "http://x/a.png",
                "disabled": true,
            ])
            _ = try server.owner("/accounts:update", ["localId": .string(uid), "customAttributes": #"{"a":1}"#])
            let user = try server.found(uid)
            for name in ["localId", "email", "displayName", "photoUrl", "customAttributes"] {
                #expect(user[name]?.string?.isEmpty == false, "\(name)")
            }
            #expect(user["email"] == "ann@example.com")
            for name in ["emailVerified", "disabled"] { #expect(user[name] == true, "\(name)") }
            for name in ["createdAt", "lastLoginAt", "validSince"] {
                if let value = user[name] { #expect(value.string.flatMap { Int64($0) } != nil, "\(name)") }
            }
            let created = try #require(user["createdAt"]?.string.flatMap { Int64($0) })
            #expect(abs(created - Int64(Date.now.timeIntervalSince1970 * 1000)) < 60_000, "milliseconds")
            for name in ["passwordHash", "salt", "passwordUpdatedAt", "phoneNumber", "mfaInfo", "tenantId"] {
                #expect(user[name] == nil, "\(name)")
            }
            #expect(user["providerUserInfo"] == nil, "an address that nobody signs in by is no provider")
        }
    }

    @Test func `the time of the last refresh is RFC 3339 with milliseconds`() async throws {
        try await TestServer.run { server in
            let text = try #require(try server.user(server.guest().idToken)["lastRefreshAt"]?.string)
            #expect(text.wholeMatch(of: /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z/) != nil, "\(text)")
        }
    }

    @Test func `a provider's row holds what the provider said, one for each provider`() async throws {
        try await TestServer.run { server in
            let claims: JSONValue = [
                "sub": "g1", "email": "Ann@Gmail.com", "email_verified": true, "name": "Ann",
                "picture": "http://x/a.png",
                "screen_name": "ann",
            ]
            let tokens = try Tokens(server.signIn(provider: "google.com", claims))
            let row = try #require(try server.user(tokens.idToken)["providerUserInfo"]?.array?.first)
            #expect(row["providerId"] == "google.com")
            #expect(row["rawId"] == "g1")
            #expect(row["federatedId"] == "g1")
            #expect(row["email"] == "ann@gmail.com")
            #expect(row["displayName"] == "Ann")
            #expect(row["photoUrl"] == "http://x/a.png")
            #expect(row["screenName"] == "ann")
        }
    }

    @Test(arguments: [("a", false), ("@b", false), ("a@", false), ("a@b@c", false), ("a@b.co", true)])
    func `an address has one @ with something on both sides`(_ email: String, isGood: Bool) async throws {
        try await TestServer.run { server in
            let answer = try server.owner("/accounts", ["email": .string(email)])
            #expect(answer.code == (isGood ? "ok" : "INVALID_EMAIL"))
        }
    }

    // MARK: 2.2

    @Test func `a token names what is set, and the providers`() async throws {
        try await TestServer.run { server in
            let tokens = try Tokens(
                server.signIn(
                    provider: "google.com",
                    [
                        "sub": "g1", "email": "ann@gmail.com", "email_verified": true, "name": "Ann",
                        "picture": "http://x/a",
                    ]
                )
            )
            let claims = try Claims(tokens.idToken)
            #expect(claims["name"] == "Ann")
            #expect(claims["picture"] == "http://x/a")
            #expect(claims["email"] == "ann@gmail.com")
            #expect(claims["email_verified"] == true)
            #expect(claims["provider_id"] == nil)
            #expect(claims["firebase"]?["sign_in_provider"] == "google.com")
            #expect(claims["firebase"]?["identities"]?["google.com"] == ["g1"])
            #expect(claims["firebase"]?["identities"]?["email"] == ["ann@gmail.com"])
            for name in ["iat", "exp", "auth_time"] { #expect(claims[name]?.int64 != nil, "\(name)") }
        }
    }

    @Test func `identities never name the e-mail link, whose provider is password`() async throws {
        try await TestServer.run { server in
            let claims = try Claims(server.signIn("ann@example.com").idToken)
            #expect(claims["firebase"]?["identities"]?.names == ["email"])
            #expect(claims["firebase"]?["sign_in_provider"] == "password")
        }
    }

    @Test func `the server's claims come first, then a custom token's, an administrator's and the profile's`()
        async throws
    {
        try await TestServer.run { server in
            let uid = try server.make(["localId": "u", "displayName": "Ann", "photoUrl": "http://x/a"])
            _ = try server.owner(
                "/accounts:update",
                [
                    "localId": .string(uid),
                    "customAttributes": #"{"name":"Attribute","picture":"p","level":1,"role":"a"}"#,
                ]
            )
            let plain = try server.call("accounts:signInWithCustomToken", ["token": #"{"uid":"u"}"#])
            let first = try Claims(plain["idToken"])
            #expect(first["name"] == "Attribute")
            #expect(first["level"] == 1)
            let token: JSONValue = ["uid": "u", "claims": ["level": 2, "email_verified": true, "user_id": "x"]]
            let answer = try server.call(
                "accounts:signInWithCustomToken",
                ["token": .string(String(decoding: token.serialized(), as: UTF8.self))]
            )
            let second = try Claims(answer["idToken"])
            #expect(second["level"] == 2)
            #expect(second["role"] == "a")
            #expect(second["name"] == "Attribute")
            #expect(second["user_id"] == "u")
            #expect(second["sub"] == "u")
        }
    }

    static let refusals: [(String, @Sendable (TestServer, Tokens) throws -> String, String)] = [
        ("undecodable", { _, _ in "x" }, "INVALID_ID_TOKEN"),
        (
            "of a user who is gone",
            { server, ann in
                _ = try server.owner("/accounts:delete", ["localId": .string(ann.uid)])
                return ann.idToken
            }, "USER_NOT_FOUND"
        ),
        (
            "older than validSince",
            { server, ann in
                _ = try server.owner(
                    "/accounts:update",
                    [
                        "localId": .string(ann.uid),
                        "validSince": .string(String(Int(Date.now.timeIntervalSince1970) + 9)),
                    ]
                )
                return ann.idToken
            }, "TOKEN_EXPIRED"
        ),
        (
            "of a disabled user",
            { server, ann in
                _ = try server.owner("/accounts:update", ["localId": .string(ann.uid), "disableUser": true])
                return ann.idToken
            }, "USER_DISABLED"
        ),
        (
            "older than validSince and of a disabled user",
            { server, ann in
                _ = try server.owner(
                    "/accounts:update",
                    [
                        "localId": .string(ann.uid), "disableUser": true,
                        "validSince": .string(String(Int(Date.now.timeIntervalSince1970) + 9)),
                    ]
                )
                return ann.idToken
            }, "TOKEN_EXPIRED"
        ),
    ]

    @Test(arguments: refusals.indices)
    func `a token is refused for the first reason that applies`(_ index: Int) async throws {
        let (name, spoil, code) = Self.refusals[index]
        try await TestServer.run { server in
            let token = try spoil(server, server.signIn("ann@example.com"))
            #expect(try server.lookup(token).code == code, "\(name)")
        }
    }

    // MARK: 2.3

    @Test func `tokens are answered whether or not they are asked for`() async throws {
        try await TestServer.run { server in
            for body: JSONValue in [[:], ["returnSecureToken": false], ["returnSecureToken": true]] {
                let answer = try server.call("accounts:signUp", body)
                #expect(!answer["idToken"].isEmpty && !answer["refreshToken"].isEmpty)
                #expect(answer.json["expiresIn"] == "3600")
            }
        }
    }
}
