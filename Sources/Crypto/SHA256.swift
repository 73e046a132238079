internal import COpenSSL

/// Returns the SHA-256 digest of bytes (FIPS 180-4): 32 bytes.
///
/// - Throws: `CryptoError` only when OpenSSL is out of memory or broken.
package func sha256(_ bytes: Span<UInt8>) throws(CryptoError) -> [UInt8] {
    var done: Int32 = 0
    let digest = unsafe [UInt8](unsafeUninitializedCapacity: 32) { output, written in
        done = unsafe bytes.withUnsafeBufferPointer { input in
            unsafe EVP_Digest(input.baseAddress, input.count, output.baseAddress, nil, Algorithms.shared.sha256, nil)
        }
        written = done == 1 ? 32 : 0
    }
    guard done == 1 else { throw .last("EVP_Digest") }
    return digest
}

/// Returns the SHA-256 digest of bytes (FIPS 180-4): 32 bytes.
///
/// - Throws: `CryptoError` only when OpenSSL is out of memory or broken.
package func sha256(_ bytes: [UInt8]) throws(CryptoError) -> [UInt8] {
    try sha256(bytes.span)
}
