/// An action that the owner of a session must perform, in the order in which the session returns them.
package enum SMTPAction: Sendable, Equatable {
    /// Send this reply.
    case reply(SMTPReply)
    /// Keep this message, before the reply that follows.
    case deliver(SMTPSubmission)
    /// Start the TLS handshake, then call the session's `tlsStarted`. The session has discarded all bytes after the
    /// STARTTLS line.
    case startTLS
    /// Close the connection when everything is sent.
    case close
    /// Reset the connection.
    case drop
    /// Stay silent until the other side closes.
    case hang
}
