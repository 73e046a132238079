/// The kinds of mail; each is three template files and a line for the preview in every language.
package enum MailKind: String, Sendable, CaseIterable, Codable {
    /// The sign-in link and code.
    case signIn = "sign-in"
    /// The link that confirms an account's own address.
    case verifyEmail = "verify-email"
    /// The link, sent to a new address, that makes it the account's.
    case changeEmail = "change-email"
    /// The notice to the old address, with the link that takes the change back.
    case emailChanged = "email-changed"
    /// Told to an address that somebody wanted for a second account.
    case emailInUse = "email-in-use"

    /// What the templates of the kind may show, beside the app's name and the time.
    package var placeholders: Set<MailPlaceholder> {
        switch self {
        case .signIn: [.link, .code, .minutes, .device]
        case .verifyEmail: [.link, .email, .hours]
        case .changeEmail: [.link, .newEmail, .hours]
        case .emailChanged: [.link, .newEmail, .days]
        case .emailInUse: [.email, .device]
        }
    }
}

/// The values that differ from mail to mail.
package enum MailPlaceholder: String, Sendable, CaseIterable, Codable, CodingKeyRepresentable {
    case link, code, minutes, hours, days, device, email, newEmail
}
