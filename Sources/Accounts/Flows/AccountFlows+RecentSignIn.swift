extension AccountFlows {
    /// The maximum number of seconds by which the clock that wrote an `auth_time` may be ahead of the clock that checks
    /// it.
    private static let longestAhead: Int64 = 10

    /// Refuses a change to a user's address or sign-in methods, and a deletion, unless the user signed in recently
    /// (``Policy/recentSignIn``) or need not: guests, and users who may be unable to sign in again.
    ///
    /// - Throws: ``Refusal`` CREDENTIAL_TOO_OLD_LOGIN_AGAIN.
    func requireRecentSignIn(_ presented: (user: User, session: Session), in store: some AccountStore) throws {
        guard try needsRecentSignIn(presented.user, in: store) else { return }
        try requireRecent(presented.session, in: store)
    }

    /// Refuses a request for a sign-in e-mail whose redemption would give the presented user another address, unless
    /// the user signed in recently or need not.
    ///
    /// - Returns: whether the session's sign-in was checked, which the ticket remembers (``Ticket/judgedAt``).
    /// - Throws: ``Refusal`` CREDENTIAL_TOO_OLD_LOGIN_AGAIN.
    func judge(
        linking email: String,
        to presented: (user: User, session: Session),
        in store: some AccountStore
    ) throws -> Bool {
        guard presented.user.email != email, try needsRecentSignIn(presented.user, in: store) else { return false }
        try requireRecent(presented.session, in: store)
        return true
    }

    /// Refuses the redemption of a ticket that would give the presented user another address, unless the user signed in
    /// recently or need not.
    ///
    /// Nothing is checked if the ticket was requested by the same user and is marked (``Ticket/judgedAt``).
    ///
    /// - Throws: ``Refusal`` CREDENTIAL_TOO_OLD_LOGIN_AGAIN.
    func judge(
        redeeming ticket: Ticket,
        for presented: (user: User, session: Session),
        in store: some AccountStore
    ) throws {
        if ticket.judgedAt != nil, ticket.asking.uid == presented.user.uid { return }
        _ = try judge(linking: ticket.email, to: presented, in: store)
    }

    /// Whether changes to a user need a recent sign-in.
    ///
    /// They do not for guests, nor for users without a proven address, an identity or a custom-token sign-in, because
    /// these users may be unable to sign in again.
    private func needsRecentSignIn(_ user: User, in store: some AccountStore) throws -> Bool {
        guard policy.recentSignIn > 0, !user.isAnonymous else { return false }
        if user.email != nil, user.emailVerifiedAt != nil { return true }
        if user.customAuthAt != nil { return true }
        return try !store.identities(of: user.uid).isEmpty
    }

    /// Refuses a session that was opened with another issuer's token (``Session/exchangedAt``), and one whose sign-in is longer ago than ``Policy/recentSignIn``, or so far in the future that a clock
    /// must have been wrong.
    private func requireRecent(_ session: Session, in store: some AccountStore) throws {
        let now = store.now / 1000
        // The sign-in of an exchanged session happened elsewhere, where the address may not have been proven.
        guard session.exchangedAt == nil,
            (now - policy.recentSignIn / 1000...now + Self.longestAhead).contains(session.authTime)
        else {
            throw Refusal(.credentialTooOld)
        }
    }
}
