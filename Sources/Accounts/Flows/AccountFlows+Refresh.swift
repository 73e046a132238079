package import Tokens

/// The outcome of a refresh: the user, the session and the refresh token to return.
package struct Refreshed: Sendable, Equatable {
    package let user: User
    package let session: Session
    package let identities: [Identity]
    /// The number of the refresh token to return (``RefreshToken/generation``).
    package let generation: Int64
}

extension AccountFlows {
    /// Exchanges a refresh token (contract, 3.10).
    ///
    /// The current token yields the next one, unless the session keeps one token (``Session/fixedSince``). The previous
    /// one yields the current one again, until that has been used and for ``Policy/refreshGrace`` after, so that a lost
    /// reply does not sign the user out. Any other token means that two parties hold the token family, so the session
    /// ends.
    ///
    /// A session that keeps one token stores its last use at most every five minutes, because nothing else of it
    /// changes (``isNoted(_:of:at:)``).
    ///
    /// - Returns: the session, or the refusal TOKEN_EXPIRED, whose transaction must commit because it ends the session.
    /// - Throws: ``Refusal`` TOKEN_EXPIRED, INVALID_REFRESH_TOKEN (the session or its user does not exist),
    ///   USER_DISABLED.
    package func refresh(_ token: RefreshToken, in store: some AccountStore) throws -> Decision<Refreshed> {
        let found = try store.lockedSessionAndUser(token.session.text)
        let (stored, user) = try refreshable(found, at: store.now)
        var session = stored
        if isNoted(token, of: session, at: store.now) {
            return .done(try refreshed(user, session, by: token, in: store))
        }
        switch place(of: token, in: session, at: store.now) {
        case .current where session.fixedSince == nil:
            session.generation += 1
            session.generationAt = store.now
        case .current, .retried:
            break
        case .reused:
            try store.endSession(session.sid, reason: .reused)
            try audit(.sessionReused, uid: user.uid, in: store)
            return .refused(Refusal(.tokenExpired))
        }
        session.lastUsedAt = store.now
        try store.touchUser(user.uid)
        try store.update(session)
        return .done(try refreshed(user, session, by: token, in: store))
    }

    /// Exchanges a refresh token like ``refresh(_:in:)``, if that changes nothing in the database.
    ///
    /// - Returns: the session; `nil` if the exchange must write.
    /// - Throws: ``Refusal`` TOKEN_EXPIRED, INVALID_REFRESH_TOKEN, USER_DISABLED.
    package func refreshWithoutWriting(_ token: RefreshToken, in store: some AccountStore) throws -> Refreshed? {
        let (session, user) = try refreshable(try store.sessionAndUser(token.session.text), at: store.now)
        guard isNoted(token, of: session, at: store.now) else { return nil }
        return try refreshed(user, session, by: token, in: store)
    }

    /// Whether a refresh leaves the session as it is stored: the session keeps this token, and its last use was a
    /// refresh within the last five minutes, or a tenth of ``Policy/sessionLife`` if that is shorter.
    ///
    /// The first refresh is always stored, because it shows that the client has received its token.
    private func isNoted(_ token: RefreshToken, of session: Session, at now: Int64) -> Bool {
        let precision = min(300_000, policy.sessionLife / 10)
        return session.fixedSince != nil && token.generation == session.generation
            && session.lastUsedAt > session.createdAt && (0..<precision).contains(now - session.lastUsedAt)
    }

    /// Returns a session whose tokens may be refreshed, and its user.
    ///
    /// - Throws: what ``refresh(_:in:)`` throws.
    private func refreshable(
        _ found: (session: Session, user: User?)?,
        at now: Int64
    ) throws -> (session: Session, user: User) {
        guard let found else { throw Refusal(.invalidRefreshToken) }
        let session = found.session
        guard let user = found.user else {
            let code: Code = isAlive(session, of: nil, at: now) ? .invalidRefreshToken : .tokenExpired
            throw Refusal(code, session: session, at: now)
        }
        guard session.createdAt / 1000 >= user.validSince else {
            throw Refusal(.tokenExpired, session: session, at: now)
        }
        // Checked before the session, because disabling the user ends their sessions.
        guard !user.isDisabled else { throw Refusal(.userDisabled) }
        guard isAlive(session, of: user, at: now) else { throw Refusal(.tokenExpired, session: session, at: now) }
        return (session, user)
    }

    /// Returns the outcome of a refresh at this moment, whether or not it was stored.
    private func refreshed(
        _ user: User,
        _ session: Session,
        by token: RefreshToken,
        in store: some AccountStore
    ) throws -> Refreshed {
        var used = session
        used.lastUsedAt = store.now
        return Refreshed(
            user: user,
            session: used,
            identities: user.isAnonymous ? [] : try store.identities(of: user.uid),
            generation: session.fixedSince == nil ? token.generation + 1 : token.generation
        )
    }

    /// What a presented refresh token is among those of its session.
    enum GenerationPlace {
        /// The newest token of the session.
        case current
        /// The previous token, or shortly after a refresh the one before, which a client may present again because it
        /// did not get the reply (``Policy/refreshGrace``).
        case retried
        /// A token that no honest client presents any more.
        case reused
    }

    /// Returns what a refresh token is among those of its session, which the caller has read.
    func place(of token: RefreshToken, in session: Session, at now: Int64) -> GenerationPlace {
        if token.generation == session.generation { return .current }
        guard token.generation > 0, token.generation < session.generation else { return .reused }
        if token.generation == session.generation - 1 { return .retried }
        let isInGrace = now - session.generationAt <= policy.refreshGrace
        return token.generation == session.generation - 2 && isInGrace ? .retried : .reused
    }
}
