internal import COpenSSL

/// Bytes nobody can guess, from OpenSSL's generator, which the kernel seeds.
package enum Random {
    /// Random bytes that may become public, such as ids and nonces.
    ///
    /// - Parameter count: how many bytes, 0 or more.
    /// - Returns: that many bytes.
    /// - Throws: `CryptoError` when the generator cannot be seeded.
    package static func bytes(_ count: Int) throws(CryptoError) -> [UInt8] {
        guard count >= 0, let length = Int32(exactly: count) else { throw CryptoError(.invalidArgument, "RAND_bytes") }
        var done: Int32 = 0
        let bytes = unsafe [UInt8](unsafeUninitializedCapacity: count) { buffer, written in
            done = unsafe RAND_bytes(buffer.baseAddress, length)
            written = done == 1 ? count : 0
        }
        guard done == 1 else { throw .last("RAND_bytes") }
        return bytes
    }

    /// Random bytes that stay secret, from OpenSSL's separate generator for those.
    ///
    /// - Parameter count: how many bytes, 0 or more.
    /// - Returns: that many bytes.
    /// - Throws: `CryptoError` when the generator cannot be seeded.
    package static func secret(_ count: Int) throws(CryptoError) -> SecureBytes {
        guard count >= 0, let length = Int32(exactly: count) else {
            throw CryptoError(.invalidArgument, "RAND_priv_bytes")
        }
        return try unsafe SecureBytes(count: count) { buffer throws(CryptoError) in
            guard unsafe RAND_priv_bytes(buffer.baseAddress, length) == 1 else { throw .last("RAND_priv_bytes") }
        }
    }
}
