import JSON
import Testing

/// The contract's sections 3.12 and 3.15.
@Suite("Contract, 3.12 and 3.15: configuration")
struct ConfigContractTests {
    private static func read(_ server: TestServer) throws -> Answer {
        try server.owner("/config", nil, method: "GET", version: "v2")
    }

    private static func change(_ body: JSONValue, mask: String? = nil, _ server: TestServer) throws -> Answer {
        try server.owner("/config" + (mask.map { "?updateMask=\($0)" } ?? ""), body, method: "PATCH", version: "v2")
    }

    @Test func `the configuration is read and replaced as a whole`() async throws {
        try await TestServer.run { server in
            let initial = try Self.read(server).json
            #expect(initial["signIn"]?["allowDuplicateEmails"] == false)
            #expect(initial["emailPrivacyConfig"]?["enableImprovedEmailPrivacy"] == false)
            #expect(initial["blockingFunctions"]?.object?.isEmpty == true)
            let changed = try Self.change(["signIn": ["allowDuplicateEmails": true]], server)
            #expect(changed.json["signIn"]?["allowDuplicateEmails"] == true, "\(changed.text)")
            #expect(try Self.read(server).json == changed.json)
            let back = try Self.change(["emailPrivacyConfig": ["enableImprovedEmailPrivacy": true]], server)
            #expect(back.json["signIn"]?["allowDuplicateEmails"] == false, "what is missing gets its default")
            #expect(back.json["emailPrivacyConfig"]?["enableImprovedEmailPrivacy"] == true)
        }
    }

    @Test func `a mask selects the members to change, and a member that the body lacks stays`() async throws {
        try await TestServer.run { server in
            _ = try Self.change(["signIn": ["allowDuplicateEmails": true]], server)
            let masked = try Self.change(
                [
                    "signIn": ["allowDuplicateEmails": false],
                    "emailPrivacyConfig": ["enableImprovedEmailPrivacy": true],
                ],
                mask: "emailPrivacyConfig.enableImprovedEmailPrivacy",
                server
            )
            #expect(masked.json["signIn"]?["allowDuplicateEmails"] == true, "\(masked.text)")
            #expect(masked.json["emailPrivacyConfig"]?["enableImprovedEmailPrivacy"] == true)
            let skipped = try Self.change([:], mask: "signIn.allowDuplicateEmails", server)
            #expect(skipped.json["signIn"]?["allowDuplicateEmails"] == true)
            let one = try Self.change(["signIn": ["allowDuplicateEmails": false]], mask: "signIn", server)
            #expect(one.json["signIn"]?["allowDuplicateEmails"] == false)
        }
    }

    @Test func `only administrators read and change the configuration`() async throws {
        try await TestServer.run { server in
            for method in ["GET", "PATCH"] {
                let path = "/identitytoolkit.googleapis.com/v2/projects/demo-latchkey/config"
                let client = try server.send(method, "\(path)?key=k")
                #expect(client.code == "INSUFFICIENT_PERMISSION")
                let nobody = try server.send(method, path)
                #expect(nobody.status == 403)
            }
        }
    }

    // MARK: 3.15

    @Test func `a client reads the project's number and domains`() async throws {
        try await TestServer.run { server in
            let answer = try server.send("GET", "/identitytoolkit.googleapis.com/v1/projects?key=k")
            #expect(answer["projectId"] == "12345", "\(answer.text)")
            #expect(answer.json["authorizedDomains"]?.array?.contains("localhost") == true)
        }
    }

    @Test func `reCAPTCHA is not enforced, and password policies are not implemented`() async throws {
        try await TestServer.run { server in
            let host = "/identitytoolkit.googleapis.com"
            let captcha = try server.send(
                "GET",
                "\(host)/v2/recaptchaConfig?clientType=CLIENT_TYPE_WEB&version=RECAPTCHA_ENTERPRISE&key=k"
            )
            #expect(captcha.text == #"{"recaptchaEnforcementState":[]}"#)
            #expect(try server.send("GET", "\(host)/v2/passwordPolicy?key=k").status == 501)
            #expect(try server.send("GET", "\(host)/v1/recaptchaParams?key=k").status == 200)
            let revoke = try server.send("POST", "\(host)/v2/accounts:revokeToken?key=k", body: Array("{}".utf8))
            #expect(revoke.status == 501)
        }
    }

    @Test func `a session cookie says what the ID token says, from another issuer`() async throws {
        try await TestServer.run { server in
            let ann = try server.signIn("ann@example.com")
            for (duration, seconds) in [(nil, 1_209_600), ("300", 300), (1_209_600, 1_209_600)] as [(JSONValue?, Int64)]
            {
                var members = JSONObject()
                members.append("idToken", .string(ann.idToken))
                if let duration { members.append("validDuration", duration) }
                let answer = try server.owner(":createSessionCookie", .object(members))
                #expect(answer.keys == ["sessionCookie"], "\(answer.text)")
                let cookie = try Claims(answer["sessionCookie"]), token = try Claims(ann.idToken)
                #expect(cookie["iss"] == "https://session.firebase.google.com/demo-latchkey")
                #expect(cookie["exp"]?.int64 == (cookie["iat"]?.int64 ?? 0) + seconds)
                for name in ["aud", "sub", "user_id", "auth_time", "email", "email_verified", "firebase"] {
                    #expect(cookie[name] == token[name], "\(name)")
                }
            }
        }
    }

    @Test func `bad input to createSessionCookie is refused`() async throws {
        try await TestServer.run { server in
            let token = JSONValue.string(try server.guest().idToken)
            let refused: [(JSONValue, String)] = [
                ([:], "MISSING_ID_TOKEN"), (["idToken": "x"], "INVALID_ID_TOKEN"),
                (["idToken": token, "validDuration": "299"], "INVALID_DURATION"),
                (["idToken": token, "validDuration": "1209601"], "INVALID_DURATION"),
            ]
            for (body, code) in refused {
                #expect(try server.owner(":createSessionCookie", body).code == code, "\(body)")
            }
        }
    }
}
