internal import COpenSSL

/// An error of this module: the failed step, its class, and OpenSSL's own error code.
///
/// The error never contains input such as keys, messages or tokens.
package struct CryptoError: Error, Sendable, Equatable, CustomStringConvertible {
    /// The class of a failure, for callers that decide by it.
    package enum Kind: Sendable {
        /// OpenSSL failed in a step that should have worked (out of memory, no entropy, a broken installation).
        case library
        /// The caller passed a length or value that the step does not accept.
        case invalidArgument
        /// Key material is malformed, for another algorithm, or too weak.
        case invalidKey
        /// Sealed bytes are too short, were changed, or were sealed under another key or for other associated data.
        case authenticationFailed
    }

    /// The class of the failure.
    package let kind: Kind
    /// The step that failed, such as `EVP_DigestSign`.
    package let operation: String
    /// OpenSSL's packed error code (`ERR_get_error`), or 0 if the error is not OpenSSL's.
    package let libraryCode: UInt

    /// Creates an error; `libraryCode` is 0 if the error is not OpenSSL's.
    package init(_ kind: Kind, _ operation: String, libraryCode: UInt = 0) {
        self.kind = kind
        self.operation = operation
        self.libraryCode = libraryCode
    }

    package var description: String {
        let code = libraryCode == 0 ? "" : " (OpenSSL error 0x\(String(libraryCode, radix: 16, uppercase: true)))"
        return "\(operation): \(kind)\(code)"
    }

    /// Returns an error for a step that has just failed in OpenSSL, with the oldest code in this thread's error queue,
    /// or 0 if the queue is empty.
    ///
    /// Empties the queue, because TLS on the same thread reads it.
    static func last(_ operation: String, kind: Kind = .library) -> CryptoError {
        let code = UInt(ERR_get_error())
        ERR_clear_error()
        return CryptoError(kind, operation, libraryCode: code)
    }
}
