import Crypto
import JSON
import Testing
import Tokens

struct CustomTokenCase: Sendable, CustomTestStringConvertible {
    let testDescription: String
    /// Replaces members of the claims; `null` removes a member.
    let change: JSONValue
    let refusal: CustomTokenVerifier.Refusal

    init(_ what: String, _ change: JSONValue, _ refusal: CustomTokenVerifier.Refusal) {
        testDescription = what
        self.change = change
        self.refusal = refusal
    }
}

@Suite("Custom tokens") struct CustomTokenTests {
    static let account = "app@example.iam.gserviceaccount.com"
    static let audience = CustomTokenVerifier.audience
    static let key = Result { try TokenSigningKey.generate(.rs256) }
    static let otherKey = Result { try TokenSigningKey.generate(.rs256) }

    let key: TokenSigningKey
    let other: TokenSigningKey
    let verifier: CustomTokenVerifier

    init() throws {
        key = try Self.key.get()
        other = try Self.otherKey.get()
        verifier = CustomTokenVerifier(keys: [
            Self.account: [other.key.verificationKey, key.key.verificationKey],
            "else@example.com": [other.key.verificationKey],
        ])
    }

    static let header = #"{"alg":"RS256","typ":"JWT"}"#

    static func claims(_ change: JSONValue = [:]) -> String {
        var claims = JSONObject()
        claims.append("iss", .string(account))
        claims.append("sub", .string(account))
        claims.append("aud", .string(audience))
        claims.append("iat", 1000)
        claims.append("exp", 4600)
        claims.append("uid", "ann")
        for member in change.object?.members ?? [] {
            claims[member.name] = member.value.isNull ? nil : member.value
        }
        return String(decoding: JSONValue.object(claims).serialized(), as: UTF8.self)
    }

    @Test func `custom tokens are accepted with any key of their service account, whatever kid says`() throws {
        for header in [Self.header, #"{"alg":"RS256","kid":"../../etc/passwd"}"#, #"{"alg":"RS256","kid":7}"#] {
            for key in [key, other] {
                let token = try signed(header: header, claims: Self.claims(), by: key)
                #expect(try verifier.verify(token, now: 1000)["uid"] == "ann")
            }
        }
    }

    @Test func `custom tokens are valid for their hour, with a minute of tolerance for clocks that differ`() throws {
        let token = try signed(header: Self.header, claims: Self.claims(), by: key)
        for now in [940, 1000, 4659] as [Int64] { _ = try verifier.verify(token, now: now) }
        for now in [0, 939, 4660, .max] as [Int64] {
            #expect(throws: CustomTokenVerifier.Refusal.times) { try verifier.verify(token, now: now) }
        }
    }

    static let refused = [
        CustomTokenCase("another audience", ["aud": "demo"], .audience),
        CustomTokenCase("two audiences", ["aud": [.string(audience), "demo"]], .audience),
        CustomTokenCase("no audience", ["aud": nil], .audience),
        CustomTokenCase("another subject", ["sub": "else@example.com"], .audience),
        CustomTokenCase("no subject", ["sub": nil], .audience),
        CustomTokenCase(
            "an account that is not known",
            ["iss": "x@example.com", "sub": "x@example.com"],
            .unknownAccount
        ),
        CustomTokenCase("an account in capitals", ["iss": "App@example.iam.gserviceaccount.com"], .unknownAccount),
        CustomTokenCase("no issuer", ["iss": nil], .unknownAccount),
        CustomTokenCase("an issuer that is a list", ["iss": [.string(account)]], .unknownAccount),
        CustomTokenCase(
            "another account's signature",
            ["iss": "else@example.com", "sub": "else@example.com"],
            .signature(.badSignature)
        ),
        CustomTokenCase("a life over an hour", ["exp": 4601], .times),
        CustomTokenCase("an end before the beginning", ["iat": 1050, "exp": 1040], .times),
        CustomTokenCase("no end", ["exp": nil], .times),
        CustomTokenCase("no beginning", ["iat": nil], .times),
        CustomTokenCase("a beginning to come", ["iat": 1061], .times),
        CustomTokenCase("an end as a string", ["exp": "4600"], .times),
        CustomTokenCase("the earliest time there is", ["iat": .number(JSONNumber(.min))], .times),
        CustomTokenCase("not good yet", ["nbf": 2000], .times),
    ]

    @Test(arguments: refused)
    func `custom tokens with wrong claims are refused`(_ example: CustomTokenCase) throws {
        let token = try signed(header: Self.header, claims: Self.claims(example.change), by: key)
        #expect(throws: example.refusal) { try verifier.verify(token, now: 1000) }
    }

    @Test(
        arguments: [
            (#"{"alg":"none"}"#, .wrongAlgorithm), (#"{"alg":"HS256"}"#, .wrongAlgorithm),
            (#"{"alg":"ES256"}"#, .wrongAlgorithm), (#"{"alg":"RS512"}"#, .wrongAlgorithm),
            (#"{"alg":"RS256","alg":"RS256"}"#, .malformed), (#"{"typ":"JWT"}"#, .malformed),
            (#"{"alg":"RS256","crit":["exp"]}"#, .unsupportedHeader),
            (#"{"alg":"RS256","typ":"at+jwt"}"#, .unsupportedHeader),
        ] as [(String, JWTError)]
    )
    func `custom tokens with a wrong header are refused`(header: String, error: JWTError) throws {
        let token = try signed(header: header, claims: Self.claims(), by: key)
        #expect(throws: CustomTokenVerifier.Refusal.signature(error)) { try verifier.verify(token, now: 1000) }
    }

    @Test func `custom tokens with duplicate members are refused`() throws {
        let claims = Self.claims().dropLast() + #","uid":"bob"}"#
        let token = try signed(header: Self.header, claims: String(claims), by: key)
        #expect(throws: CustomTokenVerifier.Refusal.signature(.malformedClaims)) {
            try verifier.verify(token, now: 1000)
        }
    }

    @Test func `custom tokens with a changed, missing or re-encoded part are refused`() throws {
        let token = try signed(header: Self.header, claims: Self.claims(), by: key)
        let parts = token.split(separator: ".").map(String.init)
        for bad in misspelled(token) + ["\(parts[0]).\(parts[1]).", "\(parts[0]).\(parts[1])", "a.\(token)"] {
            #expect(throws: CustomTokenVerifier.Refusal.self) { try verifier.verify(bad, now: 1000) }
        }
        let other = segment(Self.claims(["uid": "bob"]))
        #expect(throws: CustomTokenVerifier.Refusal.signature(.badSignature)) {
            try verifier.verify("\(parts[0]).\(other).\(parts[2])", now: 1000)
        }
    }

    @Test func `custom tokens can be read without verification, where the caller asks for that`() throws {
        for token in [
            "\(segment(#"{"alg":"none"}"#)).\(segment(Self.claims())).", "e30.\(segment(Self.claims())).AAAA",
            // A test suite may write any base64url text in place of a signature.
            "e30.\(segment(Self.claims())).A",
        ] {
            #expect(JWT.unverifiedClaims(of: token)?["uid"] == "ann")
        }
        for text in [
            "", "..", "a.b.c", "e30.e30", "e30.W10.", "e30.e30.=", "bnVsbA.e30.", "e30.e30.e30.e30",
        ] {
            #expect(JWT.unverifiedClaims(of: text) == nil, "\(text)")
        }
    }
}
