import Crypto
import JSON
import Testing
import Tokens

struct ClaimsCase: Sendable, CustomTestStringConvertible {
    let claims: String
    let refusal: IDTokenVerifier.Refusal
    var testDescription: String { claims }

    init(_ claims: String, _ refusal: IDTokenVerifier.Refusal) {
        self.claims = claims
        self.refusal = refusal
    }
}

@Suite("ID tokens") struct IDTokenVerifierTests {
    let key: TokenSigningKey
    let keys: VerificationKeys
    let verifier = IDTokenVerifier(issuer: "https://issuer", audience: "demo")

    init() throws {
        key = try .generate()
        keys = VerificationKeys([key.verificationKey])
    }

    @Test func `ID tokens are valid from the second of their iat until the second of their exp`() throws {
        let token = try sign(#"{"iss":"https://issuer","aud":"demo","sub":"u","iat":1000,"exp":4600,"sid":"s"}"#)
        for now in [1000, 4599] as [Int64] {
            guard case .valid(let claims) = try verifier.verify(token, keys: keys, now: now) else {
                Issue.record("refused at \(now)")
                continue
            }
            #expect(claims.subject == "u" && claims.issuedAt == 1000 && claims.expiresAt == 4600)
            #expect(claims.all["sid"]?.string == "s")
        }
        #expect(try verifier.verify(token, keys: keys, now: 999) == .invalid(.times))
        for now in [4600, 4601, .max] as [Int64] {
            guard case .expired(let claims) = try verifier.verify(token, keys: keys, now: now) else {
                Issue.record("not expired at \(now)")
                continue
            }
            #expect(claims.subject == "u")
        }
    }

    @Test func `an expired token with a bad signature is invalid, not expired`() throws {
        let token = try sign(#"{"iss":"https://issuer","aud":"demo","sub":"u","iat":1000,"exp":4600}"#)
        let last = try #require(token.last)
        let forged = token.dropLast(2) + (last == "A" ? "QQ" : "AA")
        let verdict = try verifier.verify(String(forged), keys: keys, now: 9999)
        #expect(verdict == .invalid(.signature(.badSignature)))
        #expect(try verifier.verify("", keys: keys, now: 9999) == .invalid(.signature(.malformed)))
    }

    static let refused = [
        ClaimsCase("{}", .issuer),
        ClaimsCase(#"{"iss":"https://issuer/","aud":"demo","sub":"u","iat":1,"exp":9}"#, .issuer),
        ClaimsCase(#"{"iss":["https://issuer"],"aud":"demo","sub":"u","iat":1,"exp":9}"#, .issuer),
        ClaimsCase(#"{"iss":"https://issuer","sub":"u","iat":1,"exp":9}"#, .audience),
        ClaimsCase(#"{"iss":"https://issuer","aud":"other","sub":"u","iat":1,"exp":9}"#, .audience),
        ClaimsCase(#"{"iss":"https://issuer","aud":["demo","other"],"sub":"u","iat":1,"exp":9}"#, .audience),
        ClaimsCase(#"{"iss":"https://issuer","aud":[],"sub":"u","iat":1,"exp":9}"#, .audience),
        ClaimsCase(#"{"iss":"https://issuer","aud":"demo","iat":1,"exp":9}"#, .subject),
        ClaimsCase(#"{"iss":"https://issuer","aud":"demo","sub":"","iat":1,"exp":9}"#, .subject),
        ClaimsCase(#"{"iss":"https://issuer","aud":"demo","sub":7,"iat":1,"exp":9}"#, .subject),
        ClaimsCase(#"{"iss":"https://issuer","aud":"demo","sub":"u","iat":1}"#, .times),
        ClaimsCase(#"{"iss":"https://issuer","aud":"demo","sub":"u","exp":9}"#, .times),
        ClaimsCase(#"{"iss":"https://issuer","aud":"demo","sub":"u","iat":1,"exp":"9"}"#, .times),
        ClaimsCase(#"{"iss":"https://issuer","aud":"demo","sub":"u","iat":1,"exp":9.0}"#, .times),
        ClaimsCase(#"{"iss":"https://issuer","aud":"demo","sub":"u","iat":1,"exp":1e9}"#, .times),
        ClaimsCase(#"{"iss":"https://issuer","aud":"demo","sub":"u","iat":1,"exp":-1}"#, .times),
        ClaimsCase(#"{"iss":"https://issuer","aud":"demo","sub":"u","iat":1,"exp":9223372036854775808}"#, .times),
        ClaimsCase(#"{"iss":"https://issuer","aud":"demo","sub":"u","iat":6,"exp":9}"#, .times),
        ClaimsCase(#"{"iss":"https://issuer","aud":"demo","sub":"u","iat":1,"exp":9,"nbf":6}"#, .times),
        ClaimsCase(#"{"iss":"https://issuer","aud":"demo","sub":"u","iat":1,"exp":9,"nbf":null}"#, .times),
    ]

    @Test(arguments: refused)
    func `ID tokens with other claims are refused with their reason`(_ vector: ClaimsCase) throws {
        #expect(try verifier.verify(sign(vector.claims), keys: keys, now: 5) == .invalid(vector.refusal))
    }

    @Test(arguments: [
        #"{"iss":"https://issuer","aud":["demo"],"sub":"u","iat":1,"exp":9}"#,
        #"{"iss":"https://issuer","aud":"demo","sub":"u","iat":5,"exp":9223372036854775807,"nbf":5}"#,
        #"{"iss":"https://issuer","aud":"demo","sub":"u","iat":-9223372036854775808,"exp":6}"#,
    ])
    func `ID tokens at the edges of their limits are accepted`(_ claims: String) throws {
        guard case .valid = try verifier.verify(sign(claims), keys: keys, now: 5) else {
            Issue.record("refused")
            return
        }
    }

    @Test func `leeway widens both ends and never overflows`() throws {
        let lenient = IDTokenVerifier(issuer: "https://issuer", audience: "demo", leeway: 60)
        let token = try sign(#"{"iss":"https://issuer","aud":"demo","sub":"u","iat":1000,"exp":2000}"#)
        let verdicts: [(Int64, Bool)] = [(939, false), (940, true), (2059, true), (2060, false), (.max, false)]
        for (now, good) in verdicts {
            let verdict = try lenient.verify(token, keys: keys, now: now)
            if case .valid = verdict { #expect(good) } else { #expect(!good) }
        }
        let endless = try sign(#"{"iss":"https://issuer","aud":"demo","sub":"u","iat":1,"exp":9223372036854775807}"#)
        guard case .valid = try lenient.verify(endless, keys: keys, now: .max) else {
            Issue.record("refused")
            return
        }
    }

    private func sign(_ claims: String) throws -> String {
        try JWT.sign(Array(claims.utf8), with: key)
    }
}
