package import Crypto
internal import JSON

/// A public key with its published ID, ready to verify tokens.
package struct TokenVerificationKey: Sendable {
    /// The ID by which tokens name the key (`kid`).
    package let keyID: String
    /// The public key.
    package let key: VerificationKey
    /// The header segment that the server writes for this key, so that its own tokens are recognised without a JSON
    /// parser.
    let headerSegment: [UInt8]

    /// Creates a key from a JWK.
    ///
    /// - Throws: `CryptoError` of kind `.invalidKey` when its parameters do not form a valid key.
    package init(_ jwk: JWK) throws(CryptoError) {
        self.init(keyID: jwk.keyID, key: try VerificationKey(jwk.parameters))
    }

    init(keyID: String, key: VerificationKey) {
        self.keyID = keyID
        self.key = key
        var json = JSONWriter(capacity: 128)
        json.beginObject()
        json.member("alg", key.algorithm.rawValue)
        json.member("kid", keyID)
        json.member("typ", "JWT")
        json.endObject()
        var segment: [UInt8] = []
        Base64URL.append(json.bytes, to: &segment)
        headerSegment = segment
    }

    /// The key in its published form.
    package var jwk: JWK {
        JWK(keyID: keyID, parameters: key.parameters)
    }
}
