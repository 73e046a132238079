import JSON
import Testing

@Suite("Routes of Identity Toolkit")
struct RouteTests {
    private static let hosts = ["", "/identitytoolkit.googleapis.com"]
    private static let legacy = "/www.googleapis.com/identitytoolkit/v3/relyingparty"

    @Test(arguments: [
        ("POST", "/v1/accounts:issueSamlResponse"), ("POST", "/v1/accounts:sendVerificationCode"),
        ("POST", "/v1/accounts:signInWithGameCenter"), ("POST", "/v1/accounts:signInWithPhoneNumber"),
        ("POST", "/v1/accounts:verifyIosClient"), ("GET", "/v1/publicKeys"),
        ("GET", "/v2/passwordPolicy"), ("POST", "/v2/accounts:revokeToken"), ("GET", "/v2/defaultSupportedIdps"),
        ("POST", "/v2/accounts/mfaEnrollment:start"), ("POST", "/v2/accounts/mfaEnrollment:finalize"),
        ("POST", "/v2/accounts/mfaEnrollment:withdraw"), ("POST", "/v2/accounts/mfaSignIn:start"),
        ("POST", "/v2/accounts/mfaSignIn:finalize"), ("POST", "/v2/accounts/passkeyEnrollment:start"),
        ("POST", "/v2/projects/p/identityPlatform:initializeAuth"), ("GET", "/v2/projects/p/tenants"),
        ("POST", "/v2/projects/p/tenants"), ("GET", "/v2/projects/p/tenants/t"), ("PATCH", "/v2/projects/p/tenants/t"),
        ("DELETE", "/v2/projects/p/tenants/t"), ("POST", "/v2/projects/p/tenants/t:getIamPolicy"),
        ("GET", "/v2/projects/p/tenants/t/oauthIdpConfigs"), ("GET", "/v2/projects/p/oauthIdpConfigs"),
        ("DELETE", "/v2/projects/p/inboundSamlConfigs/c"), ("PATCH", "/v2/projects/p/defaultSupportedIdpConfigs/c"),
        ("POST", "/v1/projects/p/tenants/t/accounts"), ("POST", "/v1/projects/p/tenants/t/accounts:lookup"),
        ("GET", "/v1/projects/p/tenants/t/accounts:batchGet"), ("POST", "/v1/projects/p/tenants/t:createSessionCookie"),
    ])
    func `calls that are not implemented answer 501 to authorized callers`(method: String, path: String) async throws {
        try await TestServer.run { server throws in
            for host in Self.hosts {
                let answer = try server.send(method, "\(host)\(path)?key=k")
                #expect(answer.status == 501, "\(host)\(path)")
                let error = try #require(answer.json["error"])
                #expect(error["code"]?.int64 == 501)
                #expect(error["status"]?.string == "NOT_IMPLEMENTED")
                let inner = try #require(error["errors"]?.array?.first)
                #expect(inner["reason"]?.string == "unimplemented")
                #expect(inner["domain"] == nil)
                #expect(try server.send(method, "\(host)\(path)").status == 403)
            }
            #expect(!server.log.contains("request.failed"), "nobody has to look into it")
        }
    }

