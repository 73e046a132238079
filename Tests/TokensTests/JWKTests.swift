import Crypto
import JSON
import Testing
import Tokens

/// Keys and signatures of the RFCs.
enum Published {
    /// RFC 7638 section 3.1.
    static let thumbprintKey = """
        {"kty":"RSA","n":"0vx7agoebGcQSuuPiLJXZptN9nndrQmbXEps2aiAFbWhM78LhWx4cbbfAAtVT86zwu1RK7aPFFxuhDR1L6tSoc_BJECPebW\
        KRXjBZCiFV4n3oknjhMstn64tZ_2W-5JsGY4Hc5n9yBXArwl93lqt7_RN5w6Cf0h4QyQ5v-65YGjQR0_FDW2QvzqY368QQMicAtaSqzs8KJZgnYb9\
        c7d0zgdAZHzu6qMQvRL5hajrn1n91CbOpbISD08qNLyrdkt-bFTWhAI4vMQFh6WeZu0fM4lFd2NcRwr3XPksINHaQ-G_xBniIqbw0Ls1jF44-csFC\
        ur-kEgU8awapJzKnqDKgw","e":"AQAB","alg":"RS256","kid":"2011-04-29"}
        """
    static let thumbprint = "NzbLsXh8uDCcd-6MNwXF4W_7noWXFZAfHkxZsRGC9Xs"

    /// RFC 8037 appendices A.2 to A.4.
    static let ed25519Key = """
        {"kty":"OKP","crv":"Ed25519","x":"11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo","kid":"a"}
        """
    static let ed25519Thumbprint = "kPrK_qmxVWaYVA9wwBF6Iuo3vVzz7TxHCTwXBygrS4k"
    static let ed25519Token = """
        eyJhbGciOiJFZERTQSJ9.RXhhbXBsZSBvZiBFZDI1NTE5IHNpZ25pbmc.hgyY0il_MGCjP0JzlnLWG1PPOt7-09PGcvMg3AIbQR6dWbhijcNR4ki4\
        iylGjg5BhVsPt9g7sVvpAr_MuM0KAg
        """

    /// RFC 7515 appendix A.3.
    static let es256Key = """
        {"kty":"EC","crv":"P-256","x":"f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU",\
        "y":"x_FEzRu9m36HLN_tue659LNpXW6pCyStikYjKIWI5a0","kid":"a"}
        """
    static let es256Token = """
        eyJhbGciOiJFUzI1NiJ9.eyJpc3MiOiJqb2UiLA0KICJleHAiOjEzMDA4MTkzODAsDQogImh0dHA6Ly9leGFtcGxlLmNvbS9pc19yb290Ijp0cnVlfQ\
        .DtEhU3ljbEg8L38VWAfUAqOyKAM6-Xx-F4GawxaepmXFCgfTjDxw5djxLa8ISlSApmWQxfKTUJqPP3-Kg6NU1Q
        """

    /// RFC 7515 appendix A.2.
    static let rs256Key = """
        {"kty":"RSA","n":"ofgWCuLjybRlzo0tZWJjNiuSfb4p4fAkd_wWJcyQoTbji9k0l8W26mPddxHmfHQp-Vaw-4qPCJrcS2mJPMEzP1Pt0Bm4d4\
        QlL-yRT-SFd2lZS-pCgNMsD1W_YpRPEwOWvG6b32690r2jZ47soMZo9wGzjb_7OMg0LOL-bSf63kpaSHSXndS5z5rexMdbBYUsLA9e-KXBdQOS-UT\
        o7WTBEMa2R2CapHg665xsmtdVMTBQY4uDZlxvb3qCo5ZwKh9kG4LT6_I5IhlJH7aGhyxXFvUK-DWNmoudF8NAco9_h9iaGNj8q2ethFkMLs91kzk2\
        PAcDTW9gb54h4FRWyuXpoQ","e":"AQAB","kid":"a"}
        """
    static let rs256Token = """
        eyJhbGciOiJSUzI1NiJ9.eyJpc3MiOiJqb2UiLA0KICJleHAiOjEzMDA4MTkzODAsDQogImh0dHA6Ly9leGFtcGxlLmNvbS9pc19yb290Ijp0cnVlfQ\
        .cC4hiUPoj9Eetdgtv3hF80EGrhuB__dzERat0XF9g2VtQgr9PJbu3XOiZj5RZmh7AAuHIm4Bh-0Qc_lF5YKt_O8W2Fp5jujGbds9uJdbF9CUAr7t1\
        dnZcAcQjbKBYNX4BAynRFdiuB--f_nZLgrnbyTyWzO75vRK5h6xBArLIARNPvkSjtQBMHlb1L07Qe7K0GarZRmB_eSN9383LcOLn6_dO--xi12jzD\
        wusC-eOkHWEsqtFZESc6BfI7noOPqvhJ1phCnvWh6IeYI2w9QOYEUipUTI8np6LbgGY9Fs98rqVt5AXLIhWkWywlVmtVrBp0igcN_IoypGlUPQGe7\
        7Rw
        """
}

func jwk(_ text: String) throws -> JWK? {
    try JSONValue.parse(Array(text.utf8)).object.flatMap(JWK.init)
}

