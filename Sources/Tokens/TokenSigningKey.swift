package import Crypto

/// A private key that signs our tokens, with its id: the thumbprint of its public half (RFC 7638).
package struct TokenSigningKey: Sendable {
    /// The private key.
    package let key: SigningKey
    /// The public half under the same id.
    package let verificationKey: TokenVerificationKey

    /// The thumbprint.
    package var keyID: String { verificationKey.keyID }
    /// What it signs with.
    package var algorithm: SignatureAlgorithm { key.algorithm }

    /// Makes a new key.
    ///
    /// - Throws: `CryptoError` when OpenSSL cannot make one.
    package static func generate(_ algorithm: SignatureAlgorithm = .es256) throws(CryptoError) -> TokenSigningKey {
        try TokenSigningKey(SigningKey.generate(algorithm))
    }

    /// Reads a private key that was sealed in the database.
    ///
    /// - Throws: `CryptoError` of kind `.invalidKey` when it is malformed or of another algorithm.
    package init(_ algorithm: SignatureAlgorithm, pkcs8: SecureBytes) throws(CryptoError) {
        try self.init(SigningKey(algorithm, pkcs8: pkcs8))
    }

    private init(_ key: SigningKey) throws(CryptoError) {
        self.key = key
        let keyID = try JWK.thumbprint(key.verificationKey.parameters)
        verificationKey = TokenVerificationKey(keyID: keyID, key: key.verificationKey)
    }

    /// The private key as PKCS#8, for the caller to seal.
    ///
    /// - Throws: `CryptoError` when OpenSSL cannot encode it.
    package func exportedPKCS8() throws(CryptoError) -> SecureBytes {
        try key.exportedPKCS8()
    }
}
