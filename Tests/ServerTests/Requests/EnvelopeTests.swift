import JSON
import Testing

@Suite("Errors and CORS")
struct EnvelopeTests {
    struct Case: Sendable, CustomTestStringConvertible {
        let name: String
        var target = "/v1/accounts:lookup?key=k"
        var headers: [String] = []
        var body = "{}"
        let code: Int
        let envelope: String

        var testDescription: String { name }
    }

    static let cases = [
        Case(
            name: "a refusal",
            code: 400,
            envelope: #"{"error":{"code":400,"message":"MISSING_ID_TOKEN : The call needs the user's ID token.","#
                + #""errors":[{"message":"MISSING_ID_TOKEN : The call needs the user's ID token.","#
                + #""reason":"invalid","domain":"global"}]}}"#
        ),
        Case(
            name: "a strange Bearer",
            headers: ["Authorization: Bearer x"],
            code: 401,
            envelope: #"{"error":{"code":401,"message":"Request had invalid authentication credentials. Expected an "#
                + #"administrator's key or token.","status":"UNAUTHENTICATED","errors":[{"message":"Invalid Credentials","#
                + #""reason":"authError","domain":"global","location":"Authorization","locationType":"header"}]}}"#
        ),
        Case(
            name: "no API key",
            target: "/v1/accounts:lookup",
            code: 403,
            envelope: #"{"error":{"code":403,"message":"The request is missing a valid API key.","status":"#
                + #""PERMISSION_DENIED","errors":[{"message":"The request is missing a valid API key.","#
                + #""reason":"forbidden","domain":"global"}]}}"#
        ),
        Case(
            name: "an unknown route",
            target: "/v1/accounts:unknown?key=k",
            code: 404,
            envelope: #"{"error":{"code":404,"message":"Not Found","status":"NOT_FOUND","errors":[{"message":"#
                + #""Not Found","reason":"notFound"}]}}"#
        ),
    ]

    @Test(arguments: cases)
    func `an error comes in the envelope that clients know`(_ example: Case) async throws {
        try await TestServer.run { server in
            let answer = try server.send(
                "POST",
                example.target,
                headers: example.headers,
                body: Array(example.body.utf8)
            )
            #expect(answer.status == example.code)
            #expect(answer.text == example.envelope)
        }
    }

    @Test func `malformed JSON and wrong types are told apart`() async throws {
        try await TestServer.run { server in
            let malformed = try server.call("accounts:lookup", bytes: Array("{".utf8))
            #expect(malformed.json["error"]?["status"]?.string == "INVALID_ARGUMENT")
            #expect(malformed.json["error"]?["errors"]?.array?.first?["reason"]?.string == "parseError")
            #expect(malformed.message.hasPrefix("Invalid JSON payload received. "))
            let wrong = try server.call("accounts:lookup", ["idToken": 7])
            #expect(wrong.json["error"]?["status"]?.string == "INVALID_ARGUMENT")
            #expect(wrong.json["error"]?["errors"]?.array?.first?["reason"]?.string == "invalid")
            #expect(wrong.message == "Invalid JSON payload received. /idToken must be string")
        }
    }

    @Test(arguments: [
        "/v1/accounts:signUp", "/identitytoolkit.googleapis.com/v1/accounts:sendOobCode",
        "/securetoken.googleapis.com/v1/token", "/v1/accounts:signInWithTicket",
    ])
    func `a web page of any origin may send a preflight and then call`(path: String) async throws {
        try await TestServer.run { server in
            let asked = "content-type, x-client-version, x-firebase-locale"
            let preflight = try server.send(
                "OPTIONS",
                path,
                headers: [
                    "Origin: https://app.example.com", "Access-Control-Request-Method: POST",
                    "Access-Control-Request-Headers: \(asked)", "Access-Control-Request-Private-Network: true",
                ]
            )
            #expect(preflight.status == 204)
            #expect(preflight.header("access-control-allow-origin") == "https://app.example.com")
            #expect(preflight.header("access-control-allow-headers") == asked)
            #expect(preflight.header("access-control-allow-methods")?.contains("POST") == true)
            #expect(preflight.header("access-control-allow-private-network") == "true")
            #expect(preflight.header("access-control-allow-credentials") == nil)
            let answer = try server.send(
                "POST",
                "\(path)?key=k",
                headers: ["Origin: https://app.example.com"],
                body: Array("{}".utf8)
            )
            #expect(answer.header("access-control-allow-origin") == "https://app.example.com")
            #expect(answer.header("access-control-expose-headers")?.contains("Retry-After") == true)
            #expect(answer.header("access-control-allow-credentials") == nil)
        }
    }

    @Test(arguments: [
        "/v1/nothing", "/identitytoolkit.googleapis.com/v1/nothing", "/securetoken.googleapis.com/v1/nothing",
    ])
    func `an unknown call is readable for web pages too`(path: String) async throws {
        try await TestServer.run { server in
            let answer = try server.send("POST", path, headers: ["Origin: https://app.example.com"])
            #expect(answer.status == 404)
            #expect(answer.header("access-control-allow-origin") == "https://app.example.com")
        }
    }

    // In development "/" only reports that the server is ready; pages of test suites written for the emulator request
    // it.
    @Test(arguments: ["/auth/action", "/mailbox", "/mailbox/messages", "/healthz"])
    func `pages and the mailbox are closed to other origins`(path: String) async throws {
        try await TestServer.run { server in
            let answer = try server.send("GET", path, headers: ["Origin: https://app.example.com"])
            #expect(answer.header("access-control-allow-origin") == nil)
        }
    }

    @Test func `in production the front page is closed to other origins, too`() async throws {
        try await TestServer.runInProduction { server in
            let answer = try server.send("GET", "/", headers: ["Origin: https://app.example.com"])
            #expect(answer.header("access-control-allow-origin") == nil)
        }
    }
}
