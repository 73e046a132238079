import JSON
import Testing

@Suite("Lookup")
struct LookupTests {
    @Test func `a guest has times as strings and no member about an address`() async throws {
        try await TestServer.run { server in
            let guest = try server.guest()
            let answer = try server.lookup(guest.idToken)
            #expect(answer["kind"] == "identitytoolkit#GetAccountInfoResponse")
            let user = try server.user(guest.idToken)
            #expect(
                user.object?.members.map(\.name) == [
                    "localId", "lastLoginAt", "createdAt", "lastRefreshAt",
                ]
            )
            for name in ["lastLoginAt", "createdAt"] {
                #expect(user[name]?.string?.allSatisfy(\.isNumber) == true, "\(name)")
            }
            #expect(user["lastRefreshAt"]?.string?.hasSuffix("Z") == true)
        }
    }

    @Test func `a user with an address has the row that ends being anonymous`() async throws {
        try await TestServer.run { server in
            let tokens = try server.signIn("Ann@Example.COM")
            let user = try server.user(tokens.idToken)
            #expect(user["email"]?.string == "ann@example.com")
            #expect(user["emailVerified"]?.bool == true)
            #expect(user["emailLinkSignin"]?.bool == true)
            let rows = try #require(user["providerUserInfo"]?.array)
            #expect(rows.count == 1)
            #expect(rows.first?["providerId"]?.string == "password")
            for name in ["email", "federatedId", "rawId"] {
                #expect(rows.first?[name]?.string == "ann@example.com")
            }
        }
    }

    static let scenarios = [
        Scenario(name: "no token", call: "accounts:lookup", status: 400, code: "MISSING_ID_TOKEN"),
        Scenario(
            name: "an empty token",
            call: "accounts:lookup",
            body: #"{"idToken":""}"#,
            status: 400,
            code: "MISSING_ID_TOKEN"
        ),
        Scenario(
            name: "no token at all",
            call: "accounts:lookup",
            body: #"{"idToken":"a.b.c"}"#,
            status: 400,
            code: "INVALID_ID_TOKEN"
        ),
        Scenario(
            name: "an unsigned token",
            call: "accounts:lookup",
            body: #"{"idToken":"eyJhbGciOiJub25lIn0.eyJzdWIiOiJ4In0."}"#,
            status: 400,
            code: "INVALID_ID_TOKEN"
        ),
    ]

    @Test func `without a valid token the call is refused`() async throws {
        try await TestServer.run { server in
            for scenario in Self.scenarios { try scenario.check(server) }
        }
    }

    @Test func `a token with a changed signature, payload or header is invalid`() async throws {
        try await TestServer.run { server in
            let token = try server.guest().idToken
            let parts = token.split(separator: ".").map(String.init)
            for index in parts.indices {
                for forged in Forgery.all(of: parts[index]).prefix(400) {
                    var changed = parts
                    changed[index] = forged.text
                    let answer = try server.lookup(changed.joined(separator: "."))
                    #expect(answer.code == "INVALID_ID_TOKEN", "part \(index), \(forged.what)")
                }
            }
        }
    }
}
