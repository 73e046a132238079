/// The reason why a transfer could not be set up or finished, if no server's answer explains it better.
///
/// `description` may be logged: it is libcurl's message for the code, or Latchkey's own, and contains at most a host
/// name.
package struct TransferError: Error, Sendable, Equatable, CustomStringConvertible {
    /// The kinds that callers distinguish.
    package enum Kind: Sendable, Equatable {
        /// What the caller passed is wrong, such as a URL, a header, an address or an option.
        case invalid
        /// There is no connection, the connection was lost, or the TLS handshake failed.
        case unreachable
        /// The peer's certificate is not trusted or not for this host.
        case untrusted
        /// The name resolves to an address that may not be connected to.
        case forbidden
        /// A time limit passed.
        case timedOut
        /// The response is larger than allowed.
        case tooLarge
        /// The caller cancelled.
        case cancelled
        /// Anything else, such as an out-of-memory error.
        case other
    }

    package let kind: Kind
    /// libcurl's error number; 0 for most errors that Latchkey found itself.
    package let code: Int
    package let description: String

    init(_ kind: Kind, code: Int = 0, _ description: String) {
        self.kind = kind
        self.code = code
        self.description = description
    }
}
