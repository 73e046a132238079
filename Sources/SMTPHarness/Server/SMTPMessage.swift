/// A message that the server took.
package struct SMTPMessage: Sendable, Equatable, Identifiable {
    /// Unique within the server, and what the client was told: "queued as 17.2".
    package let id: String
    /// Its place in the order of arrival, from 1; never given twice.
    package let sequence: Int
    /// The envelope's sender without angle brackets; empty for the null reverse-path.
    package let sender: String
    /// The envelope's recipients in the order in which they were taken.
    package let recipients: [String]
    /// When the final dot came, in milliseconds since 1970.
    package let receivedAt: Int64
    /// The message byte for byte, without stuffed dots and final dot.
    package let raw: [UInt8]
    /// SIZE, BODY and SMTPUTF8 of the MAIL command.
    package let options: MailOptions
    /// Whether a CR or LF stood alone in the message, which no sender may do.
    package let hasBareLineEnds: Bool
    /// The connection on which it came: TLS, user, the client's name and address.
    package let session: SMTPSessionFacts

    init(_ submission: SMTPSubmission, sequence: Int, receivedAt: Int64) {
        id = submission.id
        self.sequence = sequence
        sender = submission.sender
        recipients = submission.recipients
        self.receivedAt = receivedAt
        raw = submission.raw
        options = submission.options
        hasBareLineEnds = submission.hasBareLineEnds
        session = submission.session
    }

    /// Whether the message went to an address, compared without case.
    ///
    /// - Parameter address: The recipient's address.
    package func isAddressed(to address: String) -> Bool {
        recipients.contains { $0.lowercased() == address.lowercased() }
    }
}
