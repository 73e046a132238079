import AccountDatabase
import Accounts
import Database
import Foundation
import JSON
import Server
import Testing
import Tokens

@Suite("Sign-in by custom tokens")
struct CustomTokenTests {
    static let account = "app@example.iam.gserviceaccount.com"
    static let key = Result { try ForeignKey() }

    /// The claims of a custom token, as Admin SDKs make them.
    static func claims(_ uid: JSONValue, _ own: JSONValue? = nil, at now: Int64, account: String = account) -> JSONValue
    {
        var claims = JSONObject()
        claims.append("iss", .string(account))
        claims.append("sub", .string(account))
        claims.append("aud", .string(CustomTokenVerifier.audience))
        claims.append("uid", uid)
        claims.append("iat", .number(JSONNumber(now)))
        claims.append("exp", .number(JSONNumber(now + 3600)))
        if let own { claims.append("claims", own) }
        return .object(claims)
    }

    private static func unsigned(_ claims: JSONValue) -> String {
        "\(Base64URL.encode(Array(#"{"alg":"none","typ":"JWT"}"#.utf8))).\(Base64URL.encode(claims.serialized()))."
    }

    /// Runs a production server that trusts the service account.
    static func runInProduction(
        _ settings: [String: String] = [:],
        _ body: @escaping @Sendable (TestServer, ForeignKey) throws -> Void
    ) async throws {
        let key = try Self.key.get()
        let pem = key.pem.replacing("\n", with: "\\n")
        try await TestServer.runInProduction(settings, file: "{ serviceAccounts: { '\(account)': '\(pem)' } }") {
            try body($0, key)
        }
    }

    // MARK: The answer

    @Test func `makes the user and answers tokens, but no localId`() async throws {
        try await TestServer.run { server in
            let token = Self.unsigned(Self.claims("ann", ["role": "editor"], at: server.clock.now() / 1000))
            let answer = try server.customSignIn(token)
            #expect(answer.status == 200)
            #expect(answer.keys == ["kind", "isNewUser", "idToken", "refreshToken", "expiresIn"])
            #expect(answer["kind"] == "identitytoolkit#VerifyCustomTokenResponse")
            #expect(answer.json["isNewUser"] == true)
            #expect(answer["expiresIn"] == "3600")
            let claims = try Claims(answer["idToken"])
            #expect(claims["sub"] == "ann" && claims["user_id"] == "ann" && claims["role"] == "editor")
            #expect(claims["firebase"] == ["identities": [:], "sign_in_provider": "custom"])
            #expect(claims["provider_id"] == nil)
            let user = try server.user(answer["idToken"])
            #expect(user["localId"] == "ann" && user["providerUserInfo"] == nil && user["email"] == nil)
            let stored = try server.withDatabase { try $0.user("ann") }
            #expect(stored?.customAuthAt != nil && stored?.isAnonymous == false)
            let again = try server.customSignIn(token)
            #expect(again.json["isNewUser"] == false)
            #expect(server.log.contains(#""event":"user.created","uid":"ann","is_anon":false"#))
        }
    }

