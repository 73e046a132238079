import Foundation
import HTTPServer
import JSON
import Server
import Testing

/// The contract's section 1: hosts, callers, bodies, older names, errors.
@Suite("Contract, 1: transport")
struct TransportContractTests {
    private static let host = "/identitytoolkit.googleapis.com"

    // MARK: 1.1

    @Test func `every call of Identity Toolkit answers with and without the host before its path`() async throws {
        try await TestServer.run { server in
            let routes = server.instance.routes.map { ($0.method.rawValue, $0.pattern) }
            let all = Set(routes.map { "\($0) \($1)" })
            let ours = [
                "/v1/accounts:setUsername", "/v1/usernames/{name}", "/v1/documents", "/v1/documents:listen",
                "/v1/documents/{collection}/{id}", "/v1/projects/{project}/users/{uid}",
                "/v1/projects/{project}/cleanup", "/v1/projects/{project}/mail:events", "/v1/sessions",
                "/v1/sessions/{id}",
                "/v1/projects/{project}/users/{uid}/sessions", "/v1/projects/{project}/users/{uid}/sessions/{id}",
            ]
            var checked = 0
            for (method, path) in routes where path.hasPrefix("/v1/") || path.hasPrefix("/v2/") {
                guard !ours.contains(path) else { continue }
                let host = path == "/v1/token" ? "/securetoken.googleapis.com" : Self.host
                let isReachable = all.contains("\(method) \(host)\(path)")
                #expect(isReachable, "\(method) \(path) has no route with the host; is it one of ours?")
                checked += 1
            }
            #expect(checked > 20)
        }
    }

    @Test func `helper routes have no host before their path`() async throws {
        try await TestServer.run { server in
            let path = "/emulator/v1/projects/demo-latchkey/config"
            let answer = try server.send("GET", path)
            #expect(answer.status == 200)
            #expect(try server.send("GET", Self.host + path).status == 404)
        }
    }

    // MARK: 1.2

    static let callers = [
        Scenario(name: "a key in the query", query: "?key=anything", status: 200),
        Scenario(name: "a key in a header", headers: ["X-Goog-Api-Key: anything"], query: "", status: 200),
        Scenario(name: "no key", query: "", status: 403, code: "The request is missing a valid API key."),
        Scenario(name: "an empty key", query: "?key=", status: 403, code: "The request is missing a valid API key."),
        Scenario(name: "owner", headers: ["Authorization: Bearer owner"], query: "", status: 200, absent: ["idToken"]),
        Scenario(name: "OWNER", headers: ["Authorization: bearer OWNER"], query: "", status: 200, absent: ["idToken"]),
        Scenario(name: "ya29.", headers: ["Authorization: Bearer ya29.x"], query: "", status: 200, absent: ["idToken"]),
        Scenario(name: "YA29.", headers: ["Authorization: Bearer YA29.x"], query: "", status: 401),
        Scenario(name: "another bearer, though there is a key", headers: ["Authorization: Bearer x"], status: 401),
        Scenario(name: "another scheme", headers: ["Authorization: Basic eA=="], status: 200, present: ["idToken"]),
        Scenario(
            name: "an administrator where clients call, though there is a key",
            call: "accounts:update",
            headers: ["Authorization: Bearer owner"],
            status: 400,
            code: "MISSING_LOCAL_ID"
        ),
        Scenario(
            name: "a client that names a project",
            body: #"{"targetProjectId":"demo-latchkey"}"#,
            status: 400,
            code: "INSUFFICIENT_PERMISSION : Only authenticated requests can specify target_project_id."
        ),
        Scenario(
            name: "a client below a project",
            call: "projects/demo-latchkey/accounts:lookup",
            status: 400,
            code: "INSUFFICIENT_PERMISSION : Only authenticated requests can specify target_project_id."
        ),
        Scenario(
            name: "nobody below a project",
            call: "projects/demo-latchkey/accounts:lookup",
            query: "",
            status: 403
        ),
        Scenario(
            name: "an administrator who names a project",
            body: #"{"targetProjectId":"demo-latchkey"}"#,
            headers: ["Authorization: Bearer owner"],
            query: "",
            status: 200
        ),
        Scenario(
            name: "another project, which means the one there is",
            call: "projects/some-other/accounts:query",
            headers: ["Authorization: Bearer owner"],
            query: "",
            status: 200
        ),
        Scenario(name: "the caller before the body", body: "{", query: "", status: 403),
        Scenario(name: "a bad bearer before the body", body: "{", headers: ["Authorization: Bearer x"], status: 401),
        Scenario(
            name: "the body before the permission",
            call: "projects/demo-latchkey/accounts:lookup",
            body: "{",
            status: 400,
            code: "Invalid JSON payload received."
        ),
    ]

