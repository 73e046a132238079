/// The step that an e-mail reached, in the order of the dialogue.
package enum SMTPStep: Int, Sendable, Equatable, Comparable, CaseIterable, CustomStringConvertible {
    case connect, greeting, hello, startTLS, authentication, sender, recipient, data, message

    /// Reads the step with which a text about an attempt begins, such as `RCPT: 450` (``SMTPFailure/description``); `nil`
    /// for another text.
    package init?(beginning text: String) {
        let word = text.prefix { $0 != ":" }
        guard word.endIndex != text.endIndex, let step = Self.allCases.first(where: { $0.description == word }) else {
            return nil
        }
        self = step
    }

    package static func < (left: SMTPStep, right: SMTPStep) -> Bool { left.rawValue < right.rawValue }

    package var description: String {
        switch self {
        case .connect: "connect"
        case .greeting: "greeting"
        case .hello: "EHLO"
        case .startTLS: "STARTTLS"
        case .authentication: "AUTH"
        case .sender: "MAIL"
        case .recipient: "RCPT"
        case .data: "DATA"
        case .message: "message"
        }
    }
}
