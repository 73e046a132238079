internal import COpenSSL

/// Derives a key from a secret by HKDF-SHA256 (RFC 5869), extract and expand.
///
/// - Parameters:
///   - secret: the input keying material; at least one byte.
///   - salt: public and constant; empty is allowed.
///   - info: the purpose, so that keys for different purposes are independent.
///   - length: bytes wanted, 1 to 8160.
/// - Returns: the derived key, `length` bytes.
/// - Throws: `CryptoError` of kind `.invalidArgument` for an empty secret or a length out of range, or when OpenSSL
///   fails.
package func hkdfSHA256(
    secret: SecureBytes,
    salt: [UInt8] = [],
    info: [UInt8],
    length: Int
) throws(CryptoError) -> SecureBytes {
    guard secret.count > 0, (1...255 * 32).contains(length) else { throw CryptoError(.invalidArgument, "HKDF") }
    return try unsafe SecureBytes(count: length) { output throws(CryptoError) in
        let done = secret.withSpan { secret in
            unsafe secret.withUnsafeBufferPointer { secret in
                unsafe salt.span.withUnsafeBufferPointer { salt in
                    unsafe info.span.withUnsafeBufferPointer { info in
                        unsafe latchkey_hkdf_sha256(
                            Algorithms.shared.hkdf,
                            secret.baseAddress,
                            secret.count,
                            salt.baseAddress,
                            salt.count,
                            info.baseAddress,
                            info.count,
                            output.baseAddress,
                            output.count
                        )
                    }
                }
            }
        }
        guard done == 1 else { throw .last("EVP_KDF_derive") }
    }
}
