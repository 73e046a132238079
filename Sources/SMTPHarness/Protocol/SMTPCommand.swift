/// One parsed command line, not yet checked against the session (RFC 5321 §4.1.1).
package enum SMTPCommand: Sendable, Equatable {
    case helo(String)
    case ehlo(String)
    case mail(SMTPPath, SMTPParameters)
    case recipient(SMTPPath, SMTPParameters)
    case data
    case reset
    case noop
    case verify
    case help
    case quit
    case startTLS
    case auth(mechanism: String, initialResponse: [UInt8]?)
    case notSupported

    /// Reads a line.
    ///
    /// - Parameter line: the bytes before CR LF.
    /// - Throws: the reply that reports the error.
    package init(parsing line: [UInt8]) throws(Refusal) {
        guard !line.contains(where: { $0 < 0x20 && $0 != 0x09 || $0 == 0x7f }) else { throw Refusal(.badLineEnd) }
        let space = line.firstIndex(of: 0x20) ?? line.endIndex
        let argument = Self.trimmed(line[min(space + 1, line.endIndex)...])
        switch String(decoding: line[..<space], as: UTF8.self).uppercased() {
        case "HELO": self = .helo(try Self.clientName(argument))
        case "EHLO": self = .ehlo(try Self.clientName(argument))
        case "MAIL":
            let (path, parameters) = try Self.path(argument, after: "FROM:", allowsNull: true, bad: .badSender)
            self = .mail(path, parameters)
        case "RCPT":
            let (path, parameters) = try Self.path(argument, after: "TO:", allowsNull: false, bad: .badRecipient)
            self = .recipient(path, parameters)
        case "DATA": self = try Self.bare(.data, argument)
        case "RSET": self = try Self.bare(.reset, argument)
        case "QUIT": self = try Self.bare(.quit, argument)
        case "STARTTLS": self = try Self.bare(.startTLS, argument)
        case "NOOP": self = .noop
        case "HELP": self = .help
        case "VRFY":
            guard !argument.isEmpty else { throw Refusal(.badSyntax) }
            self = .verify
        case "AUTH": self = try Self.auth(argument)
        case "EXPN", "TURN", "ETRN", "BDAT", "SEND", "SOML", "SAML": self = .notSupported
        default: throw Refusal(.unrecognised)
        }
    }

    /// An invalid command line, with its reply.
    package struct Refusal: Error, Sendable, Equatable {
        /// The reply to the client.
        package let reply: SMTPReply

        init(_ reply: SMTPReply) { self.reply = reply }
    }

    private static func bare(_ command: SMTPCommand, _ argument: ArraySlice<UInt8>) throws(Refusal) -> SMTPCommand {
        guard argument.isEmpty else { throw Refusal(.badSyntax) }
        return command
    }

    private static func clientName(_ argument: ArraySlice<UInt8>) throws(Refusal) -> String {
        guard !argument.isEmpty, argument.count <= 255, !argument.contains(0x20),
            let name = String(validating: argument, as: UTF8.self)
        else { throw Refusal(.badSyntax) }
        return name
    }

    private static func path(
        _ argument: ArraySlice<UInt8>,
        after keyword: String,
        allowsNull: Bool,
        bad: SMTPReply
    ) throws(Refusal) -> (SMTPPath, SMTPParameters) {
        let head = argument.prefix(keyword.utf8.count)
        guard String(decoding: head, as: UTF8.self).uppercased() == keyword else { throw Refusal(.badSyntax) }
        guard let (path, rest) = SMTPPath.read(argument[head.endIndex...], allowsNull: allowsNull) else {
            throw Refusal(bad)
        }
        guard rest.isEmpty || rest.first == 0x20 else { throw Refusal(bad) }
        guard let parameters = SMTPParameters(parsing: rest) else { throw Refusal(.badSyntax) }
        return (path, parameters)
    }

    private static func auth(_ argument: ArraySlice<UInt8>) throws(Refusal) -> SMTPCommand {
        let words = argument.split(separator: 0x20, omittingEmptySubsequences: false)
        guard let first = words.first, !first.isEmpty, words.count <= 2 else { throw Refusal(.badSyntax) }
        let mechanism = String(decoding: first, as: UTF8.self).uppercased()
        guard words.count == 2 else { return .auth(mechanism: mechanism, initialResponse: nil) }
        // "=" stands for an initial response of no bytes (RFC 4954 §4).
        let response = words[1].elementsEqual([UInt8(ascii: "=")]) ? [] : Array(words[1])
        return .auth(mechanism: mechanism, initialResponse: response)
    }

    private static func trimmed(_ bytes: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        var bytes = bytes
        while let last = bytes.last, last == 0x20 || last == 0x09 { bytes.removeLast() }
        return bytes
    }
}
