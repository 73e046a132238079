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

    @Test func `the configuration has its name, which Admin SDKs require`() async throws {
        try await TestServer.run { server in
            #expect(try Self.read(server)["name"] == "projects/demo-latchkey/config")
            #expect(try Self.change([:], server)["name"] == "projects/demo-latchkey/config")
            let other = try server.send(
                "GET",
                "/v2/projects/any-name/config",
                headers: ["Authorization: Bearer owner"]
            )
            #expect(other["name"] == "projects/any-name/config")
        }
    }

    static let sections: [(JSONValue, String?, String)] = [
        (["passwordPolicyConfig": ["passwordPolicyEnforcementState": "ENFORCE"]], nil, "passwordPolicyConfig"),
        (["mfa": ["state": "ENABLED"]], "mfa.state", "mfa"),
        (["sms_region_config": ["allowByDefault": [:]]], nil, "smsRegionConfig"),
        (["signIn": ["anonymous": ["enabled": false]]], "signIn", "signIn.anonymous"),
    ]

    @Test(arguments: sections)
    func `in production a setting that nothing obeys is not built, and nothing changes`(
        change: JSONValue,
        mask: String?,
        name: String
    ) async throws {
        let key = "an-administrator's-key-of-32-bytes-and-more"
        try await TestServer.runInProduction(["ADMIN_KEY": key]) { server in
            let path = "/v2/projects/demo-latchkey/config", headers = ["Authorization: Bearer \(key)"]
            let before = try server.send("GET", path, headers: headers)
            var body = try #require(change.object)
            body["emailPrivacyConfig"] = ["enableImprovedEmailPrivacy": false]
            let answer = try server.send(
                "PATCH",
                path + (mask.map { "?updateMask=\($0)" } ?? ""),
                headers: headers,
                body: JSONValue.object(body).serialized()
            )
            #expect(answer.status == 501 && answer.code == "NOT_IMPLEMENTED", "\(answer.text)")
            #expect(answer.message.contains(name), "\(answer.text)")
            #expect(try server.send("GET", path, headers: headers).text == before.text)
            // A section that the mask leaves out is not set either.
            let masked = try server.send(
                "PATCH",
                "\(path)?updateMask=emailPrivacyConfig",
                headers: headers,
                body: JSONValue.object(body).serialized()
            )
            #expect(masked.json["emailPrivacyConfig"]?["enableImprovedEmailPrivacy"] == false, "\(masked.text)")
        }
    }

    @Test func `in development a setting that nothing obeys is kept, and the log says so once`() async throws {
        try await TestServer.run { server in
            for _ in 1...2 {
                let answer = try Self.change(["mfa": ["state": "ENABLED"]], mask: "mfa", server)
                #expect(answer.json["mfa"]?["state"] == "ENABLED", "\(answer.text)")
            }
            #expect(try Self.read(server).json["mfa"]?["state"] == "ENABLED")
            #expect(server.log.all.count { $0.contains("project.unobeyed") && $0.contains("mfa") } == 1)
            #expect(try Self.change([:], server).json["mfa"] == nil, "what is missing gets its default")
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
            // The web SDK takes the site's key from the part after the third slash, and throws without it.
            let key = try #require(captcha.json["recaptchaKey"]?.string).split(separator: "/")
            #expect(key.count == 4)
            let states = try #require(captcha.json["recaptchaEnforcementState"]?.array)
            #expect(states.count == 2 && states.allSatisfy { $0["enforcementState"] == "OFF" })
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
