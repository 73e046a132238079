import JSON
import Server
import Testing
import Tokens

/// The forms of `accounts:signInWithIdp` requests, and the refusals before any account is read.
@Suite("Requests by identity providers")
struct IdpRequestTests {
    private static let claims: JSONValue = ["sub": "ann"]
    private static let token = UnsignedToken.make(claims)

    /// A way of passing the provider's answer.
    struct Form: Sendable, CustomTestStringConvertible {
        let testDescription: String
        var uri = "http://localhost"
        var postBody = ""
    }

    static let forms = [
        Form(testDescription: "an unsigned token", postBody: "providerId=google.com&id_token=\(token)"),
        Form(testDescription: "as JavaScript's SDK begins it", postBody: "&id_token=\(token)&providerId=google.com"),
        Form(testDescription: "in capitals", postBody: "providerId=Google.COM&id_token=\(token)"),
        Form(
            testDescription: "a token that somebody signed",
            postBody: "providerId=google.com&id_token=\(UnsignedToken.make(claims, header: ["alg": "RS256"]))c2ln"
        ),
        Form(
            testDescription: "bare claims",
            postBody: #"providerId=google.com&id_token={"sub":"ann"}"#
        ),
        Form(
            testDescription: "escaped claims",
            postBody: "providerId=google.com&id_token=%7B%22sub%22%3A%22ann%22%7D"
        ),
        Form(testDescription: "an access token", postBody: "providerId=google.com&access_token=\(token)"),
        Form(
            testDescription: "an ID token that is none, with an access token that is one",
            postBody: "providerId=google.com&id_token=x&access_token=\(token)"
        ),
        Form(testDescription: "the query", uri: "http://localhost?providerId=google.com&id_token=\(token)"),
        Form(testDescription: "the fragment", uri: "https://app.example/#providerId=google.com&id_token=\(token)"),
        Form(testDescription: "an app's URI", uri: "com.example.app:/x?providerId=google.com&id_token=\(token)"),
        Form(
            testDescription: "the body counts more than the query, the fragment more than the body",
            uri: "http://localhost/?providerId=foo.com&id_token=no#id_token=\(token)",
            postBody: "providerId=google.com&id_token=neither"
        ),
    ]

    @Test(arguments: forms)
    func `what the provider answered may stand in the URI, the body and the fragment`(_ form: Form) async throws {
        try await TestServer.run { server in
            let answer = try server.call(
                "accounts:signInWithIdp",
                ["requestUri": .string(form.uri), "postBody": .string(form.postBody)]
            )
            #expect(answer.status == 200, "\(answer.text)")
            #expect(answer["providerId"] == "google.com")
            #expect(answer["federatedId"] == "https://accounts.google.com/ann")
            #expect(answer.json["isNewUser"]?.bool == true)
        }
    }

    private static func scenario(
        _ name: String,
        _ postBody: String,
        status: Int = 400,
        code: String,
        more: String = ""
    ) -> Scenario {
        let escaped = postBody.replacing("\"", with: "\\\"")
        return Scenario(
            name: name,
            call: "accounts:signInWithIdp",
            body: #"{"requestUri":"http://localhost","postBody":"\#(escaped)"\#(more)}"#,
            status: status,
            code: code,
            absent: ["idToken", "localId"]
        )
    }

    private static func bare(_ name: String, _ body: String, _ code: String) -> Scenario {
        Scenario(name: name, call: "accounts:signInWithIdp", body: body, status: 400, code: code)
    }

