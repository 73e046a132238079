internal import COpenSSL

/// Secret bytes: kept in one place, wiped when the last reference goes, never printed and never compared by `==`.
///
/// Immutable and thus safe to share between threads.
@safe
package final class SecureBytes: @unchecked Sendable {  // written only during initialisation
    private let storage: UnsafeMutableBufferPointer<UInt8>

    /// How many bytes; not a secret.
    package var count: Int { unsafe storage.count }

    /// Copies bytes; the source stays the caller's to wipe.
    package init(_ bytes: Span<UInt8>) {
        unsafe storage = .allocate(capacity: bytes.count)
        unsafe bytes.withUnsafeBufferPointer { source in
            _ = unsafe storage.initialize(fromContentsOf: source)
        }
    }

    /// Copies bytes; the source stays the caller's to wipe.
    package convenience init(_ bytes: [UInt8]) {
        self.init(bytes.span)
    }

    /// Makes `count` bytes and has `fill` write them.
    ///
    /// - Throws: what `fill` throws; whatever it had written is wiped.
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

    /// Lends the bytes for the length of one call.
    package func withSpan<R, E: Error>(_ body: (Span<UInt8>) throws(E) -> R) throws(E) -> R {
        try unsafe body(Span(_unsafeElements: UnsafeBufferPointer(storage)))
    }

    /// Copies the bytes out, for the few places that must hand them on as an array.
    ///
    /// - Warning: the copy is not wiped.
    package func unwipedCopy() -> [UInt8] {
        unsafe Array(storage)
    }
}

extension SecureBytes: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    package var description: String { "<redacted>" }
    package var debugDescription: String { "<redacted>" }
    package var customMirror: Mirror { Mirror(self, children: []) }
}
