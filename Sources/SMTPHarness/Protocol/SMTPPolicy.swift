/// What a session offers and demands; limits are those of RFC 5321 §4.5.3 unless said otherwise.
package struct SMTPPolicy: Sendable, Equatable {
    /// The name in the greeting and in the answer to EHLO.
    package var hostName = "localhost"
    /// Whether STARTTLS is offered (the connection must then be able to do it).
    package var offersStartTLS = false
    /// Whether anything but EHLO, NOOP, STARTTLS and QUIT needs TLS first.
    package var requiresTLS = false
    /// Who may authenticate: name and password. AUTH is offered when this is not empty.
    package var users: [String: String] = [:]
    /// Whether MAIL needs AUTH first.
    package var requiresAuthentication = false
    /// Whether AUTH is refused, and not offered, before TLS.
    package var authenticationRequiresTLS = false
    /// The largest message, in octets.
    package var maximumMessageSize = 10 << 20
    /// Recipients of one message.
    package var maximumRecipients = 100
    /// A command line with its CR LF. RFC 5321 has 512 and every extension adds to it.
    package var maximumCommandLine = 1024
    /// A line of AUTH, which carries base64 (RFC 4954 §4: 12 288).
    package var maximumAuthenticationLine = 12_288
    /// A line of message text with its CR LF.
    package var maximumTextLine = 1000
    /// Commands of one connection; then 421.
    package var maximumCommands = 100_000
    /// Commands of one connection that were no commands; then 421.
    package var maximumErrors = 50
    /// Whether a message with a lone CR or LF is refused; otherwise it is only marked.
    package var refusesBareLineEnds = false

    /// A policy that takes everything from everybody, without TLS and AUTH.
    package init() {}
}
