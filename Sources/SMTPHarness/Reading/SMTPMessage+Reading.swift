/// What `latchkey mailbox` and the mailbox page show of a message.
extension SMTPMessage {
    /// The message taken apart.
    ///
    /// Does the work anew at each call.
    package var parsed: ReceivedMessage { ReceivedMessage(raw: raw) }

    /// A few lines for a terminal: number, envelope, subject, links; free of control characters.
    package var summary: String {
        let mail = parsed
        let envelope = "\(sender.isEmpty ? "<>" : sender) → \(recipients.joined(separator: ", "))"
        var lines = ["#\(sequence)  \(DisplayText.clean(envelope))", "    \(mail.subject)"]
        // A text of a stranger may hold any number of links.
        lines += mail.links.prefix(5).map { "    " + $0 }
        return lines.joined(separator: "\n")
    }
}
