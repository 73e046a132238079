/// What speaks for the client that asks for an e-mail or for a guest.
package struct AskerStanding: Sendable, Equatable {
    /// Whether the request presents a permanent user's session, or a guest's that is older than an hour and was used before.
    package var hasHistory: Bool
    /// Whether the address signed in from this client within the last 90 days.
    package var signedInBefore: Bool
    /// Whether the history has not spoken for too many e-mails in this hour.
    package var hasHistoryLeft = false

    /// Whether either speaks for the client.
    package var isTrusted: Bool { hasHistory || signedInBefore }

    /// Makes a standing from its parts.
    package init(hasHistory: Bool, signedInBefore: Bool) {
        self.hasHistory = hasHistory
        self.signedInBefore = signedInBefore
    }

    /// How old a guest's session has to be to count as history.
    ///
    /// Milliseconds.
    package static let historyAge: Int64 = 3_600_000

    /// Whether a session that was presented is history.
    ///
    /// - Parameters:
    ///   - user: the session's user.
    ///   - session: the session.
    ///   - now: milliseconds since 1970.
    package static func isHistory(_ user: User, _ session: Session, at now: Int64) -> Bool {
        !user.isAnonymous || now - session.createdAt > historyAge && session.lastUsedAt > session.createdAt
    }
}
