/// A message that the server accepted.
package struct SMTPMessage: Sendable, Equatable, Identifiable {
    /// The message's ID, unique within the server, as in the reply to the client: "queued as 17.2".
    package let id: String
    /// The message's number in the order of arrival, from 1; never used twice.
    package let sequence: Int
    /// The envelope's sender without angle brackets; empty for the null reverse-path.
    package let sender: String
    /// The envelope's recipients in the order in which they were accepted.
    package let recipients: [String]
    /// When the final dot came, in milliseconds since 1970.
    package let receivedAt: Int64
    /// The message byte for byte, without stuffed dots and final dot.
    package let raw: [UInt8]
    /// SIZE, BODY and SMTPUTF8 of the MAIL command.
    package let options: MailOptions
    /// Whether the message contains a lone CR or LF, which no sender may send.
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
    /// - Parameter address: the recipient's address.
    /// - Returns: whether it is among the envelope's recipients.
    package func isAddressed(to address: String) -> Bool {
        recipients.contains { $0.lowercased() == address.lowercased() }
    }
}
