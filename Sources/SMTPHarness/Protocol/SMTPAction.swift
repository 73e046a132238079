/// What the owner of a session shall do next, in the given order.
package enum SMTPAction: Sendable, Equatable {
    /// Send this.
    case reply(SMTPReply)
    /// Keep this message, before the reply that follows.
    case deliver(SMTPSubmission)
    /// Begin the TLS handshake, then tell the session `tlsStarted`. Bytes after the STARTTLS line are gone already.
    case startTLS
    /// Close the connection when everything is sent.
    case close
    /// Reset the connection.
    case drop
    /// Stay silent until the other side closes.
    case hang
}
