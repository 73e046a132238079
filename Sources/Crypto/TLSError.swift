/// The reason why a TLS connection cannot continue, or TLS cannot be set up.
package struct TLSError: Error, Sendable, Equatable, CustomStringConvertible {
    /// The step that failed.
    package let step: Step
    /// What went wrong, without secrets: OpenSSL's message, such as "error:0A000102:SSL routines::unsupported
    /// protocol", or a text of this module if OpenSSL gave none.
    package let reason: String

    /// The steps of TLS that can fail.
    package enum Step: String, Sendable {
        /// Making a key, certificate, context or connection.
        case setUp = "set-up"
        case handshake
        case read
        case write
    }

    package var description: String { "TLS \(step.rawValue): \(reason)" }
}
