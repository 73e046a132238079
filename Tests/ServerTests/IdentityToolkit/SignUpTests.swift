import JSON
import Testing

@Suite("Sign-up")
struct SignUpTests {
    @Test func `an anonymous sign-up answers a user and tokens, as strings, and no address`() async throws {
        try await TestServer.run { server in
            let answer = try server.call("accounts:signUp", ["returnSecureToken": true])
            #expect(answer.status == 200)
            #expect(answer.keys == ["kind", "localId", "idToken", "refreshToken", "expiresIn"])
            #expect(answer["kind"] == "identitytoolkit#SignupNewUserResponse")
            #expect(answer["expiresIn"] == "3600")
            #expect(answer["localId"].utf8.count == 28)
            #expect(answer["idToken"].split(separator: ".").count == 3)
            #expect(answer.header("content-type")?.hasPrefix("application/json") == true)
        }
    }

    @Test func `the ID token of a guest says anonymous and names a session`() async throws {
        try await TestServer.run { server in
            let guest = try server.guest()
            let claims = try Claims(guest.idToken)
            #expect(claims.header["alg"]?.string == "ES256")
            #expect(claims.header["kid"]?.string?.isEmpty == false)
            #expect(claims["sub"]?.string == guest.uid)
            #expect(claims["user_id"]?.string == guest.uid)
            #expect(claims["iss"]?.string == "https://securetoken.google.com/demo-latchkey")
            #expect(claims["aud"]?.string == "demo-latchkey")
            #expect(claims["provider_id"]?.string == "anonymous")
            #expect(claims["firebase"]?["sign_in_provider"]?.string == "anonymous")
            #expect(claims["firebase"]?["identities"]?.object?.isEmpty == true)
            #expect(claims["sid"]?.string?.isEmpty == false)
            #expect(claims["email"] == nil)
            let issued = try #require(claims["iat"]?.int64)
            #expect(claims["exp"]?.int64 == issued + 3600)
            #expect(claims["auth_time"]?.int64 == issued)
        }
    }

    static let scenarios = [
        Scenario(name: "an empty body", body: "", status: 200, present: ["localId"]),
        Scenario(
            name: "a profile, which a guest has none of",
            body: #"{"displayName":"Ann","photoUrl":"x"}"#,
            status: 200,
            present: ["idToken"],
            absent: [
                "displayName", "photoUrl", "email", "isNewUser", "needConfirmation", "errorMessage", "phoneNumber",
            ]
        ),
        Scenario(name: "unknown fields", body: #"{"colour":{"a":[1]}}"#, status: 200),
        Scenario(name: "null", body: #"{"email":null,"localId":null}"#, status: 200),
        Scenario(name: "an address alone", body: #"{"email":"a@b.co"}"#, status: 400, code: "MISSING_PASSWORD"),
        Scenario(name: "a password alone", body: #"{"password":"secret"}"#, status: 400, code: "MISSING_EMAIL"),
        Scenario(name: "a token alone", body: #"{"idToken":"x"}"#, status: 400, code: "MISSING_EMAIL"),
        Scenario(name: "a token alone in snake case", body: #"{"id_token":"x"}"#, status: 400, code: "MISSING_EMAIL"),
        Scenario(
            name: "address and password",
            body: #"{"email":"a@b.co","password":"secret"}"#,
            status: 400,
            code: "OPERATION_NOT_ALLOWED"
        ),
        Scenario(
            name: "address and password, both empty",
            body: #"{"email":"","password":""}"#,
            status: 400,
            code: "INVALID_EMAIL"
        ),
        Scenario(
            name: "a UID of one's own",
            body: #"{"localId":"mine"}"#,
            status: 400,
            code: "UNEXPECTED_PARAMETER : User ID"
        ),
        Scenario(
            name: "a UID of one's own in snake case",
            body: #"{"local_id":"mine"}"#,
            status: 400,
            code: "UNEXPECTED_PARAMETER : User ID"
        ),
        Scenario(
            name: "a project of one's own",
            body: #"{"targetProjectId":"other"}"#,
            status: 400,
            code: "INSUFFICIENT_PERMISSION : Only authenticated requests can specify target_project_id."
        ),
        Scenario(name: "no API key", query: "", status: 403, code: "The request is missing a valid API key."),
        Scenario(
            name: "an empty API key",
            query: "?key=",
            status: 403,
            code: "The request is missing a valid API key."
        ),
        Scenario(name: "an API key in a header", headers: ["x-goog-api-key: k"], query: "", status: 200),
        Scenario(name: "another scheme than Bearer", headers: ["Authorization: Basic eA=="], status: 200),
        Scenario(
            name: "a strange Bearer",
            headers: ["Authorization: Bearer x"],
            status: 401,
            code: "Request had invalid"
        ),
        Scenario(name: "the owner", headers: ["Authorization: bEARER oWNER"], query: "", status: 200),
        Scenario(name: "a Google token", headers: ["Authorization: Bearer ya29.x"], query: "", status: 200),
        Scenario(name: "a Google token, misspelt", headers: ["Authorization: Bearer YA29.x"], status: 401),
    ]

    @Test func `a client may sign up as a guest and as nothing else`() async throws {
        try await TestServer.run { server in
            for scenario in Self.scenarios { try scenario.check(server) }
        }
    }

    @Test(arguments: [
        "/v1/accounts:signUp", "/identitytoolkit.googleapis.com/v1/accounts:signUp",
    ])
    func `both prefixes lead to the call`(path: String) async throws {
        try await TestServer.run { server in
            let answer = try server.send("POST", "\(path)?key=k", body: Array("{}".utf8))
            #expect(answer.status == 200)
        }
    }

    @Test func `anonymous sign-in can be switched off`() async throws {
        try await TestServer.run(["SIGN_IN_ANONYMOUS": "off"]) { server in
            let answer = try server.call("accounts:signUp")
            #expect(answer.status == 400)
            #expect(answer.code == "ADMIN_ONLY_OPERATION")
        }
    }

    @Test func `in production Bearer owner and Google's tokens are refused, and the administrator's key is accepted`()
        async throws
    {
        let key = "an-administrators-key-of-more-than-32-bytes"
        try await TestServer.runInProduction(["ADMIN_KEY": key]) { server in
            let cases = [("owner", 401), ("ya29.x", 401), ("\(key)x", 401), (String(key.dropLast()), 401), (key, 200)]
            for (token, status) in cases {
                let answer = try server.send(
                    "POST",
                    "/v1/accounts:signUp",
                    headers: ["Authorization: Bearer \(token)"],
                    body: Array("{}".utf8)
                )
                #expect(answer.status == status, "\(token)")
            }
            #expect(try server.call("accounts:signUp").status == 200)
        }
    }
}