    @Test(
        arguments: [
            (#"{"uid":"ann"}"#, "ann"), (#"{"user_id":"ann"}"#, "ann"), (#"{"uid":123}"#, "123"),
            (#"{"uid":true}"#, "true"), (#"{"uid":"ä b/c?"}"#, "ä b/c?"), (#"{"uid":"ann","claims":{}}"#, "ann"),
            (#"{"uid":"ann","aud":"whatever"}"#, "ann"), (#"{"uid":null,"user_id":"bob"}"#, "bob"),
            (#"{"uid":"\#(String(repeating: "x", count: 128))"}"#, String(repeating: "x", count: 128)),
        ]
    )
    func `development accepts bare JSON as a custom token`(token: String, uid: String) async throws {
        try await TestServer.run { server in
            let answer = try server.customSignIn(token)
            #expect(answer.status == 200, "\(answer.text)")
            #expect(try Claims(answer["idToken"])["sub"]?.string == uid)
        }
    }

    @Test func `development accepts custom tokens with any signature`() async throws {
        try await TestServer.run { server in
            let token = try Self.key.get().sign(Self.claims("ann", at: 0, account: "who@example.com"))
            #expect(try server.customSignIn(token).status == 200)
            #expect(try server.customSignIn(Self.unsigned(Self.claims("ann", at: 0))).status == 200)
        }
    }

    static let refusals = [
        Scenario(name: "no token", call: call, body: "{}", status: 400, code: "MISSING_CUSTOM_TOKEN"),
        Scenario(name: "an empty one", call: call, body: #"{"token":""}"#, status: 400, code: "MISSING_CUSTOM_TOKEN"),
        Scenario(name: "a number", call: call, body: #"{"token":1}"#, status: 400, code: "Invalid JSON payload"),
        wrong("no JWT", "this-is-not-a-valid-token", "INVALID_CUSTOM_TOKEN : Invalid assertion format"),
        wrong("JSON that is none", "{uid:1}", "INVALID_CUSTOM_TOKEN : "),
        wrong("a member twice", #"{"uid":"a","uid":"b"}"#, "INVALID_CUSTOM_TOKEN : "),
        wrong("another audience", unsigned(["aud": "demo-latchkey", "uid": "ann"]), "INVALID_CUSTOM_TOKEN : "),
        wrong("no audience", unsigned(["uid": "ann"]), "INVALID_CUSTOM_TOKEN : "),
        wrong("no uid", "{}", "MISSING_IDENTIFIER"),
        wrong("an empty uid", #"{"uid":"","user_id":"ann"}"#, "MISSING_IDENTIFIER"),
        wrong("a uid that is a list", #"{"uid":["ann"]}"#, "MISSING_IDENTIFIER"),
        wrong("a long uid", #"{"uid":"\#(String(repeating: "x", count: 129))"}"#, "INVALID_CUSTOM_TOKEN : "),
        wrong("a uid with NUL", #"{"uid":"a\u0000b"}"#, "INVALID_CUSTOM_TOKEN : "),
        wrong("claims that are a list", #"{"uid":"ann","claims":[]}"#, "INVALID_CLAIMS"),
        wrong("claims that are null", #"{"uid":"ann","claims":null}"#, "INVALID_CLAIMS"),
        wrong("claims that are text", #"{"uid":"ann","claims":"{}"}"#, "INVALID_CLAIMS"),
        wrong("claims with NUL", #"{"uid":"ann","claims":{"a":"\u0000"}}"#, "INVALID_CLAIMS"),
        wrong(
            "claims of 1001 bytes",
            #"{"uid":"ann","claims":{"a":"\#(String(repeating: "x", count: 993))"}}"#,
            "CLAIMS_TOO_LARGE"
        ),
    ]

    private static let call = "accounts:signInWithCustomToken"

    private static func wrong(_ name: String, _ token: String, _ code: String) -> Scenario {
        let json: JSONValue = ["token": .string(token)]
        let body = String(decoding: json.serialized(), as: UTF8.self)
        return Scenario(name: name, call: call, body: body, status: 400, code: code)
    }

    @Test func `what is no custom token is refused in the order that clients know`() async throws {
        try await TestServer.run { server in
            for scenario in Self.refusals { try scenario.check(server) }
            let most = String(repeating: "x", count: 992)
            #expect(try server.customSignIn(#"{"uid":"ann","claims":{"a":"\#(most)"}}"#).status == 200)
        }
    }

    @Test(arguments: CustomClaims.reserved)
    func `claims may not say what the server says`(claim: String) async throws {
        try await TestServer.run { server in
            let answer = try server.customSignIn(#"{"uid":"ann","claims":{"ok":1,"\#(claim)":"x"}}"#)
            #expect(answer.message == "FORBIDDEN_CLAIM : \(claim)")
            #expect(try server.withDatabase { try $0.user("ann") } == nil)
        }
    }

    // MARK: Claims

    @Test func `claims go over the user's own and stay with the session, and nothing goes over the server's`()
        async throws
    {
        try await TestServer.run { server in
            let ann = try server.signIn("ann@example.com")
            try server.withDatabase { transaction in
                guard var user = try transaction.user(ann.uid) else { return }
                user.displayName = "Ann"
                user.photoURL = "https://example.com/ann.png"
                user.customAttributes = #"{"a":1,"b":1,"name":"Custom","email":"x@example.com"}"#
                try transaction.update(user)
            }
            let token = """
                {"uid":"\(ann.uid)","claims":{"b":2,"c":{"d":[1.50]},"picture":null,"email":"y@example.com","sid":"s",
                "email_verified":false,"user_id":"bob","phone_number":"+1","provider_id":"anonymous"}}
                """
            let answer = try server.customSignIn(token)
            let refreshed = try server.refresh(answer["refreshToken"])
            for idToken in [answer["idToken"], refreshed["id_token"]] {
                let claims = try Claims(idToken)
                let number = try #require(JSONNumber(literal: "1.50"))
                #expect(claims["a"] == 1 && claims["b"] == 2 && claims["c"] == ["d": [.number(number)]])
                #expect(claims["name"] == "Custom" && claims["picture"] == .null)
                #expect(claims["email"] == "ann@example.com" && claims["email_verified"] == true)
                #expect(claims["user_id"]?.string == ann.uid && claims["sid"] != "s")
                #expect(claims["phone_number"] == nil && claims["provider_id"] == nil)
                #expect(claims["firebase"]?["sign_in_provider"] == "custom")
                #expect(try server.lookup(idToken).status == 200, "nothing stands there twice")
            }
            // Other sessions of the user have none of these claims.
            let other = try Claims(try server.refresh(ann.refreshToken)["id_token"])
            #expect(other["b"] == 1 && other["c"] == nil && other["picture"] == "https://example.com/ann.png")
        }
    }

    @Test func `claims about an address or a phone say nothing for a user who has none`() async throws {
        try await TestServer.run { server in
            let answer = try server.customSignIn(
                #"{"uid":"ann","claims":{"email":"boss@example.com","email_verified":true,"phone_number":"+1"}}"#
            )
            let claims = try Claims(answer["idToken"])
            #expect(claims["email"] == nil && claims["email_verified"] == nil && claims["phone_number"] == nil)
        }
    }

    // MARK: Users

    @Test func `a guest becomes permanent, hooks are notified, and its sessions end`() async throws {
        try await HookTests.run(["user.linked", "user.created"]) { server, receivers in
            let guest = try server.guest()
            let stream = try server.customSignIn(#"{"uid":"\#(guest.uid)"}"#)
            #expect(stream.json["isNewUser"] == false)
            #expect(try server.withDatabase { try $0.user(guest.uid) }?.isAnonymous == false)
            #expect(try server.lookup(guest.idToken).code == "TOKEN_EXPIRED")
            #expect(try server.refresh(guest.refreshToken).code == "TOKEN_EXPIRED")
            #expect(try server.lookup(stream["idToken"]).status == 200)
            _ = try server.customSignIn(#"{"uid":"bob"}"#)
            try server.eventually("hooks hear") { receivers[0].messages.count == 3 }
            #expect(receivers[0].messages("user.linked").map { $0["uid"] } == [guest.uid])
            #expect(Set(receivers[0].messages("user.created").map { $0["uid"] }) == [guest.uid, "bob"])
        }
    }

    @Test func `a guest whom a merge holds stays as it is`() async throws {
        try await TestServer.run { server in
            let guest = try server.guest()
            try server.withDatabase { try $0.execute("UPDATE users SET merge_id = 'm' WHERE uid = \(guest.uid)") }
            let answer = try server.customSignIn(#"{"uid":"\#(guest.uid)"}"#)
            #expect(answer.status == 409 && answer.code == "MERGE_IN_PROGRESS")
            #expect(try server.withDatabase { try $0.user(guest.uid) }?.isAnonymous == true)
        }
    }

    @Test func `a disabled user does not come in`() async throws {
        try await TestServer.run { server in
            _ = try server.customSignIn(#"{"uid":"ann"}"#)
            try server.withDatabase { try $0.execute("UPDATE users SET disabled_at = 1 WHERE uid = 'ann'") }
            #expect(try server.customSignIn(#"{"uid":"ann"}"#).code == "USER_DISABLED")
        }
    }

    @Test func `a deleted UID is created anew, without anything of the earlier user, and a merged UID never is`()
        async throws
    {
        try await TestServer.run { server in
            let old = try server.customSignIn(#"{"uid":"ann","claims":{"a":1}}"#)
            let heir = try server.signIn("heir@example.com")
            // A recovery link for an address, sent to the previous one.
            try server.withDatabase { transaction in
                let code = StoredActionCode(
                    id: "way-back",
                    purpose: .recoverEmail,
                    uid: "ann",
                    email: "old@example.com",
                    locale: "en",
                    createdAt: 1,
                    expiresAt: .max
                )
                try transaction.insert(code)
                try transaction.insert(User(anonymous: "gone", at: 1))
                try transaction.deleteUser("gone", mergedInto: heir.uid)
            }
            var last = old
            for _ in 0..<2 {
                #expect(try server.call("accounts:delete", ["idToken": .string(last["idToken"])]).status == 200)
                let new = try server.customSignIn(#"{"uid":"ann"}"#)
                #expect(new.json["isNewUser"] == true, "\(new.text)")
                #expect(try server.lookup(last["idToken"]).code == "TOKEN_EXPIRED")
                #expect(try server.refresh(last["refreshToken"]).code == "INVALID_REFRESH_TOKEN")
                #expect(try server.withDatabase { try $0.actionCode("way-back") }?.usedAt != nil)
                #expect(try server.withDatabase { try $0.formerUser("ann") } == nil)
                last = new
            }
            let merged = try server.customSignIn(#"{"uid":"gone"}"#)
            #expect(merged.code == "USER_NOT_FOUND")
            #expect(try server.withDatabase { try $0.user("gone") } == nil)
        }
    }

    @Test func `twenty at once make one user`() async throws {
        try await TestServer.run { server in
            let calls = Array(
                repeating: ("accounts:signInWithCustomToken", ["token": #"{"uid":"ann"}"#] as JSONValue),
                count: 20
            )
            let answers = try server.callAtOnce(calls)
            #expect(answers.allSatisfy { $0.status == 200 })
            #expect(answers.filter { $0.json["isNewUser"] == true }.count == 1)
            #expect(Set(answers.map { $0["refreshToken"] }).count == 20)
        }
    }

    @Test func `one user's tokens sign in so often an hour`() async throws {
        try await TestServer.run(["LIMITS_CUSTOM_SIGN_INS_PER_USER": "2"]) { server in
            server.clock.startHour()
            for _ in 0..<3 { #expect(try server.customSignIn(#"{"uid":"ann"}"#).status == 200) }
            let answer = try server.customSignIn(#"{"uid":"ann"}"#)
            #expect(answer.status == 429 && answer.code == "TOO_MANY_ATTEMPTS_TRY_LATER")
            #expect(try server.customSignIn(#"{"uid":"bob"}"#).status == 200)
            server.clock.advance(seconds: 3600)
            #expect(try server.customSignIn(#"{"uid":"ann"}"#).status == 200)
        }
    }

    // MARK: Production

    @Test func `in production a custom token must have a service account's signature`() async throws {
        try await Self.runInProduction { server, key in
            let now = server.clock.now() / 1000
            let good = Self.claims("ann", ["role": "editor"], at: now)
            let token = try key.sign(good)
            let answer = try server.customSignIn(token)
            #expect(answer.status == 200, "\(answer.text)")
            #expect(try Claims(answer["idToken"])["role"] == "editor")
            let other = try ForeignKey()
            let refused: [(String, String)] = [
                (#"{"uid":"ann"}"#, "INVALID_CUSTOM_TOKEN"), (Self.unsigned(good), "INVALID_CUSTOM_TOKEN"),
                (try other.sign(good), "INVALID_CUSTOM_TOKEN"),
                (try key.sign(Self.claims("ann", at: now, account: "x@example.com")), "CREDENTIAL_MISMATCH"),
                (try key.sign(Self.claims("ann", at: now - 3700)), "INVALID_CUSTOM_TOKEN"),
                (try key.sign(Self.claims("ann", at: now + 100)), "INVALID_CUSTOM_TOKEN"),
                (try key.sign(Self.claims(.null, at: now)), "MISSING_IDENTIFIER"),
                (try key.sign(Self.claims("ann", ["sub": "x"], at: now)), "FORBIDDEN_CLAIM"),
                (answer["idToken"], "CREDENTIAL_MISMATCH"), ("", "MISSING_CUSTOM_TOKEN"),
            ]
            for (token, code) in refused {
                #expect(try server.customSignIn(token).code == code, "\(code)")
            }
            server.clock.advance(seconds: 3700)
            #expect(try server.customSignIn(key.sign(good)).code == "INVALID_CUSTOM_TOKEN")
            #expect(!server.log.contains(token))
        }
    }

    @Test func `in production no custom token is accepted while no service account is configured`() async throws {
        try await TestServer.runInProduction { server in
            let token = try Self.key.get().sign(Self.claims("ann", at: server.clock.now() / 1000))
            #expect(try server.customSignIn(token).code == "OPERATION_NOT_ALLOWED")
            #expect(try server.customSignIn(#"{"uid":"ann"}"#).code == "OPERATION_NOT_ALLOWED")
            #expect(try server.customSignIn("").code == "MISSING_CUSTOM_TOKEN")
        }
    }

    @Test func `in production a client that tries tokens is stopped, and a signed token passes`() async throws {
        try await Self.runInProduction(["LIMITS_FAILURES_PER_CLIENT": "3"]) { server, key in
            server.clock.startHour()
            for _ in 0..<3 { #expect(try server.customSignIn("x").code == "INVALID_CUSTOM_TOKEN") }
            let good = try key.sign(Self.claims("ann", at: server.clock.now() / 1000))
            #expect(try server.customSignIn("x").status == 429)
            let expired = try key.sign(Self.claims("ann", at: server.clock.now() / 1000 - 7200))
            #expect(try server.customSignIn(expired).code == "INVALID_CUSTOM_TOKEN", "its signature is good")
            #expect(try server.customSignIn(good).status == 200)
        }
    }

    // MARK: Configuration

    @Test(
        arguments: [
            ("{ serviceAccounts: { 'a@example.com': '/nowhere/at/all.pem' } }", "cannot be read"),
            ("{ serviceAccounts: { 'a@example.com': '-----BEGIN PUBLIC KEY-----' } }", "RSA public keys"),
            ("{ serviceAccounts: { 'a@example.com': '/dev/null' } }", "cannot be read"),
            ("{ serviceAccounts: { 'a@example.com': '/etc/passwd' } }", "RSA public keys"),
            ("{ serviceAccounts: { 'a@example.com': 1 } }", "non-empty string"),
            ("{ serviceAccounts: 'key.pem' }", "must be an object"),
        ]
    )
    func `a service account without keys stops the start`(file: String, reason: String) throws {
        try TestServer.inFolder { folder in
            let path = folder.appendingPathComponent("latchkey.json5")
            try Data(file.utf8).write(to: path)
            let error = #expect(throws: ConfigurationError.self) {
                try Configuration.load(file: path.path, environment: [:])
            }
            let problems = error?.description ?? ""
            #expect(problems.contains("serviceAccounts") && problems.contains(reason), "\(problems)")
        }
    }

    @Test func `the keys of a service account may be in a file`() throws {
        try TestServer.inFolder { folder in
            let key = try Self.key.get(), pem = folder.appendingPathComponent("keys.pem")
            try Data((key.pem + ForeignKey().pem).utf8).write(to: pem)
            let path = folder.appendingPathComponent("latchkey.json5")
            try Data("{ serviceAccounts: { 'a.b@example.com': '\(pem.path)' } }".utf8).write(to: path)
            let accounts = try Configuration.load(file: path.path, environment: [:]).serviceAccounts
            #expect(accounts["a.b@example.com"]?.count == 2)
        }
    }
}

extension TestServer {
    /// Signs in by a custom token.
    func customSignIn(_ token: String) throws -> Answer {
        try call("accounts:signInWithCustomToken", ["token": .string(token)])
    }
}
