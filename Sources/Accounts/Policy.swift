/// The rules that an operator may set: lifetimes, limits and switches.
///
/// Lifetimes are in milliseconds.
package struct Policy: Sendable {
    package var anonymousSignIn = true
    package var emailLinkSignIn = true
    /// Whether the API hides whether an address has an account (contract, 3.2 and 3.7).
    ///
    /// This is the configured value. It applies until an administrator stores another one; read the value in force from
    /// ``AccountFlows/projectConfig(in:)``.
    package var emailPrivacy = true

    /// The lifetime of a sign-in link and its code, from when their e-mail is sent, or from when an administrator makes
    /// the link without one.
    package var signInLinkLife: Int64 = 10 * 60_000
    /// The extra time for which a sign-in link is signed, so that sending its e-mail does not shorten its life.
    package let signInLinkMargin: Int64 = 60_000
    package var verifyLinkLife: Int64 = 24 * 3_600_000
    package var changeLinkLife: Int64 = 24 * 3_600_000
    package var recoverLinkLife: Int64 = 72 * 3_600_000
    /// Whether the notice of a changed address also goes to an unproven old address, as at Firebase (contract, 3.5).
    package var noticesUnproven = false
    /// The minimum remaining life of the link of any e-mail but a sign-in e-mail when it is sent; below it, the e-mail
    /// fails.
    ///
    /// A link that lives only briefly needs two thirds of its life instead.
    package var shortestLinkLife: Int64 = 10 * 60_000
    /// The maximum time that a sign-in e-mail may wait for an unreachable mail server, unless ``signInLinkLife`` is
    /// longer.
    package var longestMailDelay: Int64 = 24 * 3_600_000
    /// How long after a sign-in link, code or approval was redeemed the same call may be repeated, because its reply
    /// was lost.
    package var repeatLife: Int64 = 10 * 60_000
    /// How long after a refresh the token from two refreshes earlier still yields its successor, which is the previous
    /// token.
    package var refreshGrace: Int64 = 60_000
    /// The maximum age of a sign-in that may change an address or sign-in methods, or delete the account; 0 for no
    /// maximum.
    package var recentSignIn: Int64 = 15 * 60_000
    /// Whether sessions move here from a project at Firebase (``FirebasePhase``).
    package var movesFromFirebase = false
    /// How long after the switch to ``FirebasePhase/adopt`` a session may begin at Firebase and still move here.
    package var lateSignIns: Int64 = 7 * 86_400_000
    /// How long after its last use a session expires; its beginning and each refresh count as uses.
    package var sessionLife: Int64 = 400 * 86_400_000
    /// The lifetime of a session after the sign-in, regardless of use; 0 for no end.
    ///
    /// Guests are exempt, because they cannot sign in again.
    package var sessionAbsoluteLife: Int64 = 0
    /// How long after its last use a browser session of the account page expires.
    package var accountPageIdleLife: Int64 = 30 * 60_000
    /// How long after its beginning a browser session of the account page expires, regardless of use.
    package var accountPageLife: Int64 = 12 * 3_600_000
    /// The maximum number of a user's live sessions; beyond it, the least recently used sessions end.
    package var sessionsPerUser: Int64 = 100

    /// The number of e-mails that may be requested in an hour for one mailbox, all of whose addresses count together
    /// (``Mailbox``).
    package var mailsPerAddress: Limit = .hourly(10)
    /// The number of e-mails that may be requested for one mailbox in a day.
    package var mailsPerAddressDaily: Limit = .daily(30)
    /// The number of e-mails that a client, known by its network address, may request for all mailboxes together.
    package var mailsPerClient: Limit = .hourly(60)
    /// The number of notices of a changed address or sign-in methods that a user's own changes may cause; beyond it,
    /// changes that need a notice are refused.
    package var noticesPerAccount: Limit = .daily(10)
    package var wrongCodesPerTicket: Int64 = 3
    /// The number of wrong sign-in codes that may be tried for an address on the tickets that one client requested;
    /// from that number on, no code is accepted for these tickets.
    package var wrongCodesPerAddress: Limit = .daily(20)
    /// The number of wrong sign-in codes in a minute, counted over all nodes for each ``CodeBreaker``, from which on no
    /// code is accepted until the minute ends.
    package var wrongCodesPerMinute: Int64 = 60
    /// The number of wrong addresses that may be tried with the links of one ticket, before its links are refused.
    package var wrongAddressesPerLink: Int64 = 20
    /// How long a session and a client get no e-mail for an address that answered "This wasn't me" to their request; 0
    /// disables the rule.
    ///
    /// A client is exempt if the address has signed in from it.
    package var denialLife: Int64 = 86_400_000
    /// The number of addresses that may answer "This wasn't me" to a client's requests; from that number on, the client
    /// gets few e-mails (``mailsAfterDenials``).
    package var denialsPerClient: Limit = .hourly(10)
    /// The number of e-mails that a client beyond ``denialsPerClient`` gets for requests without history
    /// (``AskerStanding/hasHistory``).
    package var mailsAfterDenials: Limit = .hourly(5)

    /// The number of sign-ins of one user by custom tokens, each of which can be used more than once.
    package var customSignInsPerUser: Limit = .hourly(600)
    /// The maximum number of sessions that a user may open by exchanging tokens of the system they were imported from.
    package var exchangesPerUser: Int64 = 20

    /// Whether e-mail links open the operator's app on the devices that it is made for.
    package var linksOpenApps = false
    /// The addresses and domains that the operator blocks or admits.
    package var addressLists = AddressLists()
    package var reviewAddresses: [ReviewAddress] = []
    /// The configured hooks and the events that they subscribe to.
    package var hooks: [HookSubscription] = []
    package var documentMerges = DocumentMergePolicies()
    package var documents = DocumentLimits()
    /// Words that cannot be usernames: letters and digits in lower case.
    package var reservedUsernames = ReservedUsernames.standard

    /// The lifetime of a sign-in link as e-mails and pages state it: rounded to minutes, at least 2 because the
    /// sentences use the plural.
    package var signInLinkMinutes: Int64 { max(2, (signInLinkLife + 30_000) / 60_000) }

    /// Makes the defaults of production.
    package init() {}
}

/// An address that an app's reviewer signs in with: no e-mail, a fixed code, until a date.
package struct ReviewAddress: Sendable, Equatable {
    /// The reviewer's e-mail address in canonical form.
    package let email: String
    /// The fixed code that signs in instead of an e-mailed one; at least 8 characters.
    package let code: String
    /// When the address stops being a review address, in milliseconds since 1970.
    package let until: Int64

    /// Makes a review address from its checked parts.
    package init(email: String, code: String, until: Int64) {
        self.email = email
        self.code = code
        self.until = until
    }
}
