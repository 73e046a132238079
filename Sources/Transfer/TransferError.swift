/// Why a transfer could not be set up or finished, when no server's answer says it better.
///
/// `description` is safe for logs: libcurl's sentence about the code, and at most the name of a host.
package struct TransferError: Error, Sendable, Equatable, CustomStringConvertible {
    /// The kinds that callers tell apart.
    package enum Kind: Sendable, Equatable {
        /// The request itself is wrong: its URL, a header, an address.
        case invalid
        /// No connection, a lost one, or a failed TLS handshake.
        case unreachable
        /// The peer's certificate is not trusted or not for this host.
        case untrusted
        /// The name leads to an address that may not be connected to.
        case forbidden
        /// A time limit passed.
        case timedOut
        /// The answer is larger than allowed.
        case tooLarge
        /// The caller cancelled.
        case cancelled
        /// Anything else that libcurl reports.
        case other
    }

    package let kind: Kind
    /// libcurl's error number, 0 when the refusal is ours.
    package let code: Int
    package let description: String

    init(_ kind: Kind, code: Int = 0, _ description: String) {
        self.kind = kind
        self.code = code
        self.description = description
    }
}
