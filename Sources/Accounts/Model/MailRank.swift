/// The place of an e-mail in the outbox: among the e-mails of one ``Kind``, workers send the lowest rank first.
///
/// The database stores it as one integer, ``value``: the kind in the upper bits, the time below.
package struct MailRank: Sendable, Equatable {
    /// The class of an e-mail that its rank depends on.
    package enum Kind: Int64, Sendable, CaseIterable {
        /// A security notice, which workers send before all e-mails of other kinds.
        case notice = 0
        /// Requested by an administrator, or by a session with history (``AskerStanding/hasHistoryLeft``).
        case known = 1
        /// Requested by any other client.
        case unknown = 2

        /// The lowest rank of the kind.
        package var first: Int64 { rawValue * MailRank.span }
        /// The lowest rank above all ranks of the kind.
        package var end: Int64 { first + MailRank.span }
    }

    /// The number of ranks of one kind: milliseconds since 1970 fit for another 35,000 years.
    package static let span: Int64 = 1 << 50
    /// The amount added to the rank of an e-mail that waits for a retry; lists of due e-mails end before it.
    package static let postponed: Int64 = 4 * span
    /// The milliseconds by which an e-mail ranks later for each e-mail that the client's network requested earlier in
    /// the same minute.
    package static let delayPerMail: Int64 = 1000

    package let kind: Kind
    /// The time of the request in milliseconds since 1970, plus ``delayPerMail`` for each earlier request of the
    /// network.
    package let time: Int64

    /// Ranks an e-mail.
    ///
    /// - Parameters:
    ///   - kind: the kind of the e-mail.
    ///   - now: milliseconds since 1970.
    ///   - earlier: how many e-mails the client's network asked for earlier in this minute.
    package init(_ kind: Kind, at now: Int64, earlier: Int64 = 0) {
        self.kind = kind
        time = min(max(0, now), Self.span / 2) + min(max(0, earlier), 1_000_000) * Self.delayPerMail
    }

    /// The rank as the database stores it.
    package var value: Int64 { kind.first + time }
}

/// The facts that a node knows about a request for an e-mail before its transaction begins.
package struct MailTraffic: Sendable, Equatable {
    /// The setting that limits the e-mails of the whole installation per minute, as the log names it.
    package static let limit = "limits.mailsPerMinute"

    /// The number of e-mails that the client's network requested earlier in this minute.
    package var earlier: Int64
    /// Whether the ceiling (``limit``) refuses this request if it has no ``AskerStanding/hasHistoryLeft``.
    package var refusesUnknown: Bool
    /// Whether the ceiling refuses this request even with ``AskerStanding/hasHistoryLeft``.
    package var refusesKnown: Bool
    /// The milliseconds until the current minute ends, and with it the ceiling's count.
    package var untilReset: Int64
    /// Whether an administrator asks, whose e-mail is never refused.
    package var isAdministrators: Bool
    /// The label of the client's network for the trace; `nil` if unknown.
    package var network: String?

    /// Whether the client is in a network that no limit of networks applies to.
    package var isExempt = false

    /// Makes a description from its parts.
    package init(
        earlier: Int64 = 0,
        refusesUnknown: Bool = false,
        refusesKnown: Bool = false,
        untilReset: Int64 = 0,
        isAdministrators: Bool = false,
        network: String? = nil
    ) {
        self.earlier = earlier
        self.refusesUnknown = refusesUnknown
        self.refusesKnown = refusesKnown
        self.untilReset = untilReset
        self.isAdministrators = isAdministrators
        self.network = network
    }
}
