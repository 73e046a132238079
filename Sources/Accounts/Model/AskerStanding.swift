/// What gives the server reason to trust the client that asks for an e-mail.
package struct AskerStanding: Sendable, Equatable {
    /// Whether the request presents the session of a permanent user, or a guest's session that began more than an hour
    /// ago and has been refreshed.
    package var hasHistory: Bool
    /// Whether the address of the e-mail signed in from this client within ``KnownClient/life``.
    package var signedInBefore: Bool
    /// Whether ``hasHistory`` is true, and another e-mail of the session may be ranked ``MailRank/Kind/known`` in this
    /// hour (``AccountFlows/mailsPerHistory``).
    package var hasHistoryLeft = false

    /// Whether ``hasHistory`` or ``signedInBefore`` is true.
    package var isTrusted: Bool { hasHistory || signedInBefore }

    /// Makes a standing from its parts.
    package init(hasHistory: Bool, signedInBefore: Bool) {
        self.hasHistory = hasHistory
        self.signedInBefore = signedInBefore
    }

    /// The age that a guest's session must exceed to count as history, in milliseconds.
    package static let historyAge: Int64 = 3_600_000

    /// Whether a presented session counts as history (``hasHistory``).
    ///
    /// - Parameters:
    ///   - user: the session's user.
    ///   - session: the session.
    ///   - now: milliseconds since 1970.
    package static func isHistory(_ user: User, _ session: Session, at now: Int64) -> Bool {
        !user.isAnonymous || now - session.createdAt > historyAge && session.lastUsedAt > session.createdAt
    }
}
