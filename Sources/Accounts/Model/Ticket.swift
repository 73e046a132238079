package import Tokens

/// The state of a ticket.
///
/// It only moves forward: an open ticket is approved, spent or ended, and an approved one is spent or ended. Expiry is
/// no state (``Ticket/isExpired(at:)``).
package enum TicketState: String, Sendable {
    case open
    /// The page behind the link approved the sign-in on the device that asked.
    case approved
    /// The ticket was redeemed, by its link, its code or its approval.
    case spent
    /// The ticket was stopped by a denial, by wrong digits or by wrong codes.
    case ended
}

/// The state of a ticket's e-mail.
package enum TicketMailState: String, Sendable {
    case queued
    case sent
    case failed
    /// There is no e-mail: the address is a review address, or an administrator made the link.
    case none
}

/// The result of a ticket, kept so that a lost reply can be repeated.
package struct TicketResult: Sendable, Equatable {
    package var uid: String
    package var sid: String
    package var isNewUser: Bool
    package var linked: Bool
    /// The id of the merge that the redemption caused; `nil` if it caused none.
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

/// A request for a sign-in e-mail: owns the link and the code, and remembers the asking session.
///
/// Times are milliseconds since 1970.
package struct Ticket: Sendable, Equatable {
    /// 16 bytes as base64url: a time and 80 random bits.
    ///
    /// It is public: the answer to the request and the links contain it. No call accepts it without its signature
    /// (`TicketToken`), and the ticket's code and digits are keyed with the server's secret.
    package var id: String
    /// The id of the secret that derives the ticket's code and digits.
    package var keyID: UInt8
    /// The lengths of the ticket's code and digits.
    package var codeForm: SignInCodeForm
    package var email: String
    package var state: TicketState
    package var mailState: TicketMailState
    package var asking: AskingDevice
    package var continueURL: String?
    package var wrongCodes: Int64
    /// The number of wrong addresses that were presented with the ticket's links since the last e-mail that its reader
    /// requested.
    package var wrongAddresses: Int64
    /// When the device that asked first polled for the approval; `nil` if it has not, or not since a new e-mail
    /// replaced an expired one.
    package var polledAt: Int64?
    package var createdAt: Int64
    /// When the ticket's newest link and its code expire, except while an e-mail is queued (``isExpired(at:)``).
    package var expiresAt: Int64
    /// When the ticket entered its current state; `nil` while it is open.
    package var settledAt: Int64?
    /// The id of the action code whose link spent the ticket, or with which the owner of the mailbox denied it; `nil` if
    /// the code or the approval spent it, or wrong digits or codes ended it.
    package var settledBy: String?
    /// The `sid` of the session that the redemption by link presented, or that had requested the ticket if the code or
    /// the approval spent it; `nil` if there was none, and until the ticket is spent.
    package var presentedSID: String?
    /// What the redemption returned; `nil` until the ticket is spent.
    package var result: TicketResult?
    /// The time of the request if its asker was trusted (``AskerStanding/isTrusted``), otherwise `nil`; selects the
    /// ``breaker``.
    package var trustedAt: Int64?
    /// The time of the request if the asking session was found to have a recent sign-in or an administrator made the
    /// request, otherwise `nil`; if set, the redemption for the asking user does not check the sign-in again.
    package var judgedAt: Int64?
    /// When an administrator's ID token made the ticket's link, without an e-mail; `nil` for all other tickets.
    ///
    /// A link of a ticket with this mark never signs in to an account in the setting `administrators`.
    package var mintedAt: Int64?
    /// The time of the request if its e-mails show the link only, because the client that asked cannot take a code;
    /// otherwise `nil`.
    package var linkOnlyAt: Int64?

    /// The breaker that counts wrong codes for the ticket: ``CodeBreaker/known`` if ``trustedAt`` is set.
    package var breaker: CodeBreaker { trustedAt == nil ? .strangers : .known }

    /// Makes an open ticket.
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

    /// Whether the ticket has expired.
    ///
    /// A ticket does not expire while its e-mail is queued, because sending the e-mail sets the ticket's end. An e-mail
    /// that waits too long (``Policy/longestMailDelay``) fails, and the ticket with it.
    package func isExpired(at now: Int64) -> Bool {
        mailState != .queued && now > expiresAt
    }
}

/// The device that asked for a sign-in e-mail, described for the page behind the link.
package struct AskingDevice: Sendable, Equatable {
    /// The `sid` of the session that was presented with the request; `nil` without one.
    package var sid: String?
    /// The UID of the session's user; `nil` without a session.
    package var uid: String?
    /// The keyed hash of the client's network address, against which denials and wrong codes count.
    package var client: String
    /// The device's description for people, such as `Firefox · Linux`; empty if the request does not reveal it.
    package var name: String
    /// The device's approximate location, for people; `nil` unless a trusted proxy provides it.
    package var place: String?
    /// The language of the e-mail and its pages.
    package var locale: String
    /// The time zone of the e-mail and its pages, by its name in IANA's database; UTC for `nil`.
    package var timeZone: String?

    /// Makes a description of the asking device.
    package init(
        sid: String?,
        uid: String?,
        client: String,
        name: String,
        place: String?,
        locale: String,
        timeZone: String? = nil
    ) {
        self.sid = sid
        self.uid = uid
        self.client = client
        self.name = name
        self.place = place
        self.locale = locale
        self.timeZone = timeZone
    }
}
