internal import JSON

/// The keys with which the server signs and verifies its own tokens at one moment.
///
/// A key set is immutable, is replaced as a whole when keys change, and is shared between threads by reference.
package final class KeySet: Sendable {
    /// The key that signs new tokens.
    package let signer: TokenSigningKey
    /// All keys whose tokens are accepted, including the signer.
    package let verificationKeys: VerificationKeys
    /// The JSON Web Key Set (RFC 7517 section 5) to publish, as UTF-8 text, with all ``verificationKeys``.
    package let jwks: [UInt8]

    /// Creates a key set from the current signer and the other published keys: those that will sign soon, and those
    /// whose last tokens are still valid.
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
