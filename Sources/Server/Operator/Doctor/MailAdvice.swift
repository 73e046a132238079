internal import Mail
internal import Transfer

/// What a dialogue with a mail server shows, in plain words, for `mail test` and `doctor`.
struct MailAdvice {
    /// What is wrong, in one sentence.
    let message: String
    /// What to do about it.
    let advice: String

    /// Describes why a dialogue did not reach its goal; `nil` if it did.
    init?(_ dialogue: SMTPDialogue, _ smtp: SMTPConfiguration) {
        guard let problem = dialogue.problem else { return nil }
        (message, advice) = Self.words(problem, smtp)
    }

    private static func words(_ problem: SMTPDialogue.Problem, _ smtp: SMTPConfiguration) -> (String, String) {
        switch problem {
        case .invalid(let reason):
            ("The dialogue could not begin: \(reason)", "Check smtpURL and the sender.")
        case .unknownHost:
            ("The name \(smtp.host) has no address", "Check the host in smtpURL, and this machine's DNS server.")
        case .noConnection:
            (
                "Nothing accepts connections at \(smtp.host) on port \(smtp.port)",
                "Check host and port in smtpURL, and the firewall. Many providers of machines block port 25; use 587 or 465."
            )
        case .timedOut(let step):
            (
                "\(smtp.server) did not answer in time (\(step))",
                "Check the firewall. A server that expects TLS from the first byte needs smtps:// and usually port 465."
            )
        case .noStartTLS:
            (
                "The server offers no STARTTLS, so neither password nor e-mails may be sent to it",
                "Use its port for submission, usually 587, or smtps:// with port 465. Something between may also have removed "
                    + "the offer."
            )
        case .certificate(let reason):
            (
                "The server's certificate is not accepted: \(reason)",
                "Use the name in smtpURL that the certificate is for. For an authority of your own set smtpCertificates."
            )
        case .authorities:
            ("The file of certificate authorities cannot be read", "Check the setting smtpCertificates.")
        case .handshake:
            (
                "TLS could not be set up",
                "The server must support TLS 1.2 or 1.3. Use smtps:// only for a port that expects TLS from the first byte."
            )
        case .noMechanism:
            (
                "The server offers no login that works with a user name and a password",
                "Enable PLAIN, LOGIN or CRAM-MD5 on the server, or use its port for submission."
            )
        case .noSMTPUTF8:
            (
                "The server accepts no internationalised addresses (SMTPUTF8)",
                "Use another address, or a server that accepts them."
            )
        case .lost(let step):
            ("The connection was lost (\(step))", "Try again. If it repeats, look at the mail server's log.")
        case .rejected(let step, let reply): rejection(step, reply)
        }
    }

    private static func rejection(_ step: SMTPStep, _ reply: SMTPReply) -> (String, String) {
        let words = "\(reply.code) \(reply.text)"
        if reply.refusesSenderDomain {
            let advice = SenderDomainAdvice.text
            return (
                "The server rejects the sender's domain: \(words)",
                "\(advice.prefix(1).uppercased())\(advice.dropFirst())."
            )
        }
        return switch step {
        case .connect, .greeting:
            (
                "The server does not want this connection: \(words)",
                "Ask its operator whether this machine's address is blocked."
            )
        case .hello:
            (
                "The server rejects this machine's name: \(words)",
                "Give a name that it accepts: ?ehlo=auth.example.com in smtpURL."
            )
        case .startTLS: ("The server rejects STARTTLS: \(words)", "Try again later; its TLS may be broken.")
        case .authentication:
            (
                "The server rejects the login: \(words)",
                "Check user and password in smtpURL. Percent-encode special characters. Some providers need a password for apps."
            )
        case .sender where reply.code == 530 && reply.text.contains("STARTTLS"):
            (
                "The server wants an encrypted connection: \(words)",
                "Add ?starttls=required to smtpURL. On this machine, Latchkey uses STARTTLS only if it is told to."
            )
        case .sender:
            (
                "The server rejects the sender: \(words)",
                "mailFrom must be an address that this login may send from; register the domain with the provider."
            )
        case .recipient where (400..<500).contains(reply.code):
            (
                "The server does not accept the recipient now: \(words)",
                "This is temporary, such as greylisting or a full mailbox. The outbox tries again by itself; a test does not. "
                    + "Try again in a few minutes."
            )
        case .recipient:
            (
                "The server rejects the recipient: \(words)",
                "If it speaks of relaying, the login is missing or not enough. Otherwise check the address."
            )
        case .data, .message:
            ("The server rejects the message: \(words)", "Its words say why; it is often a filter for spam or a quota.")
        }
    }
}
