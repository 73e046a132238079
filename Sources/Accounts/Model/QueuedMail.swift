/// The mails that Latchkey sends; each has its templates in `Templates/email/<locale>/<kind>.*`.
package enum MailKind: String, Sendable, CaseIterable, Codable {
    case signIn = "sign-in"
    case verifyEmail = "verify-email"
    /// To the new address, which it asks to confirm.
    case changeEmail = "change-email"
    /// To the old address after a change: a notice with the way back.
    case emailChanged = "email-changed"
    /// To the owner of an address that somebody else tried to take.
    case emailInUse = "email-in-use"
}

/// A mail as it waits in the outbox: what it says, not yet how it is put.
///
/// It is stored sealed, because it holds a live link.
package struct QueuedMail: Sendable, Equatable, Codable {
    /// 16 random bytes as base64url; becomes the Message-ID, the same in every attempt.
    package var id: String
    package var kind: MailKind
    package var to: String
    package var locale: String
    /// The action code in its wire form, for the link.
    package var actionCode: String?
    /// When the link stops working.
    ///
    /// Milliseconds since 1970.
    package var linkExpiresAt: Int64?
    package var ticket: String?
    package var newEmail: String?
    package var device: String
    /// The masked address of the account that the mail is about; `nil` where the account had none.
    package var account: String?
    package var continueURL: String?
    /// Milliseconds since 1970.
    package var queuedAt: Int64

    /// Makes a mail from what it has to say.
    package init(
        id: String,
        kind: MailKind,
        to: String,
        locale: String,
        actionCode: String? = nil,
        linkExpiresAt: Int64? = nil,
        ticket: String? = nil,
        newEmail: String? = nil,
        device: String = "",
        account: String? = nil,
        continueURL: String? = nil,
        queuedAt: Int64
    ) {
        self.id = id
        self.kind = kind
        self.to = to
        self.locale = locale
        self.actionCode = actionCode
        self.linkExpiresAt = linkExpiresAt
        self.ticket = ticket
        self.newEmail = newEmail
        self.device = device
        self.account = account
        self.continueURL = continueURL
        self.queuedAt = queuedAt
    }
}
