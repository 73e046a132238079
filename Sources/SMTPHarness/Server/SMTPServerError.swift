/// The reason why a server could not start, or why a wait for a message failed.
package enum SMTPServerError: Error, Sendable, Equatable, CustomStringConvertible {
    /// The address is not an IPv4 or IPv6 address in digits.
    case badAddress(String)
    /// A system call failed. `call` is its name.
    case system(call: String, errno: Int32, reason: String)
    /// TLS could not be set up.
    case tls(String)
    /// `start` was called a second time.
    case alreadyStarted
    /// No message that meets the conditions of a `waitForMessage` came in time.
    case noMessage(waitedFor: Duration)

    package var description: String {
        switch self {
        case .badAddress(let text): "not an IP address: \(text)"
        case .system(let call, _, let reason): "\(call): \(reason)"
        case .tls(let reason): reason
        case .alreadyStarted: "the SMTP server was started already"
        case .noMessage(let duration): "no such message within \(duration)"
        }
    }
}
