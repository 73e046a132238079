/// The parameters of `MAIL FROM`, besides the sender.
package struct MailOptions: Sendable, Equatable {
    /// `SIZE=`: the announced size of the message in octets (RFC 1870); nil if none was announced.
    package var declaredSize: Int?
    /// Whether `BODY=8BITMIME` was given (RFC 6152).
    package var isEightBit = false
    /// Whether `SMTPUTF8` was given (RFC 6531).
    package var isInternational = false

    /// Reads the parameters of a MAIL command.
    ///
    /// - Parameters:
    ///   - parameters: the words after the path.
    ///   - maximumSize: the largest message taken, in octets.
    /// - Throws: the refusal: 555 for an unknown key, 501 for a bad value, 552 for a message announced as too big.
    package init(_ parameters: SMTPParameters, maximumSize: Int) throws(SMTPCommand.Refusal) {
        for item in parameters.items {
            switch (item.key, item.value) {
            case ("SIZE", .some(let value)):
                // Twenty digits at most (RFC 1870 §3), which may still overflow an integer. Such a size is too big in
                // any case.
                guard value.utf8.count <= 20, value.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else {
                    throw SMTPCommand.Refusal(.badSyntax)
                }
                guard let size = Int(value), size <= maximumSize else { throw SMTPCommand.Refusal(.tooBig) }
                declaredSize = size
            case ("BODY", .some(let value)):
                switch value.uppercased() {
                case "7BIT": isEightBit = false
                case "8BITMIME": isEightBit = true
                default: throw SMTPCommand.Refusal(.badSyntax)
                }
            case ("SMTPUTF8", .none): isInternational = true
            case ("SIZE", _), ("BODY", _), ("SMTPUTF8", _): throw SMTPCommand.Refusal(.badSyntax)
            default: throw SMTPCommand.Refusal(.unknownParameter)
            }
        }
    }
}