@Suite("JSON Web Keys") struct JWKTests {
    @Test(arguments: [
        (Published.thumbprintKey, Published.thumbprint), (Published.ed25519Key, Published.ed25519Thumbprint),
    ])
    func `thumbprints match RFC 7638 and RFC 8037`(_ key: String, _ thumbprint: String) throws {
        let jwk = try #require(try jwk(key))
        #expect(try JWK.thumbprint(jwk.parameters) == thumbprint)
    }

    @Test(arguments: [
        (Published.ed25519Key, Published.ed25519Token), (Published.es256Key, Published.es256Token),
        (Published.rs256Key, Published.rs256Token),
    ])
    func `the signatures of RFC 7515 and RFC 8037 are accepted`(_ key: String, _ token: String) throws {
        let key = try TokenVerificationKey(#require(try jwk(key)))
        let parts = token.split(separator: ".")
        let input = Array("\(parts[0]).\(parts[1])".utf8)
        let signature = try #require(Base64URL.decode(String(parts[2])))
        #expect(try key.key.accepts(signature: signature, for: input))
        #expect(try !key.key.accepts(signature: signature, for: input.reversed()))
        // They name no key, so they are refused as tokens all the same.
        #expect(throws: JWTError.unknownKey) { try JWT.verify(token, keys: VerificationKeys([key])) }
    }

    @Test(arguments: [
        #"{"kty":"EC","crv":"P-256","x":"AQ","y":"AQ"}"#,
        #"{"kty":"EC","crv":"P-256","x":"AQ","y":"AQ","kid":""}"#,
        #"{"kty":"EC","crv":"P-256","x":"AQ","y":"AQ","kid":7}"#,
        #"{"kty":"EC","crv":"P-384","x":"AQ","y":"AQ","kid":"a"}"#,
        #"{"kty":"EC","x":"AQ","y":"AQ","kid":"a"}"#,
        #"{"kty":"EC","crv":"P-256","x":"AQ","kid":"a"}"#,
        #"{"kty":"EC","crv":"P-256","x":"AR","y":"AQ","kid":"a"}"#,
        #"{"kty":"EC","crv":"P-256","x":"AQ==","y":"AQ","kid":"a"}"#,
        #"{"kty":"EC","crv":"P-256","x":"AQ","y":"AQ","kid":"a","use":"enc"}"#,
        #"{"kty":"EC","crv":"P-256","x":"AQ","y":"AQ","kid":"a","alg":"ES384"}"#,
        #"{"kty":"RSA","n":"AQ","e":"AQ","kid":"a","alg":"PS256"}"#,
        #"{"kty":"RSA","n":"AQ","e":"AQ","kid":"a","alg":"none"}"#,
        #"{"kty":"RSA","n":"AQ","kid":"a"}"#,
        #"{"kty":"OKP","crv":"X25519","x":"AQ","kid":"a"}"#,
        #"{"kty":"oct","k":"AQ","kid":"a"}"#,
        #"{"kid":"a"}"#,
    ])
    func `keys for other uses and badly written ones are left out`(_ text: String) throws {
        #expect(try jwk(text) == nil)
    }

    @Test func `a well-written key with unsound numbers is refused`() throws {
        let bad = try #require(try jwk(#"{"kty":"EC","crv":"P-256","x":"AQ","y":"AQ","kid":"a"}"#))
        let error = #expect(throws: CryptoError.self) { try TokenVerificationKey(bad) }
        #expect(error?.kind == .invalidKey)
    }

    @Test func `a key set is published as JSON that reads back to the same keys`() throws {
        let keys = try SignatureAlgorithm.allCases.map { try TokenSigningKey.generate($0) }
        let set = KeySet(signer: keys[0], others: keys.map(\.verificationKey))
        let document = try #require(try JSONValue.parse(set.jwks).object)
        let members = try #require(document["keys"]?.array).compactMap(\.object)
        #expect(members.count == 3, "the signer once, although it is given twice")
        #expect(members.compactMap(JWK.init) == keys.map(\.verificationKey.jwk))
        #expect(members.allSatisfy { $0["use"]?.string == "sig" && $0["d"] == nil })
        #expect(members.map { $0["alg"]?.string } == ["ES256", "EdDSA", "RS256"])
        for key in keys {
            #expect(try JWK.thumbprint(key.key.verificationKey.parameters) == key.keyID)
        }
    }

    @Test(arguments: SignatureAlgorithm.allCases)
    func `a signing key survives sealing`(_ algorithm: SignatureAlgorithm) throws {
        let sealer = Sealer(try secrets(oneSecret))
        let key = try TokenSigningKey.generate(algorithm)
        let text = try sealer.seal(key.exportedPKCS8(), table: "signing_keys", column: "private", row: key.keyID)
        let opened = try sealer.openSecret(text, table: "signing_keys", column: "private", row: key.keyID)
        let again = try TokenSigningKey(algorithm, pkcs8: opened)
        #expect(again.keyID == key.keyID)
        let token = try JWT.sign(Array("{}".utf8), with: again)
        #expect(try JWT.verify(token, keys: VerificationKeys([key.verificationKey])).keyID == key.keyID)
    }
}
