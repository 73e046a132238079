internal import JSON

/// Everything the server needs to sign and check its own tokens at one moment: immutable, to be replaced as a whole
/// when keys change, and shared by reference between threads.
package final class KeySet: Sendable {
    /// The key that signs.
    package let signer: TokenSigningKey
    /// All keys whose tokens are accepted, the signer's among them.
    package let verificationKeys: VerificationKeys
    /// The JSON Web Key Set (RFC 7517 section 5) to publish.
    package let jwks: [UInt8]

    /// Takes the current signer and the other keys that are published: those that will sign soon, and those whose last
    /// tokens still live.
    package init(signer: TokenSigningKey, others: [TokenVerificationKey] = []) {
        self.signer = signer
        verificationKeys = VerificationKeys([signer.verificationKey] + others)
        var json = JSONWriter()
        json.beginObject()
        json.beginArray("keys")
        for key in verificationKeys.all { key.jwk.write(to: &json) }
        json.endArray()
        json.endObject()
        jwks = json.bytes
    }
}
