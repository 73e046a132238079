internal import COpenSSL

/// A key of HMAC-SHA256 (RFC 2104), made ready once and used for any number of messages, from any thread.
@safe
package final class HMACKey: @unchecked Sendable {  // the context is only read (duplicated) after initialisation
    private let context: OpaquePointer

    /// Makes a key ready.
    ///
    /// - Throws: `CryptoError` only when OpenSSL is out of memory or broken.
    package init(_ key: Span<UInt8>) throws(CryptoError) {
        let made = unsafe key.withUnsafeBufferPointer { key in
            unsafe latchkey_hmac_sha256_new(Algorithms.shared.hmac, key.baseAddress, key.count)
        }
        guard let made = unsafe made else { throw .last("EVP_MAC_init") }
        unsafe context = made
    }

    /// Makes a key ready.
    ///
    /// - Throws: `CryptoError` only when OpenSSL is out of memory or broken.
    package convenience init(_ key: SecureBytes) throws(CryptoError) {
        try self.init(_copying: key)
    }

    private convenience init(_copying key: SecureBytes) throws(CryptoError) {
        // An initialiser cannot delegate from inside a closure, hence the copy, which is wiped.
        var bytes = key.unwipedCopy()
        defer { wipe(&bytes) }
        try self.init(bytes.span)
    }

    deinit {
        unsafe EVP_MAC_CTX_free(context)
    }

    /// The code of a message: 32 bytes.
    ///
    /// - Throws: `CryptoError` only when OpenSSL is out of memory or broken.
    package func code(for message: Span<UInt8>) throws(CryptoError) -> [UInt8] {
        guard let copy = unsafe EVP_MAC_CTX_dup(context) else { throw .last("EVP_MAC_CTX_dup") }
        defer { unsafe EVP_MAC_CTX_free(copy) }
        var done = unsafe message.withUnsafeBufferPointer { message in
            unsafe EVP_MAC_update(copy, message.baseAddress, message.count)
        }
        let code = unsafe [UInt8](unsafeUninitializedCapacity: 32) { output, written in
            if done == 1 { done = unsafe EVP_MAC_final(copy, output.baseAddress, &written, 32) }
            if done != 1 { written = 0 }
        }
        guard done == 1, code.count == 32 else { throw .last("EVP_MAC_final") }
        return code
    }

    /// The code of a message: 32 bytes.
    ///
    /// - Throws: `CryptoError` only when OpenSSL is out of memory or broken.
    package func code(for message: [UInt8]) throws(CryptoError) -> [UInt8] {
        try code(for: message.span)
    }
}

extension HMACKey: CustomStringConvertible, CustomReflectable {
    package var description: String { "<redacted>" }
    package var customMirror: Mirror { Mirror(self, children: []) }
}

/// The HMAC-SHA256 code (RFC 2104) of one message under a key used once; 32 bytes.
///
/// Use `HMACKey` where a key serves many messages.
///
/// - Throws: `CryptoError` only when OpenSSL is out of memory or broken.
package func hmacSHA256(key: [UInt8], _ message: [UInt8]) throws(CryptoError) -> [UInt8] {
    try HMACKey(key.span).code(for: message.span)
}