    static let refused =
        [
            bare("nothing", "{}", "MISSING_REQUEST_URI"),
            bare("no URI", #"{"postBody":"providerId=google.com&id_token=\#(token)"}"#, "MISSING_REQUEST_URI"),
            bare("no absolute URI", #"{"requestUri":"notAnAbsoluteUri"}"#, "INVALID_REQUEST_URI"),
            bare("a URI without host", #"{"requestUri":"http:///x"}"#, "INVALID_REQUEST_URI"),
            bare("a URI that is a path", #"{"requestUri":"/x:y"}"#, "INVALID_REQUEST_URI"),
            bare("a number for a URI", #"{"requestUri":1}"#, "Invalid JSON payload received. /requestUri"),
            scenario(
                "no provider",
                "id_token=\(token)",
                code: "INVALID_CREDENTIAL_OR_PROVIDER_ID : Invalid IdP response/credential:"
            ),
            scenario(
                "an empty provider",
                "providerId=&id_token=\(token)",
                code: "INVALID_CREDENTIAL_OR_PROVIDER_ID : "
            ),
            scenario("no token at all", "providerId=google.com", status: 501, code: ""),
            scenario(
                "an access token of the provider's own",
                "providerId=google.com&access_token=x",
                status: 501,
                code: ""
            ),
            scenario(
                "no token",
                "providerId=google.com&id_token=x",
                code: "INVALID_IDP_RESPONSE : Unable to parse id_token"
            ),
            scenario(
                "a header that is none",
                "providerId=google.com&id_token=x.\(token.split(separator: ".")[1]).",
                code: "INVALID_IDP_RESPONSE : Unable"
            ),
            scenario(
                "claims that are no object",
                "providerId=a&id_token=e30.W10.",
                code: "INVALID_IDP_RESPONSE : Unable"
            ),
            scenario("broken claims", #"providerId=a&id_token={"sub":"x""#, code: "INVALID_IDP_RESPONSE : Unable"),
            scenario("a claim twice", #"providerId=a&id_token={"sub":"x","sub":"y"}"#, code: "INVALID_IDP_RESPONSE"),
            scenario("no sub", #"providerId=google.com&id_token={"name":"x"}"#, code: "INVALID_IDP_RESPONSE : "),
            scenario("an empty sub", #"providerId=google.com&id_token={"sub":""}"#, code: "INVALID_IDP_RESPONSE : "),
            scenario(
                "a number for a sub",
                #"providerId=google.com&id_token={"sub":1}"#,
                code: "INVALID_IDP_RESPONSE : "
            ),
            scenario(
                "a sub that is too long",
                #"providerId=google.com&id_token={"sub":"\#(String(repeating: "x", count: 1025))"}"#,
                code: "INVALID_IDP_RESPONSE : "
            ),
            scenario(
                "a token that is too long",
                #"providerId=a&id_token={"sub":"x","y":"\#(String(repeating: "x", count: 16_384))"}"#,
                code: "INVALID_IDP_RESPONSE : "
            ),
            scenario(
                "a refresh token",
                "providerId=google.com&id_token=\(token)",
                status: 501,
                code: "",
                more: #","returnRefreshToken":true"#
            ),
            scenario(
                "a pending token",
                "providerId=google.com&id_token=\(token)",
                status: 501,
                code: "",
                more: #","pendingIdToken":"x""#
            ),
            scenario(
                "a session that is none",
                "providerId=google.com&id_token=\(token)",
                code: "INVALID_ID_TOKEN",
                more: #","idToken":"x""#
            ),
            scenario(
                "a broken token before a session that is none",
                "providerId=google.com&id_token=x",
                code: "INVALID_IDP_RESPONSE",
                more: #","idToken":"x""#
            ),
            scenario(
                "an unknown policy",
                "providerId=google.com&id_token=\(token)",
                code: "INVALID_ON_CONFLICT",
                more: #","onConflict":"steal""#
            ),
        ]
        + ["password", "phone", "anonymous", "custom", "email", "emailLink", "firebase", "a b", "%C3%A4.com"].map {
            scenario(
                "the provider \($0)",
                "providerId=\($0)&id_token=\(token)",
                code: "INVALID_CREDENTIAL_OR_PROVIDER_ID"
            )
        }

    @Test(arguments: refused)
    func `what cannot be taken is refused`(_ scenario: Scenario) async throws {
        try await TestServer.run { server in
            let before = try server.dump()
            try scenario.check(server)
            #expect(try server.dump() == before)
        }
    }

    @Test func `production refuses unsigned tokens and tokens of unknown providers`()
        async throws
    {
        try await TestServer.runInProduction { server in
            for provider in ["google.com", "foo.com"] {
                let unsigned = try server.signIn(ProviderPerson(provider: provider))
                #expect(unsigned.status == 400)
                #expect(unsigned.code == "OPERATION_NOT_ALLOWED")
            }
            let bare = try server.signIn(provider: "google.com", token: #"{"sub":"x"}"#)
            #expect(bare.code == "OPERATION_NOT_ALLOWED")
            let access = try server.call(
                "accounts:signInWithIdp",
                [
                    "requestUri": "http://localhost",
                    "postBody": .string("providerId=google.com&access_token=\(Self.token)"),
                ]
            )
            #expect(access.status == 501)
        }
    }

    @Test func `a provider's token without a nonce does not sign in twice`() async throws {
        try await TestIssuer.run { issuer in
            let token = try issuer.token(["email": "ann@example.com", "email_verified": true])
            try await TestServer.runInProduction(file: issuer.settings()) { server in
                let ann = try server.signIn("ann@example.com")
                let unproven = try server.signIn(provider: "oidc.test", token: token)
                #expect(unproven.json["needConfirmation"] == true, "a sign-in that fails spends nothing")
                let linked = try server.signIn(provider: "oidc.test", token: token, idToken: ann.idToken)
                #expect(linked.status == 200, "\(linked.text)")
                let stolen = try server.signIn(provider: "oidc.test", token: token)
                #expect(stolen.status == 400)
                #expect(stolen.code == "MISSING_OR_INVALID_NONCE")
                let fresh = try issuer.token(["jti": "2"])
                #expect(try Tokens(server.signIn(provider: "oidc.test", token: fresh)).uid == ann.uid)
            }
        }
    }

    @Test func `a client that keeps sending tokens which are none is held off`() async throws {
        try await TestServer.run(["LIMITS_FAILURES_PER_CLIENT": "3"]) { server in
            for _ in 0..<3 {
                let broken = try server.signIn(provider: "google.com", token: "x")
                #expect(broken.code == "INVALID_IDP_RESPONSE")
            }
            #expect(try server.signIn(provider: "google.com", token: "x").status == 429)
            #expect(try server.signIn(ProviderPerson()).status == 200)
        }
    }
}