    @Test(arguments: callers)
    func `the caller is determined by key and bearer, before the body is read`(_ scenario: Scenario) async throws {
        try await TestServer.run { server in try scenario.check(server) }
    }

    @Test func `there are no tenants`() async throws {
        try await TestServer.run { server in
            let calls: [(String, JSONValue)] = [
                ("accounts:signUp", ["tenantId": "t"]),
                ("accounts:sendOobCode", ["tenantId": "t", "requestType": "EMAIL_SIGNIN", "email": "a@example.com"]),
                ("accounts:signInWithIdp", ["tenant_id": "t", "requestUri": "http://localhost"]),
                ("accounts:lookup", ["tenantId": "t", "idToken": "x"]),
                ("accounts:createAuthUri", ["tenantId": "t", "identifier": "a@b.c", "continueUri": "http://x"]),
                ("accounts:signInWithCustomToken", ["tenantId": "t", "token": "x"]),
            ]
            for (call, body) in calls {
                #expect(try server.call(call, body).code == "UNSUPPORTED_TENANT_OPERATION", "\(call)")
            }
            for call in ["", ":lookup", ":update", ":delete", ":batchCreate", ":batchDelete", ":sendOobCode", ":query"]
            {
                let answer = try server.owner("/accounts\(call)", ["tenantId": "t"])
                #expect(answer.code == "UNSUPPORTED_TENANT_OPERATION", "accounts\(call): \(answer.text)")
            }
            #expect(try server.call("accounts:signUp", ["tenantId": ""]).status == 200, "an empty one names none")
            #expect(try server.call("accounts:signUp", ["tenantId": nil]).status == 200)
        }
    }

    @Test func `in production a caller without credentials learns what administrators send`() async throws {
        let key = "an-administrator's-key-of-32-bytes-and-more"
        let advice = "This call needs Authorization: Bearer with the administrator's key."
        try await TestServer.runInProduction(["ADMIN_KEY": key]) { server in
            let path = "\(Self.host)/v1/projects/demo-latchkey/accounts:query"
            let legacy = "/www.googleapis.com/identitytoolkit/v3/relyingparty/downloadAccount"
            for path in [path, legacy] {
                for headers in [[], ["Authorization: Basic eDp5"]] {
                    let answer = try server.send("POST", path, headers: headers)
                    #expect(answer.status == 403, "\(answer.text)")
                    #expect(answer.message == "The request is missing a valid API key. \(advice)")
                    #expect(answer.json["error"]?["status"] == "PERMISSION_DENIED")
                }
            }
            let client = try server.send("POST", "\(path)?key=k")
            let sentence = "Only authenticated requests can specify target_project_id."
            #expect(client.message == "INSUFFICIENT_PERMISSION : \(sentence) \(advice)")
            let plain = try server.send("POST", "\(Self.host)/v1/accounts:signUp")
            #expect(plain.message == "The request is missing a valid API key.", "clients need no such key")
        }
    }

