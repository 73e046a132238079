import Accounts
import Crypto
import JSON
import Server
import Testing
import Tokens

@Suite("ID tokens of identity providers", .timeLimit(.minutes(1)))
struct ProviderTokenTests {
    private struct Desk {
        let issuer: TestIssuer
        let tokens: ProviderTokens
        let id: String

        init(
            _ issuer: TestIssuer,
            _ id: String = "oidc.test",
            _ members: String = "",
            environment: [String: String]? = nil
        ) throws {
            let configuration =
                try environment.map { try issuer.configuration(id, members, environment: $0) }
                ?? issuer.configuration(id, members)
            self.issuer = issuer
            self.id = id
            tokens = ProviderTokens(configuration, clock: TestClock().now, logger: Log { _ in })
        }

        func check(_ token: String, nonce: String? = nil, of other: String? = nil) async throws -> ProviderClaims {
            switch try tokens.check(token, of: other ?? id, nonce: nonce, at: TestIssuer.now) {
            case .known(let claims): claims
            case .awaitingKeys(let rest): try await rest()
            }
        }

        func check(_ changes: [String: JSONValue?], nonce: String? = nil) async throws -> ProviderClaims {
            try await check(try issuer.token(changes), nonce: nonce)
        }

        func code(_ token: String, nonce: String? = nil) async -> Code? {
            do {
                _ = try await check(token, nonce: nonce)
                return nil
            } catch { return (error as? Refusal)?.code }
        }

        func code(_ changes: [String: JSONValue?], nonce: String? = nil) async throws -> Code? {
            await code(try issuer.token(changes), nonce: nonce)
        }
    }

    private static func run(
        _ algorithm: SignatureAlgorithm = .es256,
        _ id: String = "oidc.test",
        _ members: String = "",
        _ body: (Desk) async throws -> Void
    ) async throws {
        try await TestIssuer.run(algorithm) { try await body(Desk($0, id, members)) }
    }

    @Test(arguments: SignatureAlgorithm.allCases)
    func `a good token says who it is`(_ algorithm: SignatureAlgorithm) async throws {
        try await Self.run(algorithm) { desk throws in
            let claims = try await desk.check(["email": "ann@example.com", "name": "Ann"])
            #expect(claims.subject == "ann")
            #expect(claims.all["name"] == "Ann")
        }
    }

    @Test func `a provider that is not configured is not allowed`() async throws {
        try await Self.run { desk throws in
            let token = try desk.issuer.token()
            for id in ["google.com", "apple.com", "oidc.other", "oidc.tes", "", "facebook.com", "OIDC.TEST"] {
                let refusal = await #expect(throws: Refusal.self) { try await desk.check(token, of: id) }
                #expect(refusal?.code == .operationNotAllowed, "\(id)")
            }
        }
    }

    // MARK: Claims

    struct Case: Sendable, CustomTestStringConvertible {
        let testDescription: String
        /// Made when the test runs, because it contains times.
        let changes: @Sendable () -> [String: JSONValue?]
        let isGood: Bool

        init(
            _ what: String,
            _ changes: @autoclosure @escaping @Sendable () -> [String: JSONValue?],
            isGood: Bool = false
        ) {
            testDescription = what
            self.changes = changes
            self.isGood = isGood
        }

        static func good(
            _ what: String,
            _ changes: @autoclosure @escaping @Sendable () -> [String: JSONValue?]
        ) -> Case { Case(what, changes(), isGood: true) }
    }

    private static func time(_ offset: Int64) -> JSONValue { .number(JSONNumber(TestIssuer.now + offset)) }
    private static func literal(_ text: String) -> JSONValue { JSONNumber(literal: text).map { .number($0) } ?? .null }

