internal import COpenSSL
internal import Synchronization

/// Unpredictable bytes from OpenSSL's generator, which the kernel seeds.
package enum Random {
    /// Returns random bytes that may become public, such as IDs and nonces.
    ///
    /// - Parameter count: the number of bytes, 0 or more.
    /// - Returns: that many bytes.
    /// - Throws: `CryptoError` when the generator cannot be seeded, or of kind `.invalidArgument` for a count out of
    ///   range.
    package static func bytes(_ count: Int) throws(CryptoError) -> [UInt8] {
        guard count <= reserveSize / 4 else { return try generated(count) }
        guard count >= 0 else { throw CryptoError(.invalidArgument, "RAND_bytes") }
        return try reserve.withLock { reserve throws(CryptoError) in
            if reserve.count < count { reserve = try generated(reserveSize) }
            let bytes = Array(reserve.suffix(count))
            // Returned bytes are not kept.
            for index in reserve.count - count..<reserve.count { reserve[index] = 0 }
            reserve.removeLast(count)
            return bytes
        }
    }

    /// Public random bytes that were generated in advance and not returned yet.
    ///
    /// The generator takes nearly as long for ten bytes as for a thousand, and a sign-in needs several IDs. A process
    /// that forks would return the same bytes twice, but Latchkey never forks.
    private static let reserve = Mutex<[UInt8]>([])
    private static let reserveSize = 1024

    private static func generated(_ count: Int) throws(CryptoError) -> [UInt8] {
        guard let length = Int32(exactly: count) else { throw CryptoError(.invalidArgument, "RAND_bytes") }
        var done: Int32 = 0
        let bytes = unsafe [UInt8](unsafeUninitializedCapacity: count) { buffer, written in
            done = unsafe RAND_bytes(buffer.baseAddress, length)
            written = done == 1 ? count : 0
        }
        guard done == 1 else { throw .last("RAND_bytes") }
        return bytes
    }

    /// Returns random bytes that stay secret, from OpenSSL's separate generator for secrets.
    ///
    /// - Parameter count: the number of bytes, 0 or more.
    /// - Returns: that many bytes.
    /// - Throws: `CryptoError` when the generator cannot be seeded, or of kind `.invalidArgument` for a count out of
    ///   range.
    package static func secret(_ count: Int) throws(CryptoError) -> SecureBytes {
        guard count >= 0, let length = Int32(exactly: count) else {
            throw CryptoError(.invalidArgument, "RAND_priv_bytes")
        }
        return try unsafe SecureBytes(count: count) { buffer throws(CryptoError) in
            guard unsafe RAND_priv_bytes(buffer.baseAddress, length) == 1 else { throw .last("RAND_priv_bytes") }
        }
    }
}
