package import Accounts

extension MailKind {
    /// The placeholders that templates of the kind may use, besides the app's name and the time.
    package var placeholders: Set<MailPlaceholder> {
        switch self {
        case .signIn: [.link, .code, .email, .minutes, .device]
        case .signInLink: [.link, .email, .minutes, .device]
        case .verifyEmail: [.link, .email, .hours, .account, .device]
        case .changeEmail: [.link, .newEmail, .hours, .account, .device]
        case .emailChanged: [.link, .email, .newEmail, .days, .device]
        case .emailInUse: [.email, .device]
        case .methodAdded, .methodRemoved: [.link, .email, .methods, .days, .device]
        }
    }
}

/// The placeholders of e-mail templates whose values come with the payload: all except the app's name, the time, texts
/// and colors.
package enum MailPlaceholder: String, Sendable, CaseIterable {
    case link, code, minutes, hours, days, device, account, email, newEmail, methods
}
