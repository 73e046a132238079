internal import COpenSSL

/// What went wrong in the cryptographic layer: which step, and OpenSSL's own error code.
///
/// It never holds input: neither keys nor messages nor tokens reach an error.
package struct CryptoError: Error, Sendable, Equatable, CustomStringConvertible {
    /// The class of a failure, for callers that decide by it.
    package enum Kind: Sendable {
        /// OpenSSL refused a step that should have worked (out of memory, no entropy, a broken installation).
        case library
        /// A length or range that the step cannot take.
        case invalidArgument
        /// Key material that is malformed, of another algorithm, or too weak.
        case invalidKey
        /// Sealed bytes that were changed, or were sealed under another key or for another place.
        case authenticationFailed
    }

    /// The class of the failure.
    package let kind: Kind
    /// The step that failed, such as `EVP_DigestSign`.
    package let operation: String
    /// OpenSSL's packed error code (`ERR_get_error`), or 0 when OpenSSL was not the one to refuse.
    package let libraryCode: UInt

    /// Names a failure; OpenSSL's own code is 0 when OpenSSL was not the one to refuse.
    package init(_ kind: Kind, _ operation: String, libraryCode: UInt = 0) {
        self.kind = kind
        self.operation = operation
        self.libraryCode = libraryCode
    }

    package var description: String {
        let code = libraryCode == 0 ? "" : " (OpenSSL error 0x\(String(libraryCode, radix: 16, uppercase: true)))"
        return "\(operation): \(kind)\(code)"
    }

    /// The failure OpenSSL has just recorded on this thread; leaves the thread's error queue empty, because TLS on the
    /// same thread reads that queue.
    static func last(_ operation: String, kind: Kind = .library) -> CryptoError {
        let code = UInt(ERR_get_error())
        ERR_clear_error()
        return CryptoError(kind, operation, libraryCode: code)
    }
}