    @Test func `in development these texts are Firebase's, and the log says what to send`() async throws {
        try await TestServer.run { server in
            let path = "\(Self.host)/v1/projects/demo-latchkey/accounts:query"
            let nobody = try server.send("POST", path)
            #expect(nobody.message == "The request is missing a valid API key.")
            #expect(server.log.contains("Authorization: Bearer owner"))
            let client = try server.send("POST", "\(path)?key=k")
            #expect(
                client.message
                    == "INSUFFICIENT_PERMISSION : Only authenticated requests can specify target_project_id."
            )
            #expect(try server.send("POST", "/v1/nowhere?key=k").message == "Not Found")
            #expect(server.log.contains(#""path":"POST /v1/nowhere""#))
        }
    }

    @Test func `in production a path that is none is named, cut to 200 characters`() async throws {
        try await TestServer.runInProduction { server in
            let answer = try server.send("PUT", "/v1/accounts:nothing?key=secret")
            #expect(answer.status == 404)
            #expect(answer.message == "Not Found : There is no PUT /v1/accounts:nothing.", "\(answer.text)")
            let long = try server.send("GET", "/" + String(repeating: "x", count: 900))
            #expect(long.message.count == "Not Found : There is no .".count + 200)
        }
    }

    /// Each is split as the web SDK does, at ` : `, and as the Admin SDKs do, at the first colon.
    @Test func `every code comes apart from its text as SDKs split them`() async throws {
        try await TestServer.run(["ALLOWED_ORIGINS": "https://app.example.com"]) { server in
            let ann = try server.signIn("ann@example.com")
            _ = try server.signIn(ProviderPerson(subject: "taken"))
            func ask(_ call: String, _ body: JSONValue) throws -> Answer { try server.call(call, body) }
            let link: JSONValue = [
                "requestType": "EMAIL_SIGNIN", "email": "a@b.co", "continueUrl": "https://evil.example/x",
            ]
            let saml: JSONValue = [
                "requestUri": "http://localhost", "postBody": "providerId=saml.corp&id_token={\"sub\":\"1\"}",
            ]
            let password: JSONValue = ["email": "a@b.co", "password": "x"]
            let reset: JSONValue = ["requestType": "PASSWORD_RESET", "email": "a@b.co"]
            let disable: JSONValue = ["idToken": .string(ann.idToken), "disableUser": true]
            let proxy = ["Via: 1.1 proxy"]
            let taken = try server.signIn(ProviderPerson(subject: "taken"), idToken: ann.idToken)
            let answers: [(Answer, String)] = [
                (try ask("accounts:sendOobCode", link), "UNAUTHORIZED_DOMAIN"),
                (try ask("accounts:sendOobCode", reset), "OPERATION_NOT_ALLOWED"),
                (try ask("accounts:sendOobCode", ["requestType": "RECOVER_EMAIL"]), "NOT_IMPLEMENTED"),
                (try ask("accounts:signUp", password), "OPERATION_NOT_ALLOWED"),
                (try ask("accounts:signInWithPassword", password), "OPERATION_NOT_ALLOWED"),
                (try ask("accounts:signInWithIdp", saml), "OPERATION_NOT_ALLOWED"),
                (try ask("accounts:createAuthUri", ["providerId": "google.com"]), "NOT_IMPLEMENTED"),
                (try ask("accounts:update", disable), "OPERATION_NOT_ALLOWED"),
                (taken, "FEDERATED_USER_ID_ALREADY_LINKED"),
                (try server.send("GET", "/v2/passwordPolicy?key=k"), "NOT_IMPLEMENTED"),
                (try server.send("GET", "/emulator/auth/handler"), "NOT_IMPLEMENTED"),
                (try server.owner("/accounts:query", ["limit": 3]), "NOT_IMPLEMENTED"),
                (try server.send("POST", "/v1/accounts:signUp?key=k", headers: proxy), "PERMISSION_DENIED"),
            ]
            for (answer, code) in answers {
                let web = answer.message.components(separatedBy: " : ")
                #expect(web.count == 2 && web[0] == code && web[1].count > 10, "\(answer.text)")
                let admin = answer.message.prefix { $0 != ":" }.trimmingCharacters(in: .whitespaces)
                #expect(admin == code, "\(answer.text)")
            }
            #expect(answers[0].0.message.contains("https://evil.example is not among the server's allowedOrigins"))
        }
    }

    // MARK: 1.3

    @Test func `keys are accepted in camel case and snake case, inside objects too`() async throws {
        try await TestServer.run { server in
            let uid = try server.make([
                "local_id": "camel", "display_name": "Ann", "email_verified": true, "email": "a@b.co",
            ])
            #expect(uid == "camel")
            let user = try server.found(uid)
            #expect(user["displayName"] == "Ann")
            #expect(user["emailVerified"] == true)
            let linked = try server.owner(
                "/accounts:update",
                ["local_id": "camel", "link_provider_user_info": ["provider_id": "google.com", "raw_id": "7"]]
            )
            #expect(linked.status == 200, "\(linked.text)")
            #expect(try server.found(uid).providers == ["google.com"])
            let found = try server.owner(
                "/accounts:lookup",
                ["federated_user_id": [["provider_id": "google.com", "raw_id": "7"]]]
            )
            #expect(found.json["users"]?.array?.first?["localId"] == "camel")
        }
    }

    @Test func `a number stands for a word of an enumeration, and for a string of 64 bits`() async throws {
        try await TestServer.run { server in
            let asked = try server.call("accounts:sendOobCode", ["requestType": 6, "email": "a@b.co"])
            #expect(asked.status == 200)
            let uid = try server.make(["displayName": "Ann"])
            for validSince: JSONValue in [1_600_000_000, "1600000001"] {
                let answer = try server.owner(
                    "/accounts:update",
                    ["localId": .string(uid), "validSince": validSince, "deleteAttribute": [2]]
                )
                #expect(answer.status == 200, "\(answer.text)")
            }
            let user = try server.found(uid)
            #expect(user["validSince"] == "1600000001")
            #expect(user["displayName"] == nil)
        }
    }

    static let bodies = [
        Scenario(name: "unknown fields", body: #"{"clientType":"CLIENT_TYPE_WEB","x":{"y":[1]}}"#, status: 200),
        Scenario(name: "no JSON", body: "hello", status: 400, code: "Invalid JSON payload received."),
        Scenario(
            name: "a wrong type",
            body: #"{"email":{}}"#,
            status: 400,
            code: "Invalid JSON payload received. /email"
        ),
    ]

    @Test(arguments: bodies)
    func `a body is JSON, and unknown fields are ignored`(_ scenario: Scenario) async throws {
        try await TestServer.run { server in try scenario.check(server) }
    }

    @Test func `a DELETE may have a body and a content type`() async throws {
        try await TestServer.run { server in
            let path = "/emulator/v1/projects/demo-latchkey/accounts"
            let bodies: [(String, String)] = [
                ("application/json", ""), ("application/json", "{}"), ("application/json", "null"), ("text/plain", "x"),
            ]
            for (type, body) in bodies {
                let answer = try server.send("DELETE", path, headers: ["Content-Type: \(type)"], body: Array(body.utf8))
                #expect(answer.status == 200, "\(type) \(body)")
            }
        }
    }

    // MARK: 1.4

    static let aliases = [
        ("createAuthUri", "MISSING_IDENTIFIER"), ("deleteAccount", "MISSING_ID_TOKEN"),
        ("emailLinkSignin", "MISSING_EMAIL"), ("getAccountInfo", "MISSING_ID_TOKEN"),
        ("getOobConfirmationCode", "MISSING_REQ_TYPE"), ("resetPassword", "MISSING_OOB_CODE"),
        ("setAccountInfo", "INVALID_REQ_TYPE"), ("verifyAssertion", "MISSING_REQUEST_URI"),
        ("verifyCustomToken", "MISSING_CUSTOM_TOKEN"), ("verifyPassword", "MISSING_EMAIL"), ("signupNewUser", "ok"),
        ("getProjectConfig", "ok"),
    ]

    @Test(arguments: aliases)
    func `an older name leads to its call, whatever the method`(_ alias: String, code: String) async throws {
        try await TestServer.run { server in
            let path = "/www.googleapis.com/identitytoolkit/v3/relyingparty/\(alias)"
            for method in ["POST", "GET", "PUT"] {
                let answer = try server.send(
                    method,
                    "\(path)?key=k",
                    headers: ["Content-Type: application/json"],
                    body: method == "GET" ? [] : Array("{}".utf8)
                )
                #expect(answer.code.hasPrefix(code), "\(method): \(answer.text)")
            }
            #expect(try server.send("POST", path, body: Array("{}".utf8)).status == 403, "the key is needed there too")
        }
    }

    @Test func `an older name passes the body on`() async throws {
        try await TestServer.run { server in
            let guest = try server.guest()
            let answer = try server.send(
                "POST",
                "/www.googleapis.com/identitytoolkit/v3/relyingparty/getAccountInfo?key=k",
                body: (["idToken": .string(guest.idToken)] as JSONValue).serialized()
            )
            #expect(answer.json["users"]?.array?.first?["localId"]?.string == guest.uid)
        }
    }

    @Test func `the lists under older names need a project in the body`() async throws {
        try await TestServer.run { server in
            let host = "/www.googleapis.com/identitytoolkit/v3/relyingparty"
            func post(_ alias: String, _ body: JSONValue) throws -> Answer {
                try server.send(
                    "POST",
                    "\(host)/\(alias)",
                    headers: ["Authorization: Bearer owner"],
                    body: body.serialized()
                )
            }
            for alias in ["downloadAccount", "uploadAccount"] {
                #expect(try post(alias, [:]).code == "INSUFFICIENT_PERMISSION", "\(alias)")
            }
            let upload = try post(
                "uploadAccount",
                ["targetProjectId": "demo-latchkey", "users": [["localId": "a"], ["localId": "b"]]]
            )
            #expect(upload.status == 200 && upload.json["error"] == nil, "\(upload.text)")
            let download = try post("downloadAccount", ["targetProjectId": "demo-latchkey", "maxResults": 1])
            #expect(download.json["users"]?.array?.map { $0["localId"] } == ["a"], "\(download.text)")
            #expect(download["nextPageToken"] == "a")
        }
    }

    @Test func `signOutUser is not implemented`() async throws {
        try await TestServer.run { server in
            let path = "/www.googleapis.com/identitytoolkit/v3/relyingparty/signOutUser?key=k"
            let answer = try server.send("POST", path, body: Array("{}".utf8))
            #expect(answer.status == 501)
            #expect(answer.json["error"]?["status"] == "NOT_IMPLEMENTED")
        }
    }

    // MARK: 1.5

    @Test func `calls that are not implemented answer 501 in the envelope`() async throws {
        try await TestServer.run { server in
            let answer = try server.call("accounts:sendOobCode", ["requestType": "REVERT_SECOND_FACTOR_ADDITION"])
            let error = try #require(answer.json["error"])
            #expect(error.names == ["code", "message", "status", "errors"])
            #expect(error["code"] == 501)
            #expect(error["status"] == "NOT_IMPLEMENTED")
            #expect(error["errors"]?.array?.first?.names == ["message", "reason"])
            #expect(error["errors"]?.array?.first?["reason"] == "unimplemented")
            #expect(error["errors"]?.array?.first?["message"] == error["message"])
        }
    }

    @Test func `a refusal repeats its whole message inside, and detail stands behind a colon between spaces`()
        async throws
    {
        try await TestServer.run { server in
            let error = try #require(try server.call("accounts:update").json["error"])
            #expect(error["message"] == "INVALID_REQ_TYPE : Unsupported request parameters.")
            #expect(error["errors"]?.array?.first?["message"] == error["message"])
            #expect(error["status"] == nil)
        }
    }
}
