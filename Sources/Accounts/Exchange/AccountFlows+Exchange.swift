/// A session that a user has in the system they were imported from, as a verified token of that system describes it.
package struct ForeignSession: Sendable, Equatable {
    /// The user's UID, the same in both systems.
    package let uid: String
    /// The time of the sign-in to the other system, in seconds since 1970.
    package let authTime: Int64
    package let provider: SignInProvider
    /// The other system's token, which can be exchanged once.
    package let spends: SpentToken

    /// Makes a session from its checked parts.
    package init(uid: String, authTime: Int64, provider: SignInProvider, spends: SpentToken) {
        self.uid = uid
        self.authTime = authTime
        self.provider = provider
        self.spends = spends
    }
}

extension AccountFlows {
    /// Opens a session for an imported user in exchange for a session in the system they were imported from.
    ///
    /// This is not a sign-in: the session keeps the time and the provider of the original sign-in, and of the user only
    /// ``User/lastRefreshAt`` changes.
    ///
    /// - Parameters:
    ///   - foreign: the session in the other system.
    ///   - opening: the session to open.
    ///   - store: the transaction.
    /// - Throws: ``Refusal`` USER_NOT_FOUND (unknown, not imported, or no longer the same person for sure),
    ///   USER_DISABLED, TOKEN_EXPIRED (revoked since the import, signed in longer ago than sessions may live, an
    ///   anonymous token for a permanent user, or an administrator), TOKEN_ALREADY_EXCHANGED, TOO_MANY_SESSIONS
    ///   (``Policy/exchangesPerUser``).
    package func exchange(
        _ foreign: ForeignSession,
        opening: SessionOpening,
        in store: some AccountStore
    ) throws -> SignedIn {
        try refuseOutsider(foreign, in: store)
        guard let user = try store.user(foreign.uid), let importedAt = user.importedAt else {
            throw Refusal(.userNotFound)
        }
        guard !user.isDisabled else { throw Refusal(.userDisabled) }
        // A revocation must hold even though the issuer does not know of it and continues to issue tokens.
        guard user.validSince <= importedAt / 1000 else { throw Refusal(.tokenExpired) }
        // An anonymous session must not give access to an account, here or there.
        guard user.isAnonymous || foreign.provider != .anonymous else { throw Refusal(.tokenExpired) }
        guard !isOver(signedInAt: foreign.authTime, isGuests: user.isAnonymous, at: store.now) else {
            throw Refusal(.tokenExpired)
        }
        guard try store.spendToken(foreign.spends.digest, until: foreign.spends.expiresAt) else {
            throw Refusal(.tokenAlreadyExchanged)
        }
        // Ended sessions count too, because the issuer makes any number of new tokens.
        guard try store.countExchangedSessions(of: user.uid) < policy.exchangesPerUser else {
            throw Refusal(.tooManySessions)
        }
        let provider = user.isAnonymous ? .anonymous : foreign.provider
        var session = Session(opening, uid: user.uid, provider: provider, at: store.now)
        session.authTime = min(foreign.authTime, session.authTime)
        session.exchangedAt = store.now
        try store.insert(session)
        try store.touchUser(user.uid)
        try audit(.userExchanged, uid: user.uid, in: store)
        try announce(.userExchanged, user.uid, isAnonymous: user.isAnonymous, session: session.sid, in: store)
        return SignedIn(
            user: user,
            session: session,
            identities: try store.identities(of: user.uid),
            isNewUser: false,
            linked: false,
            wasAnonymous: false
        )
    }

    /// Refuses administrators, and whatever a move from Firebase refuses too, so that the exchange is no way around it.
    private func refuseOutsider(_ foreign: ForeignSession, in store: some AccountStore) throws {
        // The old project's owner, or a thief of its keys, could make tokens for them.
        guard try !store.administrators().contains(foreign.uid) else { throw Refusal(.tokenExpired) }
        guard policy.movesFromFirebase else { return }
        let state = try Self.firebaseState(in: store)
        if state.phase == .off { throw Refusal(.operationNotAllowed, detail: "The move from Firebase is over.") }
        guard let adoptsSince = state.adoptsSince else { return }
        guard foreign.authTime <= (adoptsSince + policy.lateSignIns) / 1000 else { throw Refusal(.tokenExpired) }
        let endedAt = try store.firebaseUser(foreign.uid)?.endedAt ?? 0
        guard foreign.authTime > endedAt / 1000 else { throw Refusal(.tokenExpired) }
        // A session that moved and has ended here stays ended.
        if let sid = try store.adoptedSession(of: foreign.uid, authTime: foreign.authTime) {
            _ = try live(sid, of: foreign.uid, in: store)
        }
    }
}
