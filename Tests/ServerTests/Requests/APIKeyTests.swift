import JSON
import Testing

@Suite("API keys and bearers")
struct APIKeyTests {
    @Test(arguments: [
        ("?key=any", []), ("", ["x-goog-api-key: any"]), ("?key=", ["X-Goog-Api-Key: any"]),
        ("?key=any", ["x-goog-api-key:"]), ("?alt=json&key=any", []), ("?key=any", ["Authorization: Basic dTpw"]),
        ("", ["Authorization: Bearer owner"]), ("", ["authorization: bEArEr OWNER"]),
        ("", ["Authorization: Bearer ya29.anything"]),
    ])
    func `a call is let in by any key in query or header, or by development's bearers`(
        query: String,
        headers: [String]
    ) async throws {
        try await TestServer.run { server throws in
            let answer = try server.send("POST", "/v1/accounts:resetPassword\(query)", headers: headers)
            #expect(answer.status == 400, "\(answer.text)")
            #expect(answer.code == "MISSING_OOB_CODE")
        }
    }

    @Test(arguments: [
        ("", [], 403), ("?key=", [], 403), ("", ["x-goog-api-key:"], 403), ("?KEY=any", [], 403),
        ("", ["Authorization: Basic dTpw"], 403), ("", ["Authorization: Bearer"], 403),
        ("?key=any", ["Authorization: Bearer x"], 401), ("?key=any", ["Authorization: Bearer YA29.x"], 401),
        ("", ["Authorization: Bearer owners"], 401),
    ])
    func `and by nothing else`(query: String, headers: [String], status: Int) async throws {
        try await TestServer.run { server throws in
            let answer = try server.send("POST", "/v1/accounts:resetPassword\(query)", headers: headers)
            #expect(answer.status == status, "\(answer.text)")
        }
    }

    @Test func `where keys are configured, every other key is refused`() async throws {
        let envelope =
            #"{"error":{"code":400,"message":"API key not valid. Please pass a valid API key.","status":"#
            + #""INVALID_ARGUMENT","errors":[{"message":"API key not valid. Please pass a valid API key.","#
            + #""reason":"badRequest","domain":"global"}]}}"#
        try await TestServer.runInProduction(["API_KEYS": "web-key, ios-key"]) { server throws in
            for target in ["/v1/accounts:signUp", "/v1/token", "/identitytoolkit.googleapis.com/v1/accounts:lookup"] {
                let wrong = try server.send("POST", "\(target)?key=other")
                #expect(wrong.status == 400)
                #expect(wrong.text == envelope)
                #expect(try server.send("POST", target).status == 403)
            }
            for key in ["web-key", "ios-key"] {
                #expect(try server.send("POST", "/v1/accounts:signUp?key=\(key)").status == 200)
                #expect(
                    try server.send("POST", "/v1/accounts:signUp", headers: ["x-goog-api-key: \(key)"]).status == 200
                )
            }
            // The header takes precedence over the query.
            let both = try server.send("POST", "/v1/accounts:signUp?key=web-key", headers: ["x-goog-api-key: other"])
            #expect(both.status == 400)
        }
    }

    @Test func `who may call comes before the body, and the body before what is allowed`() async throws {
        try await TestServer.run { server throws in
            func ask(_ query: String, _ body: String, _ headers: [String] = []) throws -> Answer {
                try server.send("POST", "/v1/accounts:signUp\(query)", headers: headers, body: Array(body.utf8))
            }
            #expect(try ask("", "{").status == 403)
            #expect(try ask("?key=k", "{", ["Authorization: Bearer x"]).status == 401)
            #expect(try ask("?key=k", #"{"targetProjectId":"p","email":7"#).message.hasPrefix("Invalid JSON payload"))
            let named = try ask("?key=k", #"{"targetProjectId":"p"}"#)
            #expect(named.status == 400)
            #expect(
                named.message
                    == "INSUFFICIENT_PERMISSION : Only authenticated requests can specify target_project_id."
            )
            #expect(try ask("?key=k", #"{"target_project_id":"p"}"#).code == "INSUFFICIENT_PERMISSION")
            let path = "/v2/projects/p/config"
            let malformed = try server.send("PATCH", "\(path)?key=k", body: Array("{".utf8))
            #expect(malformed.message.hasPrefix("Invalid JSON payload received. "))
            #expect(try server.send("PATCH", "\(path)?key=k", body: Array("{}".utf8)).code == "INSUFFICIENT_PERMISSION")
            #expect(try server.send("PATCH", path, body: Array("{}".utf8)).status == 403)
        }
    }

    @Test(arguments: [
        "grant_type=refresh_token&refresh_token=T", "grantType=refresh_token&refreshToken=T",
        "&grant_type=refresh_token&refresh_token=T", #"{"grant_type":"refresh_token","refresh_token":"T"}"#,
        #"{"grantType":"refresh_token","refreshToken":"T"}"#,
    ])
    func `a refresh token is taken in every spelling`(body: String) async throws {
        try await TestServer.run { server throws in
            let guest = try server.guest()
            let body = body.replacing("=T", with: "=\(guest.refreshToken)").replacing(
                "\"T\"",
                with: "\"\(guest.refreshToken)\""
            )
            let isJSON = body.hasPrefix("{")
            for type in [isJSON ? "application/json" : "application/x-www-form-urlencoded", "text/plain"] {
                let answer = try server.send(
                    "POST",
                    "/securetoken.googleapis.com/v1/token?key=k",
                    headers: ["Content-Type: \(type)", "X-Client-Version: Chrome/JsCore/1.13.5/FirebaseCore-web"],
                    body: Array(body.utf8)
                )
                #expect(answer.status == 200, "\(answer.text)")
            }
        }
    }
}
