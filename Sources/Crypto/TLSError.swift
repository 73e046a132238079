/// Why TLS cannot go on.
package struct TLSError: Error, Sendable, Equatable, CustomStringConvertible {
    /// The step that failed.
    package let step: Step
    /// OpenSSL's words for it, as "error:0A000102:SSL routines::unsupported protocol"; holds no secret.
    package let reason: String

    /// The steps.
    package enum Step: String, Sendable {
        /// Making a key, certificate or context.
        case setUp = "set-up"
        case handshake
        case read
        case write
    }

    package var description: String { "TLS \(step.rawValue): \(reason)" }
}
