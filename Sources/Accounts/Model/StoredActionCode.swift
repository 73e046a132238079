package import Tokens

/// The stored part of an action code: the purpose of an e-mail link, and the user or address it applies to.
///
/// Times are milliseconds since 1970.
package struct StoredActionCode: Sendable, Equatable {
    /// 16 bytes as base64url: a time and 80 random bits.
    ///
    /// The id is no secret: a link also needs a signature with the server's key.
    package var id: String
    package var purpose: ActionPurpose
    /// The id of the sign-in ticket that the code belongs to; `nil` for other purposes.
    package var ticket: String?
    /// The UID of the user whom the code changes; `nil` for sign-in, where the address decides.
    package var uid: String?
    /// The `sid` of the user's session that asked for the code; `nil` for sign-in, for notices, and if an administrator
    /// asked without a session.
    package var askingSID: String?
    /// The address to sign in or verify, to replace (for a change), to restore (for a recovery), or that got the notice
    /// of changed sign-in methods.
    package var email: String
    /// For a change, the address to change to; for a recovery, the address that replaced ``email``, if any.
    package var newEmail: String?
    package var locale: String
    /// The time zone of the e-mail and its pages, by its name in IANA's database; UTC for `nil`, and for sign-in, where
    /// the ticket has it.
    package var timeZone: String?
    package var continueURL: String?
    package var createdAt: Int64
    package var expiresAt: Int64
    /// When the code was used or ended; `nil` until then.
    package var usedAt: Int64?
    /// When the administrator's key (``AdministratorAuthority/key``) requested the code for a user in the setting
    /// `administrators`; `nil` for all other codes.
    ///
    /// A code without this mark is refused if it would verify, change or recover the address of a user in the setting
    /// `administrators`.
    package var forAdministratorAt: Int64?
    /// The description of the device that asked for the code, for people; `nil` if unknown, for sign-in, where the
    /// ticket has it, and for notices.
    package var device: String?
    /// The keyed hash of the network address of the client that requested the e-mail, against which a denial counts;
    /// `nil` for sign-in, where the ticket has it, for notices, and for links that an administrator makes.
    package var askingClient: String?
    /// For a recovery code, the ``User/unclaimedSince`` that ``email`` had when it was replaced or removed; `nil` for
    /// other codes.
    package var unclaimedSince: Int64?
    /// The id of the e-mail that contains the link; `nil` for links that an administrator makes.
    package var mail: String?

    /// Makes an unused code.
    package init(
        id: String,
        purpose: ActionPurpose,
        ticket: String? = nil,
        uid: String? = nil,
        askingSID: String? = nil,
        email: String,
        newEmail: String? = nil,
        locale: String,
        timeZone: String? = nil,
        continueURL: String? = nil,
        createdAt: Int64,
        expiresAt: Int64,
        device: String? = nil,
        askingClient: String? = nil,
        unclaimedSince: Int64? = nil,
        mail: String? = nil
    ) {
        self.id = id
        self.purpose = purpose
        self.ticket = ticket
        self.uid = uid
        self.askingSID = askingSID
        self.email = email
        self.newEmail = newEmail
        self.locale = locale
        self.timeZone = timeZone
        self.continueURL = continueURL
        self.createdAt = createdAt
        self.expiresAt = expiresAt
        self.device = device
        self.askingClient = askingClient
        self.unclaimedSince = unclaimedSince
        self.mail = mail
    }
}

/// The purpose of an action code.
package typealias ActionPurpose = ActionCode.Purpose

extension ActionCode.Purpose {
    /// The request type that asks for such a code (contract, 3.2); also the stored form.
    package var requestType: String {
        switch self {
        case .emailSignIn: "EMAIL_SIGNIN"
        case .verifyEmail: "VERIFY_EMAIL"
        case .verifyAndChangeEmail: "VERIFY_AND_CHANGE_EMAIL"
        case .recoverEmail: "RECOVER_EMAIL"
        case .revertMethodChange: "REVERT_METHOD_CHANGE"
        }
    }

    /// `mode` in a link (contract, 3.14).
    package var mode: String {
        switch self {
        case .emailSignIn: "signIn"
        case .verifyEmail: "verifyEmail"
        case .verifyAndChangeEmail: "verifyAndChangeEmail"
        case .recoverEmail: "recoverEmail"
        case .revertMethodChange: "revertMethodChange"
        }
    }

    /// Makes the purpose of a request type (``requestType``); `nil` for an unknown text.
    package init?(requestType: String) {
        guard let purpose = Self.allCases.first(where: { $0.requestType == requestType }) else { return nil }
        self = purpose
    }
}
