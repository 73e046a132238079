package import Accounts

extension MailKind {
    /// What the templates of the kind may show, beside the app's name and the time.
    package var placeholders: Set<MailPlaceholder> {
        switch self {
        case .signIn: [.link, .code, .minutes, .device]
        case .verifyEmail: [.link, .email, .hours, .account, .device]
        case .changeEmail: [.link, .newEmail, .hours, .account, .device]
        case .emailChanged: [.link, .newEmail, .days]
        case .emailInUse: [.email, .device]
        }
    }
}

/// The values that differ from mail to mail.
package enum MailPlaceholder: String, Sendable, CaseIterable {
    case link, code, minutes, hours, days, device, account, email, newEmail
}
