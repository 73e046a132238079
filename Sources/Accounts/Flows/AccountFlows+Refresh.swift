package import Tokens

/// A session that goes on: which user, and which refresh token to hand out.
package struct Refreshed: Sendable, Equatable {
    package let user: User
    package let session: Session
    package let identities: [Identity]
    /// The number of the refresh token to answer with.
    package let generation: Int64
}

extension AccountFlows {
    /// Exchanges a refresh token (contract, 3.10).
    ///
    /// The current token yields the next. The previous one yields the current again until that was used and for a grace
    /// period after, so that a lost reply logs nobody out. Anything older means that two parties hold the family: it ends.
    ///
    /// - Returns: the session, or the refusal TOKEN_EXPIRED that ends the session with it.
    /// - Throws: ``Refusal`` TOKEN_EXPIRED, INVALID_REFRESH_TOKEN (the user is gone), USER_DISABLED.
    package func refresh(_ token: RefreshToken, in store: some AccountStore) throws -> Decision<Refreshed> {
        guard let found = try store.sessionAndUser(token.session.text) else { throw Refusal(.invalidRefreshToken) }
        var session = found.session
        guard let user = found.user else {
            let code: Code = isAlive(session, of: nil, at: store.now) ? .invalidRefreshToken : .tokenExpired
            throw Refusal(code, session: session, at: store.now)
        }
        guard session.createdAt / 1000 >= user.validSince else {
            throw Refusal(.tokenExpired, session: session, at: store.now)
        }
        // Before the session, which disabling has ended.
        guard !user.isDisabled else { throw Refusal(.userDisabled) }
        guard isAlive(session, of: user, at: store.now) else {
            throw Refusal(.tokenExpired, session: session, at: store.now)
        }

        switch place(of: token, in: session, at: store.now) {
        case .current where session.fixedSince == nil:
            session.generation += 1
            session.generationAt = store.now
        case .current, .retried:
            break
        case .reused:
            try store.endSession(session.sid, reason: .reused)
            try store.audit(.sessionReused, uid: user.uid, detail: nil)
            return .refused(Refusal(.tokenExpired))
        }
        session.lastUsedAt = store.now
        try store.touchUser(user.uid)
        try store.update(session)
        return .done(
            Refreshed(
                user: user,
                session: session,
                identities: user.isAnonymous ? [] : try store.identities(of: user.uid),
                generation: session.fixedSince == nil ? token.generation + 1 : token.generation
            )
        )
    }

    /// Where a refresh token stands in its family.
    enum GenerationPlace {
        case current
        case retried
        case reused
    }

    /// Where a refresh token stands in its family.
    func place(of token: RefreshToken, in session: Session, at now: Int64) -> GenerationPlace {
        if token.generation == session.generation { return .current }
        guard token.generation > 0, token.generation < session.generation else { return .reused }
        if token.generation == session.generation - 1 { return .retried }
        let isInGrace = now - session.generationAt <= policy.refreshGrace
        return token.generation == session.generation - 2 && isInGrace ? .retried : .reused
    }
}
