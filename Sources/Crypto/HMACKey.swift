internal import COpenSSL

/// A key of HMAC-SHA256 (RFC 2104), prepared once and used for any number of messages, from any thread.
package final class HMACKey: Sendable {
    private let template: HMACContext
    private let idle = ContextPool<HMACContext>()

    /// Prepares a key.
    ///
    /// - Throws: `CryptoError` only when OpenSSL is out of memory or broken.
    package init(_ key: Span<UInt8>) throws(CryptoError) {
        let made = unsafe key.withUnsafeBufferPointer { key in
            unsafe latchkey_hmac_sha256_new(Algorithms.shared.hmac, key.baseAddress, key.count)
        }
        guard let made = unsafe made else { throw .last("EVP_MAC_init") }
        template = unsafe HMACContext(owning: made)
    }

    /// Prepares a key.
    ///
    /// - Throws: `CryptoError` only when OpenSSL is out of memory or broken.
    package convenience init(_ key: SecureBytes) throws(CryptoError) {
        try self.init(_copying: key)
    }

    private convenience init(_copying key: SecureBytes) throws(CryptoError) {
        // An initialiser cannot delegate from inside a closure, so the key is copied, and the copy is wiped.
        var bytes = key.unwipedCopy()
        defer { wipe(&bytes) }
        try self.init(bytes.span)
    }

    /// Returns the authentication code of a message under this key: 32 bytes.
    ///
    /// - Throws: `CryptoError` only when OpenSSL is out of memory or broken.
    package func code(for message: Span<UInt8>) throws(CryptoError) -> [UInt8] {
        let context =
            if let used = idle.take() { try used.restarted() } else { try template.duplicate() }
        let code = try context.code(for: message)
        idle.put(context)
        return code
    }

    /// Returns the authentication code of a message under this key: 32 bytes.
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

/// Returns the HMAC-SHA256 code (RFC 2104) of one message under a key that is used once: 32 bytes.
///
/// Use `HMACKey` if a key serves several messages.
///
/// - Throws: `CryptoError` only when OpenSSL is out of memory or broken.
package func hmacSHA256(key: [UInt8], _ message: [UInt8]) throws(CryptoError) -> [UInt8] {
    try HMACKey(key.span).code(for: message.span)
}

/// A context of HMAC-SHA256 that holds a key.
@safe
private final class HMACContext: @unchecked Sendable {  // used by one thread at a time; a template is only duplicated
    private let pointer: OpaquePointer

    init(owning pointer: OpaquePointer) {
        unsafe self.pointer = pointer
    }

    deinit {
        unsafe EVP_MAC_CTX_free(pointer)
    }

    func duplicate() throws(CryptoError) -> HMACContext {
        guard let copy = unsafe EVP_MAC_CTX_dup(pointer) else { throw .last("EVP_MAC_CTX_dup") }
        return unsafe HMACContext(owning: copy)
    }

    /// Prepares this context for another message under the same key, and returns it.
    ///
    /// OpenSSL keeps the key if it is given none.
    func restarted() throws(CryptoError) -> HMACContext {
        guard unsafe EVP_MAC_init(pointer, nil, 0, nil) == 1 else { throw .last("EVP_MAC_init") }
        return self
    }

    func code(for message: Span<UInt8>) throws(CryptoError) -> [UInt8] {
        var done = unsafe message.withUnsafeBufferPointer { message in
            unsafe EVP_MAC_update(pointer, message.baseAddress, message.count)
        }
        let code = unsafe [UInt8](unsafeUninitializedCapacity: 32) { output, written in
            if done == 1 { done = unsafe EVP_MAC_final(pointer, output.baseAddress, &written, 32) }
            if done != 1 { written = 0 }
        }
        guard done == 1, code.count == 32 else { throw .last("EVP_MAC_final") }
        return code
    }
}
