package import Tokens

/// The outcome of a refresh: the user, the session and the refresh token to return.
package struct Refreshed: Sendable, Equatable {
    package let user: User
    package let session: Session
    package let identities: [Identity]
    /// The number of the refresh token to return (``RefreshToken/generation``).
    package let generation: Int64

    /// Makes the outcome of an exchange that the rules allow.
    ///
    /// - Parameters:
    ///   - token: the token that was exchanged.
    ///   - user: the user before the exchange.
    ///   - session: the session after it.
    ///   - identities: the user's identities.
    ///   - now: the time of the exchange, in milliseconds since 1970; `nil` if nothing was stored.
    fileprivate init(
        _ token: RefreshToken,
        _ user: User,
        _ session: Session,
        _ identities: [Identity],
        storedAt now: Int64? = nil
    ) {
        var user = user
        if let now { user.lastRefreshAt = now }
        self.user = user
        self.session = session
        self.identities = identities
        generation = session.fixedSince == nil ? token.generation + 1 : token.generation
    }
}

extension Session {
    /// Returns the session after the exchange of its current token, or of one that is presented again.
    fileprivate func refreshed(by token: RefreshToken, at now: Int64) -> Session {
        var session = self
        if fixedSince == nil, token.generation == generation {
            session.generation += 1
            session.generationAt = now
        }
        session.lastUsedAt = now
        return session
    }
}

extension AccountFlows {
    /// Exchanges a refresh token (contract, 3.10).
    ///
    /// The current token yields the next one, unless the session keeps one token (``Session/fixedSince``). The previous
    /// one yields the current one again, until that has been used and for ``Policy/refreshGrace`` after, so that a lost
    /// reply does not sign the user out. Any other token means that two parties hold the token family, so the session
    /// ends.
    ///
    /// A session that keeps one token stores its last use at most every five minutes, because nothing else of it changes
    /// (``isRecorded(_:of:at:)``).
    ///
    /// - Returns: the session, or the refusal TOKEN_EXPIRED, whose transaction must commit because it ends the session.
    /// - Throws: ``Refusal`` TOKEN_EXPIRED, INVALID_REFRESH_TOKEN (the session or its user does not exist),
    ///   USER_DISABLED.
    package func refresh(_ token: RefreshToken, in store: some AccountStore) throws -> Decision<Refreshed> {
        guard let found = try store.lockedSessionAndUser(token.session.text, for: .refresh) else {
            throw Refusal(.invalidRefreshToken)
        }
        let place = try judge(token, found.session, found.user, at: store.now)
        guard let user = found.user, place != .reused else {
            try store.endSession(found.session.sid, of: found.session.uid, reason: .reused)
            try audit(.sessionReused, uid: found.session.uid, in: store)
            return .refused(Refusal(.tokenExpired))
        }
        let session = found.session.refreshed(by: token, at: store.now)
        let isStored = !isRecorded(token, of: found.session, at: store.now)
        if isStored {
            try store.touchUser(user.uid)
            try store.update(session)
        }
        let identities = user.isAnonymous ? [] : try store.identities(of: user.uid)
        return .done(Refreshed(token, user, session, identities, storedAt: isStored ? store.now : nil))
    }

    /// Exchanges a refresh token like ``refresh(_:in:)``, if that changes nothing in the database.
    ///
    /// - Returns: the session; `nil` if the exchange must write.
    /// - Throws: ``Refusal`` TOKEN_EXPIRED, INVALID_REFRESH_TOKEN (the session or its user does not exist),
    ///   USER_DISABLED.
    package func refreshWithoutWriting(_ token: RefreshToken, in store: some AccountStore) throws -> Refreshed? {
        guard let (session, owner) = try store.sessionAndUser(token.session.text) else {
            throw Refusal(.invalidRefreshToken)
        }
        let place = try judge(token, session, owner, at: store.now)
        guard let user = owner, place == .current, isRecorded(token, of: session, at: store.now) else { return nil }
        let identities = user.isAnonymous ? [] : try store.identities(of: user.uid)
        return Refreshed(token, user, session.refreshed(by: token, at: store.now), identities)
    }

