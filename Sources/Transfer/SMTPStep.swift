/// The step that an e-mail reached, in the order of the dialogue.
package enum SMTPStep: Int, Sendable, Equatable, Comparable, CustomStringConvertible {
    case connect, greeting, hello, startTLS, authentication, sender, recipient, data, message

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
