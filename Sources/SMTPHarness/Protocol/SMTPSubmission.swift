/// A message that a session has accepted, with its envelope.
package struct SMTPSubmission: Sendable, Equatable {
    /// The message's ID, unique within the server: connection number and a count, as in "queued as 17.2".
    package let id: String
    /// The sender without angle brackets; empty for the null reverse-path.
    package let sender: String
    /// The recipients, in the order in which they were accepted.
    package let recipients: [String]
    /// The parameters of the MAIL command.
    package let options: MailOptions
    /// The message, without the stuffed dots and the final dot, otherwise byte for byte.
    package let raw: [UInt8]
    /// Whether the message contains a lone CR or LF.
    package let hasBareLineEnds: Bool
    /// The facts about the connection on which the message came.
    package let session: SMTPSessionFacts
}
