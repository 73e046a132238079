internal import COpenSSL

/// Secret bytes that are kept in one place, wiped with the last reference, never printed and never compared by `==`.
///
/// The bytes are immutable and thus safe to share between threads.
@safe
package final class SecureBytes: @unchecked Sendable {  // written only during initialisation
    private let storage: UnsafeMutableBufferPointer<UInt8>

    /// The number of bytes, which is not secret.
    package var count: Int { unsafe storage.count }

    /// Copies bytes.
    ///
    /// The caller must wipe the source.
    package init(_ bytes: Span<UInt8>) {
        unsafe storage = .allocate(capacity: bytes.count)
        unsafe bytes.withUnsafeBufferPointer { source in
            _ = unsafe storage.initialize(fromContentsOf: source)
        }
    }

    /// Copies bytes.
    ///
    /// The caller must wipe the source.
    package convenience init(_ bytes: [UInt8]) {
        self.init(bytes.span)
    }

    /// Allocates `count` bytes and lets `fill` write them.
    ///
    /// - Throws: what `fill` throws; the bytes written until then are wiped.
    init<E: Error>(
        count: Int,
        filledBy fill: (UnsafeMutableBufferPointer<UInt8>) throws(E) -> Void
    ) throws(E) {
        unsafe storage = .allocate(capacity: count)
        unsafe storage.initialize(repeating: 0)
        try unsafe fill(storage)
    }

    deinit {
        unsafe OPENSSL_cleanse(storage.baseAddress, storage.count)
        unsafe storage.deallocate()
    }

    /// Provides access to the bytes during one call.
    package func withSpan<R, E: Error>(_ body: (Span<UInt8>) throws(E) -> R) throws(E) -> R {
        try unsafe body(Span(_unsafeElements: UnsafeBufferPointer(storage)))
    }

    /// Copies the bytes, for the few callers that need an array.
    ///
    /// - Warning: The copy is not wiped.
    package func unwipedCopy() -> [UInt8] {
        unsafe Array(storage)
    }
}

extension SecureBytes: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    package var description: String { "<redacted>" }
    package var debugDescription: String { "<redacted>" }
    package var customMirror: Mirror { Mirror(self, children: []) }
}