    static let cases = [
        Case("another issuer", ["iss": "https://evil.example"]),
        Case("no issuer", ["iss": .some(nil)]),
        Case("issuer without its scheme", ["iss": "localhost"]),
        Case("several issuers", ["iss": ["https://localhost"]]),
        Case("another audience", ["aud": "client-of-others"]),
        Case("no audience", ["aud": .some(nil)]),
        Case("empty audience", ["aud": ""]),
        Case("no audiences", ["aud": []]),
        Case("audience that is a number", ["aud": 1]),
        Case("audience that begins as ours", ["aud": "client-of-ours "]),
        Case("another audience for us", ["aud": "client-of-others", "azp": "client-of-ours"]),
        Case("two audiences, and nobody says who asked", ["aud": ["client-of-ours", "client-of-others"]]),
        Case("two audiences, and a stranger asked", ["aud": ["client-of-ours", "x"], "azp": "x"]),
        Case("a stranger asked", ["azp": "client-of-others"]),
        Case("azp that is no text", ["azp": ["client-of-ours"]]),
        Case("audience with a number beside", ["aud": ["client-of-ours", 1], "azp": "client-of-ours"]),
        .good("our other client", ["aud": "other-client"]),
        .good("our client alone in a list", ["aud": ["client-of-ours"]]),
        .good("two audiences, and we asked", ["aud": ["x", "client-of-ours"], "azp": "client-of-ours"]),
        .good("asked by one of ours for another", ["azp": "other-client"]),
        Case("no subject", ["sub": .some(nil)]),
        Case("empty subject", ["sub": ""]),
        Case("subject that is a number", ["sub": 1]),
        Case("subject of 256 bytes", ["sub": .string(String(repeating: "s", count: 256))]),
        Case("subject with a line break", ["sub": "ann\n"]),
        Case("subject with NUL", ["sub": "ann\0"]),
        .good("subject of 255 bytes", ["sub": .string(String(repeating: "s", count: 255))]),
        Case("NUL in any claim", ["name": "a\0b"]),
        Case("expired", ["exp": time(-70)]),
        Case("no expiry", ["exp": .some(nil)]),
        Case("expiry as text", ["exp": "9999999999"]),
        Case("expiry below all numbers", ["exp": literal("-9223372036854775808")]),
        Case("expiry beyond all numbers", ["exp": literal("99999999999999999999")]),
        Case("expiry with a fraction", ["exp": literal("9999999999.5")]),
        .good("expired within the leeway", ["exp": time(-40)]),
        .good("expiry in the far future", ["exp": literal("9223372036854775807")]),
        Case("from the future", ["iat": time(75)]),
        Case("no time of issue", ["iat": .some(nil)]),
        Case("time of issue as text", ["iat": "1"]),
        .good("from the future within the leeway", ["iat": time(45)]),
        Case("not valid yet", ["nbf": time(75)]),
        Case("not valid before a text", ["nbf": "soon"]),
        .good("valid in a moment", ["nbf": time(45)]),
        Case("a logout token", ["events": ["http://schemas.openid.net/event/backchannel-logout": [:]]]),
    ]

    @Test(arguments: cases)
    func `claims are checked`(_ example: Case) async throws {
        try await Self.run { desk throws in
            let code = try await desk.code(example.changes())
            #expect(code == (example.isGood ? nil : .invalidIdPResponse))
        }
    }

    // MARK: Signatures

