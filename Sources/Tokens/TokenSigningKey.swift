package import Crypto

/// A private key that signs the server's tokens, with its ID: the thumbprint of its public half (RFC 7638).
package struct TokenSigningKey: Sendable {
    /// The private key.
    package let key: SigningKey
    /// The public half of the key, with the same ID.
    package let verificationKey: TokenVerificationKey

    /// The key's ID, which is the thumbprint of the public half.
    package var keyID: String { verificationKey.keyID }
    /// The algorithm that the key signs with.
    package var algorithm: SignatureAlgorithm { key.algorithm }

    /// Makes a new key.
    ///
    /// - Throws: `CryptoError` when OpenSSL cannot make one.
    package static func generate(_ algorithm: SignatureAlgorithm = .es256) throws(CryptoError) -> TokenSigningKey {
        try TokenSigningKey(SigningKey.generate(algorithm))
    }

    /// Reads a private key from its PKCS#8 form, which ``exportedPKCS8()`` returned and the database keeps sealed.
    ///
    /// - Throws: `CryptoError` of kind `.invalidKey` when it is malformed, too weak or of another algorithm, or when
    ///   OpenSSL fails.
    package init(_ algorithm: SignatureAlgorithm, pkcs8: SecureBytes) throws(CryptoError) {
        try self.init(SigningKey(algorithm, pkcs8: pkcs8))
    }

    private init(_ key: SigningKey) throws(CryptoError) {
        self.key = key
        let keyID = try JWK.thumbprint(key.verificationKey.parameters)
        verificationKey = TokenVerificationKey(keyID: keyID, key: key.verificationKey)
    }

    /// Returns the private key as unencrypted PKCS#8 (DER), for the caller to seal.
    ///
    /// - Throws: `CryptoError` when OpenSSL cannot encode it.
    package func exportedPKCS8() throws(CryptoError) -> SecureBytes {
        try key.exportedPKCS8()
    }
}
