package import Transfer

/// The e-mail that `latchkey mail test` sends, so that operators can check the configuration of e-mail delivery.
package enum TestMail {
    /// Composes the test e-mail.
    ///
    /// - Parameters:
    ///   - recipient: the operator's address.
    ///   - sender: the sender of the e-mails.
    ///   - messageID: a Message-ID, made by `MessageID.make`.
    ///   - now: the e-mail's time, in milliseconds since 1970.
    /// - Returns: the e-mail, ready to send.
    /// - Throws: `MailComposer.Failure` if the recipient's address or the resulting e-mail is invalid.
    package static func compose(
        to recipient: String,
        from sender: MailSender,
        messageID: String,
        now: Int64
    ) throws(MailComposer.Failure) -> SMTPMail {
        let time = MailTime(milliseconds: now)
        let words = "This is a test. If you can read it, Latchkey can send e-mail."
        return try MailComposer.mail(
            from: sender,
            to: recipient,
            subject: "Latchkey can send e-mail · \(time.text)",
            text: words + "\n",
            html: "<!DOCTYPE html>\n<html lang=\"en\" dir=\"ltr\">\n<head><title>Latchkey</title></head>\n"
                + "<body><p>\(words)</p></body>\n</html>\n",
            messageID: messageID,
            time: time
        )
    }
}
