package import Crypto
internal import JSON

/// A public key with the id under which it is published, ready to check tokens.
package struct TokenVerificationKey: Sendable {
    /// `kid`.
    package let keyID: String
    /// The public key.
    package let key: VerificationKey
    /// The header segment that we write for this key, so that our own tokens need no JSON parser to be recognised.
    let headerSegment: [UInt8]

    /// Takes the key of a JWK.
    ///
    /// - Throws: `CryptoError` of kind `.invalidKey` when its numbers make no sound key.
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

    /// The key as it is published.
    package var jwk: JWK {
        JWK(keyID: keyID, parameters: key.parameters)
    }
}
