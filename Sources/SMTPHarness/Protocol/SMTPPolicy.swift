/// The extensions that a session offers, its requirements and its limits.
///
/// Limits are those of RFC 5321 §4.5.3 where it sets one, unless stated otherwise.
package struct SMTPPolicy: Sendable, Equatable {
    /// The name in the greeting and in the answer to EHLO.
    package var hostName = "localhost"
    /// Whether STARTTLS is offered.
    ///
    /// The connection must then support it.
    package var offersStartTLS = false
    /// Whether all commands but HELO, EHLO, NOOP, STARTTLS and QUIT require TLS.
    package var requiresTLS = false
    /// The accepted users: name and password.
    ///
    /// AUTH is offered if this is not empty.
    package var users: [String: String] = [:]
    /// Whether MAIL requires AUTH.
    package var requiresAuthentication = false
    /// Whether AUTH is rejected, and not offered, before TLS.
    package var authenticationRequiresTLS = false
    /// The largest message, in octets.
    package var maximumMessageSize = 10 << 20
    /// The maximum number of recipients of one message.
    package var maximumRecipients = 100
    /// The maximum length of a command line with its CR LF.
    ///
    /// RFC 5321 allows 512, and each extension adds to it.
    package var maximumCommandLine = 1024
    /// The maximum length of a line of AUTH, which contains base64 (RFC 4954 §4: 12 288).
    package var maximumAuthenticationLine = 12_288
    /// The maximum length of a line of message text with its CR LF.
    package var maximumTextLine = 1000
    /// The number of commands after which a connection ends with 421.
    package var maximumCommands = 100_000
    /// The number of invalid commands after which a connection ends with 421.
    package var maximumErrors = 50
    /// Whether a message with a lone CR or LF is rejected.
    ///
    /// Otherwise such a message is accepted and marked (``SMTPMessage/hasBareLineEnds``).
    package var refusesBareLineEnds = false

    /// Creates a policy that accepts all messages from all clients, without TLS and AUTH.
    package init() {}
}
