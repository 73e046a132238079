internal import Accounts
package import Transfer

/// Makes a mail out of what the outbox holds.
package struct MailComposer: Sendable {
    /// Why a mail cannot be made; it names no address and no value.
    package struct Failure: Error, Sendable, Equatable, CustomStringConvertible {
        package let description: String
    }

    package let sender: MailSender
    package let appName: HeaderText
    package let templates: EmailTemplates

    /// - Parameters:
    ///   - sender: who the mails are from.
    ///   - appName: the name of the app that people sign in to.
    ///   - templates: the mails in all languages.
    package init(sender: MailSender, appName: HeaderText, templates: EmailTemplates) {
        self.sender = sender
        self.appName = appName
        self.templates = templates
    }

    /// Composes a mail: the same for the same payload, in every attempt.
    package func compose(_ payload: MailPayload) throws(Failure) -> SMTPMail {
        let rendered: RenderedMail
        do throws(TemplateError) {
            rendered = try templates.render(payload, appName: appName.text)
        } catch {
            throw Failure(description: "\(error)")
        }
        return try Self.mail(
            from: sender,
            to: payload.to,
            subject: rendered.subject,
            text: rendered.text,
            html: rendered.html,
            messageID: payload.messageID,
            time: MailTime(milliseconds: payload.queuedAt)
        )
    }

    /// Puts headers and envelope around a body.
    static func mail(
        from sender: MailSender,
        to recipient: String,
        subject: String,
        text: String,
        html: String,
        messageID: String,
        time: MailTime
    ) throws(Failure) -> SMTPMail {
        guard let address = try? EmailAddress(parsing: recipient).canonical else {
            throw Failure(description: "the recipient's address is not valid")
        }
        let headers = [
            "Date: \(time.header)",
            HeaderField.mailbox("From", displayName: sender.displayName, address: sender.address),
            HeaderField.mailbox("To", displayName: nil, address: address),
            HeaderField.unstructured("Subject", HeaderText(cleaning: subject)),
            "Message-ID: \(messageID)",
            "MIME-Version: 1.0",
            // RFC 3834 section 5, and what Exchange wants instead: no automatic answer comes back.
            "Auto-Submitted: auto-generated",
            "X-Auto-Response-Suppress: All",
        ]
        do throws(TransferError) {
            return try SMTPMail(
                sender: sender.address,
                recipients: [address],
                headers: headers,
                text: text,
                html: html
            )
        } catch {
            throw Failure(description: "\(error)")
        }
    }
}
