internal import COpenSSL

/// Calculates the SHA-256 digest (FIPS 180-4) of bytes that arrive in pieces.
@safe
package final class SHA256Stream {
    private let context: OpaquePointer

    /// Starts the digest of a new sequence of bytes.
    ///
    /// - Throws: `CryptoError` only when OpenSSL is out of memory or broken.
    package init() throws(CryptoError) {
        guard let context = unsafe EVP_MD_CTX_new() else { throw .last("EVP_MD_CTX_new") }
        unsafe self.context = context
        guard unsafe EVP_DigestInit_ex2(context, Algorithms.shared.sha256, nil) == 1 else {
            throw .last("EVP_DigestInit")
        }
    }

    deinit { unsafe EVP_MD_CTX_free(context) }

    /// Adds the next bytes.
    ///
    /// - Throws: `CryptoError` only when OpenSSL is broken.
    package func update(_ bytes: [UInt8]) throws(CryptoError) {
        let done = unsafe bytes.withUnsafeBytes { unsafe EVP_DigestUpdate(context, $0.baseAddress, $0.count) }
        guard done == 1 else { throw .last("EVP_DigestUpdate") }
    }

    /// Returns the digest of all bytes that were added: 32 bytes.
    ///
    /// Call it once; nothing may be added afterwards.
    ///
    /// - Throws: `CryptoError` only when OpenSSL is broken.
    package func finish() throws(CryptoError) -> [UInt8] {
        var done: Int32 = 0
        let digest = unsafe [UInt8](unsafeUninitializedCapacity: 32) { output, written in
            done = unsafe EVP_DigestFinal_ex(context, output.baseAddress, nil)
            written = done == 1 ? 32 : 0
        }
        guard done == 1 else { throw .last("EVP_DigestFinal") }
        return digest
    }
}
