internal import Accounts
internal import Mail
internal import Tokens
internal import Transfer

/// Sends a test e-mail without the outbox.
package enum MailTest {
    /// Sends one e-mail and reports the whole dialogue with the mail server.
    ///
    /// A rejection, or a mail server that cannot be reached, is reported and not thrown.
    ///
    /// - Throws: ``ConfigurationError`` or ``StartError`` for an invalid configuration or address.
    package static func send(
        to address: String,
        file: String?,
        environment: [String: String]
    ) async throws -> MailTestReport {
        let configuration = try Configuration.load(file: file, environment: environment, secrets: .mail)
        let recipient: EmailAddress
        do { recipient = try EmailAddress(parsing: address) } catch {
            throw ConfigurationError("ADDRESS", "\(address) is not a valid e-mail address")
        }
        let smtp = try configuration.smtp(mailbox: "smtp://\(configuration.mailboxListen)")
        let sender: MailSender
        do { sender = try MailSender(parsing: configuration.mailFrom) } catch {
            throw StartError.invalidMailSender(error.description)
        }
        let mail = try TestMail.compose(
            to: recipient.canonical,
            from: sender,
            messageID: MessageID(mail: try TokenID.random().text, proof: "test").text(domain: sender.domain),
            now: SystemClock.now()
        )
        let dialogue = await SMTPDialogue.hold(smtp, sending: mail)
        let problem = MailAdvice(dialogue, smtp)
        return MailTestReport(
            server: smtp.server,
            accepted: problem == nil,
            answer: dialogue.accepted.map { "\($0.code) \($0.text)" } ?? problem?.message ?? "",
            advice: problem?.advice,
            tls: dialogue.tls,
            dialogue: dialogue.lines.map(\.description)
        )
    }
}
