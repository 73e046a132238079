import Crypto
import JSON
import Testing
import Tokens

struct BadToken: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let header: String
    var claims = "{}"
    let error: JWTError

    init(_ description: String, _ header: String, claims: String = "{}", _ error: JWTError) {
        testDescription = description
        self.header = header
        self.claims = claims
        self.error = error
    }
}

@Suite("JSON Web Tokens") struct JWTTests {
    let key: TokenSigningKey
    let keys: VerificationKeys

    init() throws {
        key = try .generate()
        keys = VerificationKeys([key.verificationKey])
    }

    @Test(arguments: SignatureAlgorithm.allCases)
    func `what is signed verifies and says the same`(_ algorithm: SignatureAlgorithm) throws {
        let key = try TokenSigningKey.generate(algorithm)
        let claims = #"{"sub":"abc","exp":4000000000,"nested":{"a":[1,2.50,"é"]}}"#
        let token = try JWT.sign(Array(claims.utf8), with: key)
        let signed = try JWT.verify(token, keys: VerificationKeys([key.verificationKey]))
        #expect(signed.keyID == key.keyID)
        #expect(JSONValue.object(signed.claims).serialized() == Array(claims.utf8))
        let header = token.split(separator: ".").first.flatMap { Base64URL.decode(String($0)) } ?? []
        #expect(
            String(decoding: header, as: UTF8.self)
                == #"{"alg":"\#(algorithm.rawValue)","kid":"\#(key.keyID)","typ":"JWT"}"#
        )
    }

    @Test func `a change of any one bit of any segment is refused`() throws {
        let token = try JWT.sign(Array(#"{"sub":"abc"}"#.utf8), with: key)
        let parts = token.split(separator: ".").map(String.init)
        for index in parts.indices {
            for changed in try oneBitChanged(parts[index]) {
                var forged = parts
                forged[index] = changed
                #expect(throws: JWTError.self) { try JWT.verify(forged.joined(separator: "."), keys: keys) }
            }
        }
    }

    @Test func `every other spelling is refused`() throws {
        let token = try JWT.sign(Array(#"{"sub":"abcd"}"#.utf8), with: key)
        let parts = token.split(separator: ".").map(String.init)
        for wrong in misspelled(token) + ["..", ".", "...", "a.b.c.d", token + ".", "." + token, token + ".e30"] {
            #expect(throws: JWTError.self) { try JWT.verify(wrong, keys: keys) }
        }
        for index in parts.indices {
            for wrong in misspelled(parts[index]) {
                var forged = parts
                forged[index] = wrong
                #expect(throws: JWTError.self) { try JWT.verify(forged.joined(separator: "."), keys: keys) }
            }
        }
    }

    @Test func `the same signature in DER, in another case or with spare bits is refused`() throws {
        let token = try JWT.sign(Array("{}".utf8), with: key)
        let parts = token.split(separator: ".").map(String.init)
        let signature = try #require(Base64URL.decode(parts[2]))
        let der = try #require(ECDSASignature.der(fromFixedWidth: signature))
        let input = parts[0] + "." + parts[1] + "."
        #expect(throws: JWTError.badSignature) { try JWT.verify(input + Base64URL.encode(der), keys: keys) }
        let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_")
        let last = try #require(parts[2].last.flatMap { alphabet.firstIndex(of: $0) })
        #expect(throws: JWTError.malformed) {
            try JWT.verify(input + parts[2].dropLast() + String(alphabet[last | 1]), keys: keys)
        }
    }

    static let bad = [
        BadToken("alg none", #"{"alg":"none","kid":"KID"}"#, .wrongAlgorithm),
        BadToken("alg None", #"{"alg":"None","kid":"KID"}"#, .wrongAlgorithm),
        BadToken("alg HS256", #"{"alg":"HS256","kid":"KID"}"#, .wrongAlgorithm),
        BadToken("alg of another key type", #"{"alg":"RS256","kid":"KID"}"#, .wrongAlgorithm),
        BadToken("alg ES384", #"{"alg":"ES384","kid":"KID"}"#, .wrongAlgorithm),
        BadToken("alg in lower case", #"{"alg":"es256","kid":"KID"}"#, .wrongAlgorithm),
        BadToken("no alg", #"{"kid":"KID"}"#, .malformed),
        BadToken("alg null", #"{"alg":null,"kid":"KID"}"#, .malformed),
        BadToken("alg array", #"{"alg":["ES256"],"kid":"KID"}"#, .malformed),
        BadToken("no kid", #"{"alg":"ES256"}"#, .unknownKey),
        BadToken("empty kid", #"{"alg":"ES256","kid":""}"#, .unknownKey),
        BadToken("kid of nobody", #"{"alg":"ES256","kid":"nobody"}"#, .unknownKey),
        BadToken("kid number", #"{"alg":"ES256","kid":1}"#, .unknownKey),
        BadToken("kid with a space", #"{"alg":"ES256","kid":"KID "}"#, .unknownKey),
        BadToken("typ of another kind", #"{"alg":"ES256","kid":"KID","typ":"at+jwt"}"#, .unsupportedHeader),
        BadToken("typ in lower case", #"{"alg":"ES256","kid":"KID","typ":"jwt"}"#, .unsupportedHeader),
        BadToken("typ null", #"{"alg":"ES256","kid":"KID","typ":null}"#, .unsupportedHeader),
        BadToken("crit", #"{"alg":"ES256","kid":"KID","crit":["b64"],"b64":false}"#, .unsupportedHeader),
        BadToken("empty crit", #"{"alg":"ES256","kid":"KID","crit":[]}"#, .unsupportedHeader),
        BadToken("crit null", #"{"alg":"ES256","kid":"KID","crit":null}"#, .unsupportedHeader),
        BadToken("duplicate alg", #"{"alg":"ES256","alg":"ES256","kid":"KID"}"#, .malformed),
        BadToken("duplicate by escape", #"{"alg":"ES256","\u0061lg":"ES256","kid":"KID"}"#, .malformed),
        BadToken("header array", #"["ES256"]"#, .malformed),
        BadToken("header text", "ES256", .malformed),
        BadToken("header with a comment", #"{"alg":"ES256","kid":"KID"}//"#, .malformed),
        BadToken("empty header", "", .malformed),
        BadToken("claims array", #"{"alg":"ES256","kid":"KID"}"#, claims: "[]", .malformedClaims),
        BadToken("claims string", #"{"alg":"ES256","kid":"KID"}"#, claims: #""{}""#, .malformedClaims),
        BadToken("claims empty", #"{"alg":"ES256","kid":"KID"}"#, claims: "", .malformedClaims),
        BadToken(
            "claims with a duplicate key",
            #"{"alg":"ES256","kid":"KID"}"#,
            claims: #"{"sub":"a","sub":"b"}"#,
            .malformedClaims
        ),
        BadToken(
            "claims with a duplicate key inside",
            #"{"alg":"ES256","kid":"KID"}"#,
            claims: #"{"a":[{"b":1,"b":2}]}"#,
            .malformedClaims
        ),
        BadToken(
            "claims 33 deep",
            #"{"alg":"ES256","kid":"KID"}"#,
            claims: #"{"a":"# + String(repeating: "[", count: 32) + String(repeating: "]", count: 32) + "}",
            .malformedClaims
        ),
        BadToken("claims twice", #"{"alg":"ES256","kid":"KID"}"#, claims: "{}{}", .malformedClaims),
    ]

    @Test(arguments: bad)
    func `correctly signed nonsense is refused for its reason`(_ bad: BadToken) throws {
        let header = bad.header.replacing("KID", with: key.keyID)
        let token = try signed(header: header, claims: bad.claims, by: key)
        #expect(throws: bad.error) { try JWT.verify(token, keys: keys) }
    }

    @Test(arguments: [
        #"{"alg":"ES256","kid":"KID"}"#, #"{"typ":"JWT","kid":"KID","alg":"ES256","jku":"http://127.0.0.1/"}"#,
        #"{"alg":"ES256","kid":"KID","jwk":{"kty":"oct","k":"AA"}}"#,
    ])
    func `equivalent headers are accepted, and keys in them ignored`(_ header: String) throws {
        let token = try signed(header: header.replacing("KID", with: key.keyID), claims: "{}", by: key)
        #expect(try JWT.verify(token, keys: keys).keyID == key.keyID)
    }

    @Test func `an unsigned token is refused`() {
        let header = segment(#"{"alg":"none","kid":"\#(key.keyID)"}"#)
        #expect(throws: JWTError.wrongAlgorithm) { try JWT.verify("\(header).\(segment("{}")).", keys: keys) }
        #expect(throws: JWTError.badSignature) {
            let own = segment(#"{"alg":"ES256","kid":"\#(key.keyID)","typ":"JWT"}"#)
            return try JWT.verify("\(own).\(segment("{}")).", keys: keys)
        }
    }

    @Test func `a token of another key is refused, also under our key id`() throws {
        let foreign = try TokenSigningKey.generate()
        let token = try JWT.sign(Array("{}".utf8), with: foreign)
        #expect(throws: JWTError.unknownKey) { try JWT.verify(token, keys: keys) }
        let header = #"{"alg":"ES256","kid":"\#(key.keyID)"}"#
        let lie = try signed(header: header, claims: "{}", by: foreign)
        #expect(throws: JWTError.badSignature) { try JWT.verify(lie, keys: keys) }
        #expect(throws: JWTError.unknownKey) { try JWT.verify(token, keys: VerificationKeys([])) }
    }

    @Test func `the longest token is read and a longer one is not`() throws {
        let frame = try JWT.sign(Array(#"{"a":""}"#.utf8), with: key).utf8.count
        let room = (JWT.maximumLength - frame) * 3 / 4 - 2
        let long = #"{"a":"\#(String(repeating: "x", count: room))"}"#
        let token = try JWT.sign(Array(long.utf8), with: key)
        #expect(token.utf8.count <= JWT.maximumLength && token.utf8.count > JWT.maximumLength - 8)
        #expect(try JWT.verify(token, keys: keys).claims["a"]?.string?.utf8.count == room)
        let tooLong = #"{"a":"\#(String(repeating: "x", count: room + 16))"}"#
        let longToken = try JWT.sign(Array(tooLong.utf8), with: key)
        #expect(throws: JWTError.tooLong) { try JWT.verify(longToken, keys: keys) }
    }

    @Test func `keys under one id, the first counts`() throws {
        let other = try TokenSigningKey.generate()
        let impostor = JWK(keyID: key.keyID, parameters: other.verificationKey.jwk.parameters)
        let set = VerificationKeys([key.verificationKey, try TokenVerificationKey(impostor)])
        #expect(set.all.count == 1)
        let token = try JWT.sign(Array("{}".utf8), with: key)
        #expect(try JWT.verify(token, keys: set).keyID == key.keyID)
    }
}
