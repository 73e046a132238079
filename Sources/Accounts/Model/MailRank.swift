/// The place of an e-mail in the outbox: of each kind, workers take the lowest rank first.
///
/// The database stores it as one integer, ``value``: the kind in the upper bits, the time below.
package struct MailRank: Sendable, Equatable {
    /// What an e-mail is, as far as its turn depends on it.
    package enum Kind: Int64, Sendable, CaseIterable {
        /// A security notice: always first.
        case notice = 0
        /// Asked for by a client with history, or by an administrator.
        case known = 1
        /// Asked for by any other client.
        case unknown = 2

        /// The lowest rank of the kind.
        package var first: Int64 { rawValue * MailRank.span }
        /// The first rank that is no longer of the kind.
        package var end: Int64 { first + MailRank.span }
    }

    /// The number of ranks that one kind has: milliseconds since 1970 fit for another 35 000 years.
    package static let span: Int64 = 1 << 50
    /// What is added to the rank of a mail that waits for a retry; lists of mails to take end before it.
    package static let postponed: Int64 = 4 * span
    /// How much later each e-mail ranks that a network asked for in the same minute, in milliseconds.
    package static let delayPerMail: Int64 = 1000

    package let kind: Kind
    /// Milliseconds since 1970, plus the delay for what the network asked for before.
    package let time: Int64

    /// Ranks an e-mail.
    ///
    /// - Parameters:
    ///   - kind: what it is.
    ///   - now: milliseconds since 1970.
    ///   - earlier: how many e-mails the client's network asked for earlier in this minute.
    package init(_ kind: Kind, at now: Int64, earlier: Int64 = 0) {
        self.kind = kind
        time = min(max(0, now), Self.span / 2) + min(max(0, earlier), 1_000_000) * Self.delayPerMail
    }

    /// What the database stores.
    package var value: Int64 { kind.first + time }
}

/// What a node knows of a request for an e-mail before its transaction begins.
package struct MailTraffic: Sendable, Equatable {
    /// The setting of the installation's ceiling, as the log names it.
    package static let limit = "limits.mailsPerMinute"

    /// How many e-mails the client's network asked for earlier in this minute.
    package var earlier: Int64
    /// Whether the installation's ceiling refuses the request of a client without history.
    package var refusesUnknown: Bool
    /// Whether it refuses the request of a client with history, too.
    package var refusesKnown: Bool
    /// Milliseconds until the minute ends.
    package var untilReset: Int64
    /// Whether an administrator asks.
    package var isAdministrators: Bool

    /// Describes a request.
    package init(
        earlier: Int64 = 0,
        refusesUnknown: Bool = false,
        refusesKnown: Bool = false,
        untilReset: Int64 = 0,
        isAdministrators: Bool = false
    ) {
        self.earlier = earlier
        self.refusesUnknown = refusesUnknown
        self.refusesKnown = refusesKnown
        self.untilReset = untilReset
        self.isAdministrators = isAdministrators
    }
}
