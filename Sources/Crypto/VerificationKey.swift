internal import COpenSSL

/// A public key with its algorithm, usable from any number of threads at once.
package final class VerificationKey: Sendable {
    /// The algorithm that this key verifies.
    package let algorithm: SignatureAlgorithm
    /// The public parameters, as in a JWK.
    package let parameters: PublicKeyParameters
    private let handle: KeyHandle
    private let contexts: KeyContexts

    /// Creates a key from the parameters of a JWK.
    ///
    /// - Throws: `CryptoError` of kind `.invalidKey` for wrong lengths, a point off the curve, an RSA modulus under
    ///   2048 or over 8192 bits, an exponent that is even, 1 or over 32 bits, or an RSA number with a leading zero
    ///   byte.
    package convenience init(_ parameters: PublicKeyParameters) throws(CryptoError) {
        let made =
            switch parameters {
            case .ec(let x, let y): try Self.p256(x: x, y: y)
            case .okp(let x): try Self.ed25519(x)
            case .rsa(let n, let e): try Self.rsa(n: n, e: e)
            }
        try self.init(made, parameters.algorithm)
    }

    /// Creates a key from the public part of an OpenSSL key.
    ///
    /// - Throws: `CryptoError` of kind `.invalidKey` if the key is too weak or for another algorithm.
    init(_ handle: KeyHandle, _ algorithm: SignatureAlgorithm) throws(CryptoError) {
        guard handle.fits(algorithm) else { throw .last("key for \(algorithm.rawValue)", kind: .invalidKey) }
        self.algorithm = algorithm
        self.handle = handle
        parameters = try handle.parameters(algorithm)
        contexts = KeyContexts(handle, algorithm, for: .verify)
    }

    /// Whether a JWS signature (r ‖ s for ES256) of a message was made with this key.
    ///
    /// - Throws: `CryptoError` only when OpenSSL is out of memory or broken; a bad signature is `false`.
    package func accepts(signature: [UInt8], for message: Span<UInt8>) throws(CryptoError) -> Bool {
        switch algorithm {
        case .edDSA:
            return try EdDSA.accepts(signature: signature, for: message, with: handle)
        case .es256:
            guard let der = ECDSASignature.der(fromFixedWidth: signature) else { return false }
            return try accepts(encoded: der, for: message)
        case .rs256:
            return try accepts(encoded: signature, for: message)
        }
    }

    /// Whether a JWS signature (r ‖ s for ES256) of a message was made with this key.
    ///
    /// - Throws: `CryptoError` only when OpenSSL is out of memory or broken; a bad signature is `false`.
    package func accepts(signature: [UInt8], for message: [UInt8]) throws(CryptoError) -> Bool {
        try accepts(signature: signature, for: message.span)
    }

    private func accepts(encoded signature: [UInt8], for message: Span<UInt8>) throws(CryptoError) -> Bool {
        let digest = try sha256(message)
        let context = try contexts.take()
        let accepted = context.accepts(signature: signature, digest: digest)
        contexts.put(context)
        return accepted
    }

    private static func p256(x: [UInt8], y: [UInt8]) throws(CryptoError) -> KeyHandle {
        guard x.count == 32, y.count == 32 else { throw CryptoError(.invalidKey, "P-256 coordinates") }
        let made = unsafe ([0x04] + x + y).span.withUnsafeBufferPointer { point in
            unsafe latchkey_p256_public(point.baseAddress, point.count)
        }
        guard let made = unsafe made else { throw .last("EVP_PKEY_fromdata", kind: .invalidKey) }
        return unsafe KeyHandle(owning: made)
    }

    private static func ed25519(_ x: [UInt8]) throws(CryptoError) -> KeyHandle {
        guard x.count == 32 else { throw CryptoError(.invalidKey, "Ed25519 public key") }
        let made = unsafe x.span.withUnsafeBufferPointer { x in
            unsafe EVP_PKEY_new_raw_public_key_ex(nil, "ED25519", nil, x.baseAddress, x.count)
        }
        guard let made = unsafe made else { throw .last("EVP_PKEY_new_raw_public_key_ex", kind: .invalidKey) }
        return unsafe KeyHandle(owning: made)
    }

    private static func rsa(n: [UInt8], e: [UInt8]) throws(CryptoError) -> KeyHandle {
        // Checked before OpenSSL uses them, because a huge exponent makes every verification slow.
        guard (256...1024).contains(n.count), n.first != 0, (1...4).contains(e.count), e.first != 0,
            let lowest = e.last, lowest & 1 == 1, e != [1]
        else { throw CryptoError(.invalidKey, "RSA public key") }
        let made = unsafe n.span.withUnsafeBufferPointer { n in
            unsafe e.span.withUnsafeBufferPointer { e in
                unsafe latchkey_rsa_public(n.baseAddress, Int32(n.count), e.baseAddress, Int32(e.count))
            }
        }
        guard let made = unsafe made else { throw .last("EVP_PKEY_fromdata", kind: .invalidKey) }
        return unsafe KeyHandle(owning: made)
    }
}
