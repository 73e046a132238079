/// The e-mails that Latchkey sends.
///
/// Each has its templates in `Templates/email/<kind>.*`, but ``signInLink`` has those of ``signIn``.
package enum MailKind: String, Sendable, CaseIterable, Codable {
    case signIn = "sign-in"
    /// ``signIn`` without the sign-in code, for apps that cannot take one.
    ///
    /// An e-mail gets this kind when it is sent; in the outbox it is ``signIn`` with ``QueuedMail/showsCode`` false.
    case signInLink = "sign-in-link"
    case verifyEmail = "verify-email"
    /// Sent to a user's new address, with a link that confirms it.
    case changeEmail = "change-email"
    /// Sent to a user's old address after a change of address: a notice with a recovery link.
    case emailChanged = "email-changed"
    /// Sent to the owner of an address that another user tried to take.
    case emailInUse = "email-in-use"
    /// A notice to the user's address that the user got a sign-in method, with a link that reverts it.
    case methodAdded = "method-added"
    /// A notice that the user lost sign-in methods or the address, with a link that reverts it; sent to the address
    /// that the user had before.
    case methodRemoved = "method-removed"

    /// Whether the e-mail is a notice of a change to the user's account.
    package var isNotice: Bool {
        switch self {
        case .emailChanged, .methodAdded, .methodRemoved: true
        case .signIn, .signInLink, .verifyEmail, .changeEmail, .emailInUse: false
        }
    }
}

/// An e-mail in the outbox: its data, not yet its text.
///
/// It is stored sealed, because it contains a live link.
package struct QueuedMail: Sendable, Equatable, Codable {
    /// 16 bytes as base64url, a time and 80 random bits; becomes the Message-ID, the same in every attempt.
    package var id: String
    package var kind: MailKind
    package var to: String
    package var locale: String
    /// The time zone in which the e-mail writes times, by its name in IANA's database; UTC for `nil`, as in e-mails
    /// that a node of an older version queued.
    package var timeZone: String?
    /// The action code in its wire form, for the link; `nil` if the e-mail has no link.
    package var actionCode: String?
    /// When the link in the e-mail expires, in milliseconds since 1970; `nil` for an e-mail that was queued without a
    /// link.
    package var linkExpiresAt: Int64?
    /// The id of the ticket of a sign-in e-mail; `nil` for other kinds.
    package var ticket: String?
    /// `false` for a sign-in e-mail that shows the link only; otherwise `nil`.
    package var showsCode: Bool?
    /// The user's new address, for e-mails about a change of address; `nil` for other e-mails, and if the address was
    /// removed.
    package var newEmail: String?
    /// What a notice of changed sign-in methods lists, separated by commas: the names of providers, after the old
    /// address if that was changed or removed; `nil` for other e-mails.
    package var methods: String?
    /// The UID of the user that a notice is about; `nil` for e-mails that are not notices.
    package var uid: String?
    /// In the sealed form, the kind of a notice that the released version does not know (``AccountFlows/seal(_:)``);
    /// otherwise `nil`.
    package var noticeKind: MailKind?
    /// The name of the device that asked for the e-mail or made the change; empty if it is unknown.
    package var device: String
    /// The masked address of the account that an e-mail with a link to verify or change an address is about; `nil` if
    /// there is none.
    package var account: String?
    package var continueURL: String?
    /// When the e-mail was put in the outbox, in milliseconds since 1970.
    package var queuedAt: Int64

    /// Makes an e-mail from its parts.
    package init(
        id: String,
        kind: MailKind,
        to: String,
        locale: String,
        timeZone: String? = nil,
        actionCode: String? = nil,
        linkExpiresAt: Int64? = nil,
        ticket: String? = nil,
        showsCode: Bool? = nil,
        newEmail: String? = nil,
        methods: String? = nil,
        uid: String? = nil,
        device: String = "",
        account: String? = nil,
        continueURL: String? = nil,
        queuedAt: Int64
    ) {
        self.id = id
        self.kind = kind
        self.to = to
        self.locale = locale
        self.timeZone = timeZone
        self.actionCode = actionCode
        self.linkExpiresAt = linkExpiresAt
        self.ticket = ticket
        self.showsCode = showsCode
        self.newEmail = newEmail
        self.methods = methods
        self.uid = uid
        self.device = device
        self.account = account
        self.continueURL = continueURL
        self.queuedAt = queuedAt
    }
}
