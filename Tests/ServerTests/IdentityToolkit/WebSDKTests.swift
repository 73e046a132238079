import Database
import JSON
import Testing

/// The behavior of Firebase's web SDK (versions 9 to 11) on the answer to a call about its stored user.
enum WebSDK {
    static let headers = [
        "X-Client-Version: Chrome/JsCore/11.3.1/FirebaseCore-web", "Origin: https://auth.example.com",
    ]

    /// Whether a page that has just loaded keeps its stored user.
    ///
    /// The SDK reads every answer as JSON. A body that is not JSON counts as a network error, and any error inside JSON
    /// deletes the user.
    static func keepsUser(_ answer: Answer) -> Bool {
        guard let json = try? JSONValue.parse(answer.body) else { return true }
        return json["error"] == nil
    }
}

@Suite("Users kept by Firebase's web SDK")
struct WebSDKTests {
    private static let lookups = [
        "/v1/accounts:lookup", "/identitytoolkit.googleapis.com/v1/accounts:lookup",
        "/www.googleapis.com/identitytoolkit/v3/relyingparty/getAccountInfo",
    ]
    private static let refreshes = ["/v1/token", "/securetoken.googleapis.com/v1/token"]

    /// Makes the calls that the SDK makes about its stored user, with other headers.
    private static func calls(_ tokens: Tokens, _ server: TestServer, headers: [String]) throws -> [Answer] {
        try lookups.map { path in
            try server.send(
                "POST",
                "\(path)?key=k",
                headers: headers + ["Content-Type: application/json"],
                body: Array(#"{"idToken":"\#(tokens.idToken)"}"#.utf8)
            )
        }
            + refreshes.map { path in
                try server.send(
                    "POST",
                    "\(path)?key=k",
                    headers: headers + ["Content-Type: application/x-www-form-urlencoded"],
                    body: Array("grant_type=refresh_token&refresh_token=\(tokens.refreshToken)".utf8)
                )
            }
    }

    private static func expectUndecided(_ answer: Answer, _ status: Int) {
        #expect(answer.status == status, "\(answer.text)")
        #expect(WebSDK.keepsUser(answer), "\(answer.text)")
        #expect(answer.header("content-type")?.hasPrefix("text/plain") == true)
        #expect(answer.header("access-control-allow-origin") == "https://auth.example.com")
        #expect(answer.header("access-control-expose-headers")?.contains("Retry-After") == true)
        #expect(answer.header("retry-after").flatMap { Int($0) } ?? 0 > 0)
    }

    @Test(arguments: [(DatabaseError.Kind.unavailable, 503), (.overloaded, 503), (.busy, 503), (.corrupt, 500)])
    func `the SDK keeps its user while the database is away or fails`(kind: DatabaseError.Kind, status: Int)
        async throws
    {
        try await TestServer.runInProduction { server throws in
            let guest = try server.guest(headers: WebSDK.headers)
            server.faults.beginOutage(kind)
            for answer in try Self.calls(guest, server, headers: WebSDK.headers) {
                Self.expectUndecided(answer, status)
            }
            // Other SDKs and other calls get JSON.
            for version in ["Python/Admin/7.7.0", "iOS/FirebaseSDK/10.0.0"] {
                for answer in try Self.calls(guest, server, headers: ["X-Client-Version: \(version)"]) {
                    #expect(answer.status == status && !WebSDK.keepsUser(answer), "\(answer.text)")
                }
            }
            for answer in try Self.calls(guest, server, headers: []) { #expect(!WebSDK.keepsUser(answer)) }
            let update = try server.call(
                "accounts:update",
                ["idToken": .string(guest.idToken), "displayName": "x"],
                headers: WebSDK.headers
            )
            #expect(update.status == status && update.json["error"] != nil)
            server.faults.endOutage()
            // A node on PostgreSQL checks its server four times a second.
            try server.eventually("the calls are answered") {
                try Self.calls(guest, server, headers: WebSDK.headers).allSatisfy { $0.status == 200 }
            }
        }
    }

    @Test func `the SDK keeps its user when the address has used up a limit`() async throws {
        try await TestServer.runInProduction(["LIMITS_FAILURES_PER_CLIENT": "1"]) { server throws in
            for _ in 0..<2 { _ = try server.refresh("x") }
            let answers = [
                try server.call("accounts:lookup", ["idToken": "x"], headers: WebSDK.headers),
                try server.refresh("x", headers: WebSDK.headers),
            ]
            for answer in answers { Self.expectUndecided(answer, 429) }
            let json = try server.refresh("x")
            #expect(json.status == 429 && json.code == "TOO_MANY_ATTEMPTS_TRY_LATER")
        }
    }

    @Test func `the SDK keeps its user while another tab links`() async throws {
        try await TestServer.runInProduction { server throws in
            let guest = try server.guest(headers: WebSDK.headers)
            let asked = try server.askForLink("ann@example.com", headers: WebSDK.headers)
            let linked = try Tokens(
                server.redeem(asked.oobCode, "ann@example.com", idToken: guest.idToken, headers: WebSDK.headers)
            )
            #expect(linked.uid == guest.uid)
            try Self.expectReplacement(of: guest, "TOKEN_EXPIRED", server)
            #expect(try server.lookup(linked.idToken).status == 200)
        }
    }

    @Test(arguments: MergePath.allCases)
    func `the SDK keeps its user while another tab merges`(path: MergePath) async throws {
        try await TestServer.runInProduction { server throws in
            let ann = try server.signIn("ann@example.com")
            let guest = try server.guest(headers: WebSDK.headers)
            #expect(try path.merge(guest, into: ann, "ann@example.com", server).answer.status == 200)
            try Self.expectReplacement(of: guest, "USER_NOT_FOUND", server)
        }
    }

    /// Expects text for a minute if the web SDK asks with the session's tokens, and the usual answers for all others
    /// and later.
    private static func expectReplacement(of guest: Tokens, _ code: String, _ server: TestServer) throws {
        func expectJSON(_ answers: [Answer]) {
            for (index, answer) in answers.enumerated() {
                #expect(answer.status == 400)
                #expect(answer.code == (index < lookups.count ? code : "TOKEN_EXPIRED"), "\(answer.text)")
            }
        }
        func expectText() throws {
            for answer in try calls(guest, server, headers: WebSDK.headers) {
                expectUndecided(answer, 503)
                #expect(answer.header("retry-after") == "2")
                #expect(!answer.text.contains(guest.uid))
            }
        }
        try expectText()
        expectJSON(try calls(guest, server, headers: []))
        let update = try server.call("accounts:update", ["idToken": .string(guest.idToken)], headers: WebSDK.headers)
        #expect(update.code == code)
        server.clock.advance(seconds: 50)
        try expectText()
        server.clock.advance(seconds: 11)
        expectJSON(try calls(guest, server, headers: WebSDK.headers))
    }

    @Test func `but not when the user signed out or was deleted`() async throws {
        try await TestServer.runInProduction { server throws in
            let ann = try server.signIn("ann@example.com", headers: WebSDK.headers)
            #expect(
                try server.call("accounts:signOut", ["refreshToken": .string(ann.refreshToken)]).status == 200
            )
            for answer in try Self.calls(ann, server, headers: WebSDK.headers) {
                #expect(answer.status == 400 && answer.code == "TOKEN_EXPIRED")
            }
            let guest = try server.guest(headers: WebSDK.headers)
            #expect(try server.call("accounts:delete", ["idToken": .string(guest.idToken)]).status == 200)
            for answer in try Self.calls(guest, server, headers: WebSDK.headers) {
                #expect(answer.status == 400 && ["USER_NOT_FOUND", "INVALID_REFRESH_TOKEN"].contains(answer.code))
            }
        }
    }
}
