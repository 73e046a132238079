package import Transfer

/// The mail of `latchkey mail test`: plain words that prove the configuration.
package enum TestMail {
    /// Composes the test mail.
    ///
    /// - Parameters:
    ///   - recipient: the operator's address.
    ///   - sender: who the mails are from.
    ///   - messageID: made by `MessageID.make`.
    ///   - now: milliseconds since 1970.
    /// - Returns: the mail, ready to send.
    /// - Throws: `MailComposer.Failure` if an address cannot be mailed to.
    package static func compose(
        to recipient: String,
        from sender: MailSender,
        messageID: String,
        now: Int64
    ) throws(MailComposer.Failure) -> SMTPMail {
        let time = MailTime(milliseconds: now)
        let words = "This is a test. If you can read it, Latchkey can send mail."
        return try MailComposer.mail(
            from: sender,
            to: recipient,
            subject: "Latchkey can send mail · \(time.text)",
            text: words + "\n",
            html: "<!DOCTYPE html>\n<html lang=\"en\" dir=\"ltr\">\n<head><title>Latchkey</title></head>\n"
                + "<body><p>\(words)</p></body>\n</html>\n",
            messageID: messageID,
            time: time
        )
    }
}
