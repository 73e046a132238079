/// What `latchkey mailbox` and the mailbox page show of a message.
extension SMTPMessage {
    /// The message parsed for display.
    ///
    /// Each access parses the message again.
    package var parsed: ReceivedMessage { ReceivedMessage(raw: raw) }

    /// A few lines for a terminal: number, envelope, subject and the first five links, without control characters.
    package var summary: String {
        let mail = parsed
        let envelope = "\(sender.isEmpty ? "<>" : sender) → \(recipients.joined(separator: ", "))"
        var lines = ["#\(sequence)  \(DisplayText.clean(envelope))", "    \(mail.subject)"]
        // A text from an untrusted sender may contain any number of links.
        lines += mail.links.prefix(5).map { "    " + $0 }
        return lines.joined(separator: "\n")
    }
}