    /// Whether a refresh leaves the session as it is stored: the session keeps this token, and its last use was a
    /// refresh within ``recordedLife``.
    ///
    /// The first refresh is always stored, because it shows that the client has received its token.
    private func isRecorded(_ token: RefreshToken, of session: Session, at now: Int64) -> Bool {
        session.fixedSince != nil && token.generation == session.generation
            && session.lastUsedAt > session.createdAt && (0..<recordedLife).contains(now - session.lastUsedAt)
    }

    /// How long the stored last use of a session that keeps one token is precise enough, in milliseconds: five minutes,
    /// or a tenth of ``Policy/sessionLife`` if that is shorter.
    private var recordedLife: Int64 { min(300_000, policy.sessionLife / 10) }

    /// Exchanges the refresh tokens of several calls like ``refresh(_:in:)``, in one statement that waits for no other
    /// transaction.
    ///
    /// - Returns: the outcome of each call, in order; `nil` for a call that must go alone, because another transaction
    ///   uses its session or user, because another token of its session is exchanged, or because its session ends.
    package func refresh(
        _ tokens: [RefreshToken],
        in store: some AccountStore
    ) throws -> [Result<Decision<Refreshed>, any Error>?] {
        // Equal tokens get equal answers.
        var chosen: [String: RefreshToken] = [:]
        for token in tokens where chosen[token.session.text] == nil { chosen[token.session.text] = token }
        let rules = RefreshRules(
            sessionLife: policy.sessionLife,
            earliestAuthTime: policy.sessionAbsoluteLife > 0 ? (store.now - policy.sessionAbsoluteLife) / 1000 : nil,
            grace: policy.refreshGrace,
            recordedLife: recordedLife
        )
        let exchanged = try store.exchange(Array(chosen.values), by: rules)
        return tokens.map { token in
            guard chosen[token.session.text] == token, let state = exchanged[token.session.text] else { return nil }
            return outcome(of: token, state, at: store.now)
        }
    }

    private func outcome(
        of token: RefreshToken,
        _ state: ExchangedSession,
        at now: Int64
    ) -> Result<Decision<Refreshed>, any Error>? {
        switch state {
        case .missing: return .failure(Refusal(.invalidRefreshToken))
        case .busy: return nil
        case .locked(let session, let user, let identities, let isExchanged):
            do {
                guard try judge(token, session, user, at: now) != .reused, isExchanged else { return nil }
                let storedAt = isRecorded(token, of: session, at: now) ? nil : now
                let session = session.refreshed(by: token, at: now)
                return .success(.done(Refreshed(token, user, session, identities, storedAt: storedAt)))
            } catch {
                return .failure(error)
            }
        }
    }

    /// Checks a session and its user, and returns what a refresh token is among those of the session.
    ///
    /// - Throws: ``Refusal`` TOKEN_EXPIRED, INVALID_REFRESH_TOKEN (the user does not exist), USER_DISABLED.
    private func judge(
        _ token: RefreshToken,
        _ session: Session,
        _ user: User?,
        at now: Int64
    ) throws -> GenerationPlace {
        guard let user else {
            let code: Code = isAlive(session, of: nil, at: now) ? .invalidRefreshToken : .tokenExpired
            throw Refusal(code, session: session, at: now)
        }
        guard session.createdAt / 1000 >= user.validSince else {
            throw Refusal(.tokenExpired, session: session, at: now)
        }
        // Checked before the session, because disabling the user ends their sessions.
        guard !user.isDisabled else { throw Refusal(.userDisabled) }
        guard isAlive(session, of: user, at: now) else { throw Refusal(.tokenExpired, session: session, at: now) }
        return place(of: token, in: session, at: now)
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
