internal import Accounts
internal import Mail
internal import Tokens
internal import Transfer

/// Sends a test e-mail without the outbox.
package enum MailTest {
    /// Sends one e-mail and reports the mail server's answer.
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
            throw ConfigurationError(problems: ["\(address) is not a valid e-mail address"])
        }
        let smtp = try configuration.smtp(mailbox: "smtp://\(configuration.mailboxListen)")
        let sender: MailSender
        do { sender = try MailSender(parsing: configuration.mailFrom) } catch {
            throw StartError.invalidMailSender(error.description)
        }
        let mail = try TestMail.compose(
            to: recipient.canonical,
            from: sender,
            messageID: MessageID.make(random: try TokenID.random().bytes, domain: sender.domain),
            now: SystemClock.now()
        )
        let client = SMTPClient(smtp)
        let result = await client.send(mail)
        await client.close()
        return switch result {
        case .accepted(let reply):
            MailTestReport(server: smtp.server, accepted: true, answer: "\(reply.code) \(reply.text)")
        case .failed(let failure):
            MailTestReport(
                server: smtp.server,
                accepted: false,
                answer: failure.description,
                advice: failure.refusesSenderDomain ? SenderDomainAdvice.text : nil
            )
        }
    }
}
