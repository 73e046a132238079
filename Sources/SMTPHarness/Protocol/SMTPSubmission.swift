/// A message as a session hands it over: what the client said and sent, nothing else.
package struct SMTPSubmission: Sendable, Equatable {
    /// Unique within the server: connection number and a count, as in "queued as 17.2".
    package let id: String
    /// The sender without angle brackets; empty for the null reverse-path.
    package let sender: String
    /// The recipients in the order in which they were taken.
    package let recipients: [String]
    /// What came with the sender.
    package let options: MailOptions
    /// The message, without the stuffed dots and the final dot, otherwise byte for byte.
    package let raw: [UInt8]
    /// Whether a CR or LF stood alone in it.
    package let hasBareLineEnds: Bool
    /// The connection it came on.
    package let session: SMTPSessionFacts
}
