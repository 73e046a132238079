package import Tokens

/// What a mailed link is for, and whom it concerns: the stored side of an action code.
///
/// Times are milliseconds since 1970.
package struct StoredActionCode: Sendable, Equatable {
    /// 16 random bytes as base64url.
    ///
    /// Useless without the server's key, which signs them in the link.
    package var id: String
    package var purpose: ActionPurpose
    /// The sign-in ticket it belongs to.
    package var ticket: String?
    /// The user it acts on; `nil` for sign-in, where the address decides.
    package var uid: String?
    /// The session that asked for it.
    package var askingSID: String?
    /// The address it was made for.
    package var email: String
    /// The address to change to.
    package var newEmail: String?
    package var locale: String
    package var continueURL: String?
    package var createdAt: Int64
    package var expiresAt: Int64
    package var usedAt: Int64?
    /// Set where the administrator's key made the code for a user in `administrators`, whose sign-in methods other codes do not
    /// change.
    package var forAdministratorAt: Int64?
    /// What the asking device is, for people; `nil` where it is unknown.
    package var device: String?
    /// The keyed hash of the asking client's network address, for what counts against the asker.
    package var askingClient: String?
    /// Of a recovery code: the mark that the address had when another replaced it (``User/unclaimedSince``).
    package var unclaimedSince: Int64?

    /// A code that is not used yet.
    package init(
        id: String,
        purpose: ActionPurpose,
        ticket: String? = nil,
        uid: String? = nil,
        askingSID: String? = nil,
        email: String,
        newEmail: String? = nil,
        locale: String,
        continueURL: String? = nil,
        createdAt: Int64,
        expiresAt: Int64,
        device: String? = nil,
        askingClient: String? = nil,
        unclaimedSince: Int64? = nil
    ) {
        self.id = id
        self.purpose = purpose
        self.ticket = ticket
        self.uid = uid
        self.askingSID = askingSID
        self.email = email
        self.newEmail = newEmail
        self.locale = locale
        self.continueURL = continueURL
        self.createdAt = createdAt
        self.expiresAt = expiresAt
        self.device = device
        self.askingClient = askingClient
        self.unclaimedSince = unclaimedSince
    }
}

/// What an action code is for.
package typealias ActionPurpose = ActionCode.Purpose

extension ActionCode.Purpose {
    /// The request type that asks for such a code (contract, 1.3); also how it is stored.
    package var requestType: String {
        switch self {
        case .emailSignIn: "EMAIL_SIGNIN"
        case .verifyEmail: "VERIFY_EMAIL"
        case .verifyAndChangeEmail: "VERIFY_AND_CHANGE_EMAIL"
        case .recoverEmail: "RECOVER_EMAIL"
        }
    }

    /// `mode` in a link (contract, 3.14).
    package var mode: String {
        switch self {
        case .emailSignIn: "signIn"
        case .verifyEmail: "verifyEmail"
        case .verifyAndChangeEmail: "verifyAndChangeEmail"
        case .recoverEmail: "recoverEmail"
        }
    }

    /// The purpose that a request type asks for.
    package init?(requestType: String) {
        guard let purpose = Self.allCases.first(where: { $0.requestType == requestType }) else { return nil }
        self = purpose
    }
}
