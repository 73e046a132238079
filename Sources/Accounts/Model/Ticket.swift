package import Tokens

/// Where a ticket stands.
///
/// It only ever moves on: open → approved | spent | ended; expired is open past its time.
package enum TicketState: String, Sendable {
    case open
    case approved
    case spent
    case ended
}

/// Where a ticket's mail stands.
package enum TicketMailState: String, Sendable {
    case queued
    case sent
    case failed
    /// A review address: there is no mail.
    case none
}

/// What a ticket led to, kept so that a lost reply can be repeated.
package struct TicketResult: Sendable, Equatable {
    package var uid: String
    package var sid: String
    package var isNewUser: Bool
    package var linked: Bool
    /// The merge that it led to.
    package var mergeID: String?

    /// Makes a result from its parts.
    package init(uid: String, sid: String, isNewUser: Bool, linked: Bool, mergeID: String? = nil) {
        self.uid = uid
        self.sid = sid
        self.isNewUser = isNewUser
        self.linked = linked
        self.mergeID = mergeID
    }
}

/// One request for a sign-in mail: owns the link and the code, remembers the asking session.
///
/// Times are milliseconds since 1970.
package struct Ticket: Sendable, Equatable {
    /// 16 random bytes as base64url.
    package var id: String
    /// The key that its code and digits are derived with.
    package var keyID: UInt8
    /// The lengths of its code and digits.
    package var codeForm: SignInCodeForm
    package var email: String
    package var state: TicketState
    package var mailState: TicketMailState
    package var asking: AskingDevice
    package var continueURL: String?
    package var wrongCodes: Int64
    /// How many wrong addresses were presented with its links.
    package var wrongAddresses: Int64
    /// When its holder first asked for the outcome.
    package var polledAt: Int64?
    package var createdAt: Int64
    /// When its newest link and its code stop working; a mail that waits has no say in it (``isExpired(at:)``).
    package var expiresAt: Int64
    package var settledAt: Int64?
    /// The action code that spent it; `nil` where the ticket itself did.
    package var settledBy: String?
    /// The session that was presented when it was spent.
    package var presentedSID: String?
    package var result: TicketResult?
    /// Set where the asker was trusted at the request (``AskerStanding/isTrusted``): selects the breaker for its codes.
    package var trustedAt: Int64?
    /// Set where the asking session was judged to be of a recent sign-in, so that the redemption does not judge it again.
    package var judgedAt: Int64?
    /// Set where an administrator's ID token made the ticket's link, without a mail.
    package var mintedAt: Int64?

    /// The breaker that its wrong codes count in.
    package var breaker: CodeBreaker { trustedAt == nil ? .strangers : .known }

    /// A ticket whose mail is about to be queued.
    package init(
        id: String,
        keyID: UInt8,
        email: String,
        mailState: TicketMailState,
        asking: AskingDevice,
        continueURL: String?,
        createdAt: Int64,
        expiresAt: Int64,
        codeForm: SignInCodeForm = .eightDigits,
        trustedAt: Int64? = nil
    ) {
        self.id = id
        self.keyID = keyID
        self.codeForm = codeForm
        self.trustedAt = trustedAt
        self.email = email
        state = .open
        self.mailState = mailState
        self.asking = asking
        self.continueURL = continueURL
        wrongCodes = 0
        wrongAddresses = 0
        self.createdAt = createdAt
        self.expiresAt = expiresAt
    }

    /// Whether its time is over.
    ///
    /// It is not while its mail waits: the mail will carry a fresh link, and sending it sets the ticket's end. A mail that waits
    /// longer than ``Policy/longestMailDelay`` fails, and the ticket with it.
    package func isExpired(at now: Int64) -> Bool {
        mailState != .queued && now > expiresAt
    }
}

/// The device that asked for a sign-in mail, as the page behind the link shows it and as the outcome goes back to it.
package struct AskingDevice: Sendable, Equatable {
    /// The session that was presented with the request, and its user.
    package var sid: String?
    package var uid: String?
    /// A keyed hash of the client's address, for what counts against the asker.
    package var client: String
    /// What it is, for people: `Firefox on Linux`.
    package var name: String
    /// Roughly where it is, where a proxy says so.
    package var place: String?
    /// The language of the mail and its pages.
    package var locale: String

    /// Makes a description of the asking device.
    package init(sid: String?, uid: String?, client: String, name: String, place: String?, locale: String) {
        self.sid = sid
        self.uid = uid
        self.client = client
        self.name = name
        self.place = place
        self.locale = locale
    }
}
