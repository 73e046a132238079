internal import Accounts
package import Transfer

/// Composes e-mails, with headers and bodies, from their payloads and the templates.
package struct MailComposer: Sendable {
    /// The reason why an e-mail cannot be composed.
    ///
    /// The description contains no address, and none of the values that the templates show.
    package struct Failure: Error, Sendable, Equatable, CustomStringConvertible {
        package let description: String
    }

    package let sender: MailSender
    package let appName: HeaderText
    package let templates: EmailTemplates
    /// Returns the server's public URL, with which the URLs of images start.
    private let publicURL: @Sendable () -> String

    /// Creates a composer.
    ///
    /// - Parameters:
    ///   - sender: the sender of the e-mails.
    ///   - appName: the name of the app that users sign in to.
    ///   - templates: the e-mails in all languages.
    ///   - publicURL: returns the server's public URL, with which the URLs of images start.
    package init(
        sender: MailSender,
        appName: HeaderText,
        templates: EmailTemplates,
        publicURL: @escaping @Sendable () -> String = { "" }
    ) {
        self.sender = sender
        self.appName = appName
        self.templates = templates
        self.publicURL = publicURL
    }

    /// Composes an e-mail; the same payload gives the same e-mail in every attempt.
    ///
    /// - Throws: ``Failure`` if a template cannot be rendered, or the recipient's address or the resulting e-mail is
    ///   invalid.
    package func compose(_ payload: MailPayload) throws(Failure) -> SMTPMail {
        let rendered: RenderedMail
        do throws(TemplateError) {
            rendered = try templates.render(payload, appName: appName.text, publicURL: publicURL())
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

    /// Makes an e-mail from its two bodies, with headers and the envelope.
    ///
    /// - Throws: ``Failure`` if the recipient's address or the resulting e-mail is invalid.
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
            // Prevents automatic replies: RFC 3834 section 5, and Exchange's own header.
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