    @Test func `calls with passwords are refused in the order that clients know`() async throws {
        try await TestServer.run { server throws in
            func code(_ call: String, _ body: JSONValue) throws -> String { try server.call(call, body).message }
            #expect(try code("accounts:signInWithPassword", [:]) == "MISSING_EMAIL")
            #expect(try code("accounts:signInWithPassword", ["password": "p"]) == "MISSING_EMAIL")
            #expect(try code("accounts:signInWithPassword", ["email": "a@b.c"]) == "MISSING_PASSWORD")
            #expect(
                try code("accounts:signInWithPassword", ["email": "a@b.c", "password": "p"]) == "OPERATION_NOT_ALLOWED"
            )
            #expect(try code("accounts:resetPassword", ["newPassword": "p"]) == "MISSING_OOB_CODE")
            #expect(
                try code("accounts:resetPassword", ["oobCode": "c", "newPassword": "p"]) == "OPERATION_NOT_ALLOWED"
            )
        }
    }

    @Test func `answer what SDKs ask about the project`() async throws {
        try await TestServer.run { server throws in
            for host in Self.hosts {
                let project = try server.send("GET", "\(host)/v1/projects?key=k")
                #expect(project.text == #"{"projectId":"12345","authorizedDomains":["localhost"]}"#)
                let config = try server.send(
                    "GET",
                    "\(host)/v2/recaptchaConfig?clientType=CLIENT_TYPE_WEB&version=RECAPTCHA_ENTERPRISE&key=k"
                )
                #expect(config.text == #"{"recaptchaEnforcementState":[]}"#)
                let parameters = try server.send("GET", "\(host)/v1/recaptchaParams?key=k")
                #expect(parameters.keys == ["kind", "recaptchaStoken", "recaptchaSiteKey"])
                #expect(parameters["kind"] == "identitytoolkit#GetRecaptchaParamResponse")
                for path in ["/v1/projects", "/v2/recaptchaConfig", "/v1/recaptchaParams"] {
                    #expect(try server.send("GET", "\(host)\(path)").status == 403)
                }
            }
        }
    }

    @Test func `name the hosts where sign-ins may lead`() async throws {
        let origins = ["ALLOWED_ORIGINS": "https://app.example.com,https://app.example.com:8443,https://b.example"]
        try await TestServer.runInProduction(origins) { server throws in
            let domains = try server.send("GET", "/v1/projects?key=k").json["authorizedDomains"]
            #expect(domains == ["app.example.com", "b.example"])
        }
        try await TestServer.runInProduction { server throws in
            #expect(try server.send("GET", "/v1/projects?key=k").json["authorizedDomains"] == ["auth.example.com"])
        }
    }

    @Test(arguments: ["POST", "GET", "PUT", "PATCH", "DELETE"])
    func `calls have the names of version 3 too, by any method`(method: String) async throws {
        try await TestServer.run { server throws in
            func ask(_ name: String, _ body: JSONValue = [:], query: String = "?key=k") throws -> Answer {
                try server.send(
                    method,
                    "\(Self.legacy)/\(name)\(query)",
                    headers: ["Content-Type: application/json"],
                    body: body.serialized()
                )
            }
            let guest = try Tokens(ask("signupNewUser", ["returnSecureToken": true]))
            let user = try ask("getAccountInfo", ["idToken": .string(guest.idToken)])
            #expect(user.json["users"]?.array?.first?["localId"]?.string == guest.uid)
            #expect(try ask("setAccountInfo", ["id_token": .string(guest.idToken), "displayName": "A"]).status == 200)
            #expect(try ask("deleteAccount", ["idToken": .string(guest.idToken)]).status == 200)
            #expect(try ask("getProjectConfig")["projectId"] == "12345")
            #expect(try ask("getRecaptchaParam")["kind"] == "identitytoolkit#GetRecaptchaParamResponse")
            #expect(try ask("createAuthUri").code == "MISSING_IDENTIFIER")
            #expect(try ask("emailLinkSignin").code == "MISSING_EMAIL")
            #expect(try ask("getOobConfirmationCode").code == "MISSING_REQ_TYPE")
            #expect(try ask("resetPassword").code == "MISSING_OOB_CODE")
            #expect(try ask("verifyPassword").code == "MISSING_EMAIL")
            for name in ["signOutUser", "verifyPhoneNumber", "sendVerificationCode", "publicKeys"] {
                #expect(try ask(name).status == 501, "\(name)")
            }
            for name in ["signupNewUser", "getAccountInfo", "getProjectConfig", "signOutUser"] {
                #expect(try ask(name, query: "").status == 403, "\(name)")
            }
            #expect(try ask("none").status == 404)
        }
    }

    @Test(arguments: ["downloadAccount", "uploadAccount"])
    func `administrators' calls of version 3 read the project from the body`(name: String) async throws {
        try await TestServer.run { server throws in
            func ask(_ body: String, _ headers: [String], query: String = "") throws -> Answer {
                try server.send("POST", "\(Self.legacy)/\(name)\(query)", headers: headers, body: Array(body.utf8))
            }
            let owner = "Authorization: Bearer owner"
            #expect(try ask("{}", [owner]).message == "INSUFFICIENT_PERMISSION")
            #expect(try ask("{}", [], query: "?key=k").message == "INSUFFICIENT_PERMISSION")
            #expect(try ask(#"{"targetProjectId":"p"}"#, [], query: "?key=k").code == "INSUFFICIENT_PERMISSION")
            #expect(try ask("{}", []).status == 403)
            #expect(try ask("{}", ["Authorization: Bearer x"]).status == 401)
            #expect(try ask("{", [owner]).message.hasPrefix("Invalid JSON payload received. "))
            let allowed = try ask(#"{"targetProjectId":"p/q"}"#, [owner])
            #expect(![401, 403, 404].contains(allowed.status), "\(allowed.text)")
            #expect(allowed.code != "INSUFFICIENT_PERMISSION")
        }
    }

    @Test func `routes of version 3 list users page by page`() async throws {
        try await TestServer.run { server throws in
            let owner = "Authorization: Bearer owner"
            for name in ["a", "b", "c&d"] {
                let body: JSONValue = ["localId": .string(name)]
                let made = try server.send("POST", "/v1/projects/p/accounts", headers: [owner], body: body.serialized())
                #expect(made.status == 200, "\(made.text)")
            }
            var pages: [[String]] = []
            var token: String?
            repeat {
                var body: JSONObject = JSONObject()
                body.append("targetProjectId", "p")
                body.append("maxResults", 1)
                if let token { body.append("nextPageToken", .string(token)) }
                let answer = try server.send(
                    "POST",
                    "\(Self.legacy)/downloadAccount",
                    headers: [owner],
                    body: JSONValue.object(body).serialized()
                )
                pages.append((answer.json["users"]?.array ?? []).compactMap { $0["localId"]?.string })
                token = answer.json["nextPageToken"]?.string
            } while token != nil && pages.count < 9
            #expect(pages == [["a"], ["b"], ["c&d"], []])
        }
    }

    @Test func `an unknown path answers 404, whatever the method`() async throws {
        try await TestServer.run { server throws in
            for method in ["GET", "POST", "PUT", "PATCH", "DELETE"] {
                let answer = try server.send(method, "/identitytoolkit.googleapis.com/v1/none?key=k")
                #expect(answer.status == 404)
                #expect(answer.json["error"]?["errors"]?.array?.first?["reason"]?.string == "notFound")
            }
        }
    }

    @Test func `a known path with another method answers 405 and the allowed methods`() async throws {
        try await TestServer.run { server throws in
            let answer = try server.send("GET", "/v1/accounts:signUp?key=k")
            #expect(answer.status == 405)
            #expect(answer.header("allow") == "OPTIONS, POST")
            #expect(answer.json["error"]?["code"]?.int64 == 405)
            #expect(answer.json["error"]?["status"]?.string == "METHOD_NOT_ALLOWED")
        }
    }

    @Test(arguments: [
        "/identitytoolkit.googleapis.com/v1/accounts:signUp", "/v2/projects/p/config", "/v1/none", "/none",
        "/www.googleapis.com/identitytoolkit/v3/relyingparty/getAccountInfo", "/v2/accounts:revokeToken",
        "/v1/projects",
    ])
    func `routes allow preflights from public networks to private ones`(path: String) async throws {
        try await TestServer.run { server throws in
            // Requests without a method, as jsdom and old browsers send them.
            let answer = try server.send(
                "OPTIONS",
                path,
                headers: [
                    "Origin: example.com", "Access-Control-Request-Private-Network: true",
                    "Access-Control-Request-Headers: Authorization,X-Client-Version,X-Whatever-Header",
                ]
            )
            #expect(answer.status == 204)
            #expect(answer.header("access-control-allow-origin") == "example.com")
            #expect(
                answer.header("access-control-allow-headers") == "Authorization,X-Client-Version,X-Whatever-Header"
            )
            #expect(answer.header("access-control-allow-private-network") == "true")
            let refused = try server.send("POST", path, headers: ["Origin: example.com"])
            #expect(refused.status >= 400)
            #expect(refused.header("access-control-allow-origin") == "example.com")
        }
    }

    @Test(arguments: ["/auth/none", "/admin", "/admin/users", "/mailbox/none", "/demo/"])
    func `do not open what pages of ours could be`(path: String) async throws {
        try await TestServer.run { server throws in
            let answer = try server.send("GET", path, headers: ["Origin: https://app.example.com"])
            #expect(answer.header("access-control-allow-origin") == nil)
        }
    }
}
