internal import COpenSSL

/// A private key with its algorithm, usable from any number of threads at once.
///
/// The private part is returned only by `exportedPKCS8()`, for the caller to seal.
package final class SigningKey: Sendable {
    /// The algorithm that this key signs with.
    package let algorithm: SignatureAlgorithm
    /// The public half of the key, which verifies its signatures.
    package let verificationKey: VerificationKey
    private let handle: KeyHandle
    private let contexts: KeyContexts

    /// Generates a random private key for an algorithm.
    ///
    /// An RS256 key has 2048 bits, which takes a moment to generate.
    ///
    /// - Throws: `CryptoError` when OpenSSL cannot make one.
    package static func generate(_ algorithm: SignatureAlgorithm) throws(CryptoError) -> SigningKey {
        let made =
            switch algorithm {
            case .es256: unsafe latchkey_generate_p256()
            case .edDSA: unsafe latchkey_generate_ed25519()
            case .rs256: unsafe latchkey_generate_rsa(2048)
            }
        guard let made = unsafe made else { throw .last("EVP_PKEY_Q_keygen") }
        return try unsafe SigningKey(KeyHandle(owning: made), algorithm)
    }

    /// Reads a key from PKCS#8 (RFC 5958, unencrypted DER), and checks that it is a key pair for the algorithm.
    ///
    /// - Throws: `CryptoError` of kind `.invalidKey` for bytes that are not such a key pair, for an RSA key under 2048
    ///   or over 8192 bits, and for a public half that does not belong to the private one.
    package convenience init(_ algorithm: SignatureAlgorithm, pkcs8: SecureBytes) throws(CryptoError) {
        let made = unsafe pkcs8.withSpan { bytes in
            unsafe bytes.withUnsafeBufferPointer { bytes in
                unsafe latchkey_pkcs8_import(bytes.baseAddress, bytes.count)
            }
        }
        guard let made = unsafe made else { throw .last("PKCS #8", kind: .invalidKey) }
        let handle = unsafe KeyHandle(owning: made)
        guard handle.fits(algorithm), unsafe latchkey_pair_belongs(handle.pointer) == 1 else {
            throw .last("PKCS #8 for \(algorithm.rawValue)", kind: .invalidKey)
        }
        try self.init(handle, algorithm)
    }

    private init(_ handle: KeyHandle, _ algorithm: SignatureAlgorithm) throws(CryptoError) {
        self.handle = handle
        self.algorithm = algorithm
        verificationKey = try VerificationKey(handle, algorithm)
        contexts = KeyContexts(handle, algorithm, for: .sign)
    }

    /// Returns the private key as PKCS#8 (RFC 5958, unencrypted DER).
    ///
    /// - Throws: `CryptoError` when OpenSSL cannot encode it.
    package func exportedPKCS8() throws(CryptoError) -> SecureBytes {
        var der: UnsafeMutablePointer<UInt8>?
        let length = unsafe latchkey_pkcs8_export(handle.pointer, &der)
        guard length > 0, let start = unsafe der else { throw .last("i2d_PKCS8_PRIV_KEY_INFO") }
        defer { unsafe latchkey_clear_free(start, Int(length)) }
        return unsafe SecureBytes(Span(_unsafeStart: start, count: Int(length)))
    }

    /// Signs a message, and returns the JWS form of the signature: r ‖ s for ES256 (RFC 7518 section 3.4).
    ///
    /// - Throws: `CryptoError` only when OpenSSL is out of memory or broken.
    package func sign(_ message: Span<UInt8>) throws(CryptoError) -> [UInt8] {
        switch algorithm {
        case .edDSA:
            return try EdDSA.sign(message, with: handle)
        case .rs256:
            return try encodedSignature(message, capacity: 1024)
        case .es256:
            let der = try encodedSignature(message, capacity: 80)
            guard let signature = ECDSASignature.fixedWidth(fromDER: der) else {
                throw CryptoError(.library, "ECDSA signature from OpenSSL")
            }
            return signature
        }
    }

    /// Signs a message, and returns the JWS form of the signature: r ‖ s for ES256 (RFC 7518 section 3.4).
    ///
    /// - Throws: `CryptoError` only when OpenSSL is out of memory or broken.
    package func sign(_ message: [UInt8]) throws(CryptoError) -> [UInt8] {
        try sign(message.span)
    }

    private func encodedSignature(_ message: Span<UInt8>, capacity: Int) throws(CryptoError) -> [UInt8] {
        let digest = try sha256(message)
        let context = try contexts.take()
        let signature = try context.sign(digest: digest, capacity: capacity)
        contexts.put(context)
        return signature
    }
}

extension SigningKey: CustomStringConvertible, CustomReflectable {
    package var description: String { "<redacted>" }
    package var customMirror: Mirror { Mirror(self, children: []) }
}
