/// The rules that an operator may set: lives, limits and switches.
///
/// Lives are in milliseconds.
package struct Policy: Sendable {
    package var anonymousSignIn = true
    package var emailLinkSignIn = true
    /// Whether nobody may learn if an address has an account (contract, first table).
    package var emailPrivacy = true

    /// How long a sign-in link and its code live, from when their e-mail leaves.
    package var signInLinkLife: Int64 = 10 * 60_000
    /// How much longer a sign-in link is signed for, so that sending its e-mail takes nothing off its life.
    package let signInLinkMargin: Int64 = 60_000
    package var verifyLinkLife: Int64 = 24 * 3_600_000
    package var changeLinkLife: Int64 = 24 * 3_600_000
    package var recoverLinkLife: Int64 = 72 * 3_600_000
    /// Whether the notice of a change also goes to an unproven address, as at Firebase (contract, 3.5).
    package var noticesUnproven = false
    /// A mail whose link has less than this left when it is sent gets a new link.
    package var shortestLinkLife: Int64 = 10 * 60_000
    /// How long a sign-in mail may wait for a dead mail server.
    package var longestMailDelay: Int64 = 24 * 3_600_000
    /// How long a redemption whose reply was lost may be repeated.
    package var repeatLife: Int64 = 10 * 60_000
    /// How long the refresh token before the previous one still yields its successor.
    package var refreshGrace: Int64 = 60_000
    /// How long ago a user may have signed in to change an address or sign-in methods, or to delete the account; 0 for any time.
    package var recentSignIn: Int64 = 15 * 60_000
    /// How long a session lives without being used.
    package var sessionLife: Int64 = 400 * 86_400_000
    /// How long a session lives after the sign-in, however often it is used; 0 for no such end.
    ///
    /// Guests are exempt, because they cannot sign in again.
    package var sessionAbsoluteLife: Int64 = 0
    /// The number of live sessions that a user keeps; beyond it, those whose last use is longest ago end.
    package var sessionsPerUser: Int64 = 100

    /// Per mailbox: addresses are folded.
    package var mailsPerAddress: Limit = .hourly(10)
    package var mailsPerAddressDaily: Limit = .daily(30)
    package var mailsPerClient: Limit = .hourly(60)
    /// How many notices of changed sign-in methods an account gets before further changes are refused.
    package var noticesPerAccount: Limit = .daily(10)
    package var wrongCodesPerTicket: Int64 = 3
    /// How many wrong codes an address takes on the tickets of one asking client.
    package var wrongCodesPerAddress: Limit = .daily(20)
    /// How many wrong codes all nodes together take in a minute, for each of the two breakers.
    package var wrongCodesPerMinute: Int64 = 60
    /// How many wrong addresses may be tried with the links of one ticket.
    package var wrongAddressesPerLink: Int64 = 20
    /// How long a session and a client get no e-mail for an address that answered "This wasn't me"; 0 for not at all.
    package var denialLife: Int64 = 86_400_000
    /// How many addresses may deny a client's requests before the client gets few e-mails.
    package var denialsPerClient: Limit = .hourly(10)
    /// The e-mails that such a client gets for requests without history.
    package var mailsAfterDenials: Limit = .hourly(5)

    /// How often custom tokens may sign one user in: a token is good more than once.
    package var customSignInsPerUser: Limit = .hourly(600)
    /// How many sessions a user may have had for the tokens of where an import came from.
    package var exchangesPerUser: Int64 = 20

    package var reviewAddresses: [ReviewAddress] = []
    /// Who hears of what.
    package var hooks: [HookSubscription] = []
    package var documentMerges = DocumentMergePolicies()
    package var documents = DocumentLimits()
    /// Words that are nobody's username: letters and digits in lower case.
    package var reservedUsernames = ReservedUsernames.standard

    /// The life of a sign-in link as mails and pages say it: minutes to the nearest, at least 2 for the sentences in the plural.
    package var signInLinkMinutes: Int64 { max(2, (signInLinkLife + 30_000) / 60_000) }

    /// The defaults of production.
    package init() {}
}

/// An address that an app's reviewer signs in with: no mail, a fixed code, until a date.
package struct ReviewAddress: Sendable, Equatable {
    /// The canonical address.
    package let email: String
    /// At least 8 characters.
    package let code: String
    /// Milliseconds since 1970.
    package let until: Int64

    /// Makes a review address from its checked parts.
    package init(email: String, code: String, until: Int64) {
        self.email = email
        self.code = code
        self.until = until
    }
}