    @Test func `a token that the provider did not sign is refused`() async throws {
        try await Self.run { desk throws in
            let issuer = desk.issuer
            let key = issuer.key
            let stranger = try TokenSigningKey.generate(.es256)
            let claims = JSONValue.object(issuer.claims()).serialized()
            let parts = try issuer.token().split(separator: ".").map(String.init)
            let other = try issuer.token(["sub": "bob"]).split(separator: ".").map(String.init)
            let usual = #"{"alg":"ES256","kid":"\#(key.keyID)"}"#
            var forged = [
                try JWT.sign(claims, with: stranger), parts[0] + "." + other[1] + "." + parts[2],
                parts[0] + "." + parts[1] + ".",
                parts[0] + "." + parts[1], "", "..", "{}", String(decoding: claims, as: UTF8.self),
                Base64URL.encode(Array(#"{"alg":"none"}"#.utf8)) + "." + parts[1] + ".",
                Base64URL.encode(Array(#"{"alg":"none","kid":"\#(key.keyID)"}"#.utf8)) + "." + parts[1] + ".",
            ]
            for header in [
                #"{"alg":"none","kid":"\#(key.keyID)"}"#, #"{"alg":"RS256","kid":"\#(key.keyID)"}"#,
                #"{"alg":"EdDSA","kid":"\#(key.keyID)"}"#, #"{"alg":"HS256","kid":"\#(key.keyID)"}"#,
                #"{"alg":"ES256","kid":"\#(key.keyID)","typ":"at+jwt"}"#,
                #"{"alg":"ES256","kid":"\#(key.keyID)","crit":["exp"]}"#,
                #"{"alg":"ES256","kid":"\#(key.keyID)","kid":"\#(key.keyID)"}"#, #"{"alg":"RS256"}"#,
            ] { forged.append(try issuer.token(header: header)) }
            for payload in ["[]", "", "{", #"{"sub":"ann","sub":"bob"}"#, String(repeating: "[", count: 2000)] {
                forged.append(try issuer.token(header: usual, payload: payload))
            }
            for token in forged {
                #expect(await desk.code(token) == .invalidIdPResponse, "\(token.prefix(60))")
            }
            let good = try issuer.token(header: usual)
            #expect(await desk.code(good) == nil)
        }
    }

    /// RFC 8725 section 2.1: the public key, which every client knows, as the secret of an HMAC.
    @Test func `a public key is no secret`() async throws {
        try await Self.run(.rs256) { desk throws in
            let key = desk.issuer.key
            let header = #"{"alg":"HS256","kid":"\#(key.keyID)","typ":"JWT"}"#
            let payload = JSONValue.object(desk.issuer.claims()).serialized()
            let input = Base64URL.encode(Array(header.utf8)) + "." + Base64URL.encode(payload)
            for secret in [KeySet(signer: key).jwks, Array(key.keyID.utf8), []] {
                let code = try hmacSHA256(key: secret, Array(input.utf8))
                let token = input + "." + Base64URL.encode(code)
                #expect(await desk.code(token) == .invalidIdPResponse)
            }
        }
    }

    @Test func `a key that the token brings along is not looked at`() async throws {
        try await Self.run { desk throws in
            let stranger = try TokenSigningKey.generate(.es256)
            let jwk = String(decoding: KeySet(signer: stranger).jwks, as: UTF8.self).dropFirst(9).dropLast(2)
            for kid in [stranger.keyID, desk.issuer.key.keyID] {
                let header = #"{"alg":"ES256","kid":"\#(kid)","jwk":\#(jwk),"jku":"https://evil.example/jwks"}"#
                let payload = JSONValue.object(desk.issuer.claims()).serialized()
                let input = Base64URL.encode(Array(header.utf8)) + "." + Base64URL.encode(payload)
                let token = input + "." + Base64URL.encode(try stranger.key.sign(Array(input.utf8)))
                #expect(await desk.code(token) == .invalidIdPResponse)
            }
        }
    }

    @Test func `keys that cannot be had are no fault of the token`() async throws {
        try await Self.run { desk throws in
            desk.issuer.behave(.say("", status: 502), .usual)
            #expect(try await desk.code([:]) == .providerUnavailable)
        }
    }

    // MARK: Nonces

    /// SHA-256 of "n-0S6_WzA2Mj", by sha256sum.
    static let nonce = "n-0S6_WzA2Mj"
    static let hash = "0823a09b54cb9381561068b00aaf4e539b3f54604631d3e6a820879b6b04cc19"

    struct Nonce: Sendable, CustomTestStringConvertible {
        let claim: JSONValue?
        let given: String?
        let isGood: Bool
        var id = "oidc.test"
        var members = ""
        var testDescription: String {
            "\(id) \(members): token \(claim.map { "\($0)" } ?? "none"), client \(given ?? "none")"
        }

        init(_ claim: JSONValue?, _ given: String?, _ isGood: Bool, _ id: String = "oidc.test", _ members: String = "")
        {
            self.claim = claim
            self.given = given
            self.isGood = isGood
            self.id = id
            self.members = members
        }
    }

    static let nonces = [
        Nonce("abc", "abc", true),
        Nonce(.string(hash), nonce, true),
        Nonce(nil, nil, true),
        Nonce(nil, "", true),
        Nonce("abc", nil, false),
        Nonce("abc", "", false),
        Nonce("abc", "abd", false),
        Nonce("abc", "ABC", false),
        Nonce(nil, "abc", false),
        Nonce("", "", false),
        Nonce("", "abc", false),
        Nonce(1, "1", false),
        Nonce(.null, nil, false),
        Nonce(["abc"], "abc", false),
        Nonce(.string(hash.uppercased()), nonce, false),
        Nonce(.string(nonce), hash, false),
        Nonce("é", "e\u{301}", false),
        // Apple's tokens only contain the hash; the plain nonce could be read from a stolen token.
        Nonce(.string(hash), nonce, true, "apple.com"),
        Nonce("abc", "abc", false, "apple.com"),
        Nonce(.string(hash), hash, false, "apple.com"),
        // Google's SDK for iOS makes a nonce that the app never learns.
        Nonce("abc", nil, true, "google.com", "acceptUnknownNonce: true"),
        Nonce("abc", "abd", false, "google.com", "acceptUnknownNonce: true"),
        Nonce("abc", nil, false, "google.com"),
    ]

    @Test(arguments: nonces)
    func `nonces of client and token belong together`(_ example: Nonce) async throws {
        try await Self.run(.es256, example.id, example.members) { desk throws in
            let code = try await desk.code(["nonce": example.claim], nonce: example.given)
            #expect(code == (example.isGood ? nil : .missingOrInvalidNonce))
        }
    }

    @Test func `a token without a nonce is good for one sign-in in production only`() async throws {
        try await Self.run { desk throws in
            let token = try desk.issuer.token()
            let first = try #require(try await desk.check(token).spends)
            #expect(try await desk.check(token).spends == first)
            #expect(try await desk.check(try desk.issuer.token(["jti": "2"])).spends != first)
            let development = try Desk(desk.issuer, environment: ["LATCHKEY_MODE": "development"])
            #expect(try await development.check(token).spends == nil)
        }
    }

    @Test func `a token with a nonce is good for one sign-in, however its signature is written`() async throws {
        try await Self.run { desk throws in
            let token = try desk.issuer.token(["nonce": "abc"])
            let first = try #require(try await desk.check(token, nonce: "abc").spends)
            #expect(try await desk.check(token, nonce: "abc").spends == first)
            let expiry = try #require(desk.issuer.claims()["exp"]?.int64)
            #expect(abs(first.expiresAt - (expiry + 60) * 1000) < 10_000)
            // From an ECDSA signature (r, s), (r, -s) can be computed without the key.
            var parts = token.split(separator: ".").map(String.init)
            let signature = try #require(Base64URL.decode(parts[2]))
            parts[2] = Base64URL.encode(Array(signature[..<32]) + Self.negative(Array(signature[32...])))
            let twin = parts.joined(separator: ".")
            #expect(twin != token)
            #expect(try await desk.check(twin, nonce: "abc").spends == first)
            let other = try desk.issuer.token(["nonce": "abc", "jti": "2"])
            #expect(try await desk.check(other, nonce: "abc").spends != first)
            let endless = try desk.issuer.token(["nonce": "abc", "exp": Self.literal("9223372036854775807")])
            #expect(try await desk.check(endless, nonce: "abc").spends?.expiresAt == .max)
        }
    }

    /// Returns the group order of P-256 minus a number.
    private static func negative(_ number: [UInt8]) -> [UInt8] {
        let order: [UInt8] = [
            0xFF, 0xFF, 0xFF, 0xFF, 0x00, 0x00, 0x00, 0x00, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xBC, 0xE6,
            0xFA, 0xAD, 0xA7, 0x17, 0x9E, 0x84, 0xF3, 0xB9, 0xCA, 0xC2, 0xFC, 0x63, 0x25, 0x51,
        ]
        var result = [UInt8](repeating: 0, count: 32)
        var borrow = 0
        for index in (0..<32).reversed() {
            let difference = Int(order[index]) - Int(number[index]) - borrow
            result[index] = UInt8(truncatingIfNeeded: difference)
            borrow = difference < 0 ? 1 : 0
        }
        return result
    }

    // MARK: Trust in addresses

    struct Trust: Sendable, CustomTestStringConvertible {
        let id: String
        let members: String
        let claims: [String: JSONValue?]
        let isTrusted: Bool
        var testDescription: String { "\(id) { \(members) } \(claims)" }

        init(_ id: String, _ members: String, _ claims: [String: JSONValue?], _ isTrusted: Bool) {
            self.id = id
            self.members = members
            self.claims = claims
            self.isTrusted = isTrusted
        }
    }

    static let trusts = [
        Trust("oidc.test", "", ["email": "a@example.com"], false),
        Trust("oidc.test", "trustEmail: true", ["email": "a@example.com"], true),
        Trust("oidc.test", "trustEmail: true", [:], false),
        Trust("oidc.test", "trustEmail: true", ["email": "no address"], false),
        Trust("oidc.test", "trustEmail: true, emailDomains: ['Example.com']", ["email": "a@EXAMPLE.com"], true),
        Trust("oidc.test", "trustEmail: true, emailDomains: ['example.com']", ["email": "a@sub.example.com"], false),
        Trust("oidc.test", "trustEmail: true, emailDomains: ['example.com']", ["email": "a@badexample.com"], false),
        Trust(
            "oidc.test",
            "trustEmail: true, emailDomains: ['bücher.example']",
            ["email": "a@xn--bcher-kva.example"],
            true
        ),
        Trust("apple.com", "", ["email": "a@privaterelay.appleid.com"], true),
        Trust("apple.com", "trustEmail: false", ["email": "a@example.com"], false),
        Trust("google.com", "", ["email": "a@gmail.com"], true),
        Trust("google.com", "", ["email": "a@GMail.com"], true),
        Trust("google.com", "", ["email": "a@example.com"], false),
        Trust("google.com", "", ["email": "a@example.com", "hd": "example.com"], true),
        Trust("google.com", "", ["email": "a@example.com", "hd": ""], false),
        Trust("google.com", "", ["email": "a@example.com", "hd": true], false),
        Trust("google.com", "", ["email": "a@gmail.com.evil.example"], false),
        Trust("google.com", "emailDomains: ['example.com']", ["email": "a@gmail.com"], false),
    ]

    @Test(arguments: trusts)
    func `a provider's word about an address counts as far as it is trusted`(_ example: Trust) async throws {
        try await Self.run(.es256, example.id, example.members) { desk throws in
            #expect(try await desk.check(example.claims).isEmailTrusted == example.isTrusted)
        }
    }

    @Test func `in development every word counts, as the emulator has it`() async throws {
        try await TestIssuer.run { issuer throws in
            let desk = try Desk(issuer, environment: [:])
            #expect(try await desk.check(["email": "a@example.com"]).isEmailTrusted)
        }
    }

    @Test func `only Google may leave the scheme of its issuer out`() async throws {
        for (id, isGood) in [("google.com", true), ("oidc.test", false), ("apple.com", false)] {
            try await Self.run(.es256, id) { desk throws in
                let short = desk.issuer.url.dropFirst("https://".count)
                #expect(try await desk.code(["iss": .string(String(short))]) == (isGood ? nil : .invalidIdPResponse))
                #expect(try await desk.code([:]) == nil)
            }
        }
    }
}
