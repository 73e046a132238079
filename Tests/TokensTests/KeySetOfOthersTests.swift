import Crypto
import Testing
import Tokens

@Suite("Key sets of other issuers") struct KeySetOfOthersTests {
    @Test func `keys that are of use are taken, others left out`() throws {
        let keys = [
            Published.thumbprintKey, #"{"kty":"oct","kid":"s","k":"AAAA"}"#, #"{"kty":"EC","crv":"P-521","kid":"p"}"#,
            "null",
            #"{"kty":"RSA","kid":"enc","use":"enc","n":"AQAB","e":"AQAB"}"#,
        ]
        let set = try #require(
            VerificationKeys(jwks: Array(#"{"keys":[\#(keys.joined(separator: ","))],"more":1}"#.utf8))
        )
        #expect(set.all.map(\.keyID) == ["2011-04-29"])
        #expect(VerificationKeys(jwks: Array(#"{"keys":[]}"#.utf8))?.all.isEmpty == true)
    }

    @Test(arguments: [
        "", "[]", "{}", #"{"keys":{}}"#, #"{"keys":[],"keys":[]}"#, #"{"keys":[{"kid":"a","kid":"b"}]}"#,
        #"{"keys":[]}x"#,
        #"{"keys":[\#(String(repeating: "{},", count: 100)){}]}"#,
    ])
    func `what is no set gives none`(_ text: String) {
        #expect(VerificationKeys(jwks: Array(text.utf8)) == nil)
    }

    @Test func `a token that names no key is one of the only key there is`() throws {
        let key = try TokenSigningKey.generate()
        let other = try TokenSigningKey.generate(.rs256)
        let token = try signed(header: #"{"alg":"ES256"}"#, claims: "{}", by: key)
        let alone = KeySet(signer: key).jwks
        _ = try JWT.verify(token, keys: try #require(VerificationKeys(jwks: alone)))
        let nameless = String(decoding: alone, as: UTF8.self).replacing(#""kid":"\#(key.keyID)","#, with: "")
        #expect(!nameless.contains(#""kid""#))
        _ = try JWT.verify(token, keys: try #require(VerificationKeys(jwks: Array(nameless.utf8))))
        let named = try JWT.sign(Array("{}".utf8), with: key)
        let two = try #require(VerificationKeys(jwks: KeySet(signer: key, others: [other.verificationKey]).jwks))
        #expect(throws: JWTError.unknownKey) { try JWT.verify(token, keys: two) }
        #expect(throws: JWTError.unknownKey) {
            try JWT.verify(named, keys: try #require(VerificationKeys(jwks: Array(nameless.utf8))))
        }
        let forged = try signed(header: #"{"alg":"RS256"}"#, claims: "{}", by: other)
        #expect(throws: JWTError.wrongAlgorithm) {
            try JWT.verify(forged, keys: try #require(VerificationKeys(jwks: alone)))
        }
        // Latchkey's own tokens always name their key.
        #expect(throws: JWTError.unknownKey) { try JWT.verify(token, keys: VerificationKeys([key.verificationKey])) }
    }

    @Test func `a token tells which key to get, and no more`() throws {
        let key = try TokenSigningKey.generate()
        let token = try JWT.sign(Array("{}".utf8), with: key)
        #expect(try JWT.unverifiedKeyID(of: token) == key.keyID)
        #expect(try JWT.unverifiedKeyID(of: segment(#"{"alg":"RS256","kid":"x"}"#) + ".") == "x")
        #expect(try JWT.unverifiedKeyID(of: segment(#"{"alg":"RS256"}"#) + ".") == nil)
        for (header, error) in [
            (#"{"alg":"none","kid":"x"}"#, JWTError.wrongAlgorithm), (#"{"alg":"ES256","kid":1}"#, .unknownKey),
            (#"{"alg":"ES256","kid":"x","crit":[]}"#, .unsupportedHeader), ("[]", .malformed),
        ] {
            #expect(throws: error) { try JWT.unverifiedKeyID(of: segment(header) + ".") }
        }
        #expect(throws: JWTError.malformed) { try JWT.unverifiedKeyID(of: segment(#"{"alg":"ES256","kid":"x"}"#)) }
        #expect(throws: JWTError.tooLong) { try JWT.unverifiedKeyID(of: String(repeating: "a", count: 16_385)) }
    }
}
