/// A session that a user has where an import came from, once its token has been believed.
package struct ForeignSession: Sendable, Equatable {
    /// The user's UID, there as here.
    package let uid: String
    /// When the user signed in there.
    ///
    /// Seconds since 1970.
    package let authTime: Int64
    package let provider: SignInProvider
    /// Its token, which is good for one exchange.
    package let spends: SpentToken

    /// Makes it from its checked parts.
    package init(uid: String, authTime: Int64, provider: SignInProvider, spends: SpentToken) {
        self.uid = uid
        self.authTime = authTime
        self.provider = provider
        self.spends = spends
    }
}

extension AccountFlows {
    /// Gives an imported user a session for the one that they have where they came from.
    ///
    /// Nobody signs in here: the session keeps the time and the way of the sign-in there, and the user stays as they are.
    ///
    /// - Parameters:
    ///   - foreign: the session there.
    ///   - opening: the session to begin.
    ///   - store: the transaction.
    /// - Throws: ``Refusal`` USER_NOT_FOUND (unknown, not imported, or no longer the same person for sure), USER_DISABLED,
    ///   TOKEN_EXPIRED (revoked since the import, or signed in longer ago than sessions may live), TOKEN_ALREADY_EXCHANGED, TOO_MANY_SESSIONS.
    package func exchange(
        _ foreign: ForeignSession,
        opening: SessionOpening,
        in store: some AccountStore
    ) throws -> SignedIn {
        guard let user = try store.user(foreign.uid), let importedAt = user.importedAt else {
            throw Refusal(.userNotFound)
        }
        guard !user.isDisabled else { throw Refusal(.userDisabled) }
        // Revoking must hold although the issuer does not know of it, and goes on making tokens.
        guard user.validSince <= importedAt / 1000 else { throw Refusal(.tokenExpired) }
        // An anonymous session must not be a way into an account, here or there.
        guard user.isAnonymous || foreign.provider != .anonymous else { throw Refusal(.tokenExpired) }
        guard !isOver(signedInAt: foreign.authTime, isGuests: user.isAnonymous, at: store.now) else {
            throw Refusal(.tokenExpired)
        }
        guard try store.spendToken(foreign.spends.digest, until: foreign.spends.expiresAt) else {
            throw Refusal(.tokenAlreadyExchanged)
        }
        // Those that have ended count too: the issuer makes new tokens as often as it is asked.
        guard try store.countExchangedSessions(of: user.uid) < policy.exchangesPerUser else {
            throw Refusal(.tooManySessions)
        }
        let provider = user.isAnonymous ? .anonymous : foreign.provider
        var session = Session(opening, uid: user.uid, provider: provider, at: store.now)
        session.authTime = min(foreign.authTime, session.authTime)
        session.exchangedAt = store.now
        try store.insert(session)
        try store.touchUser(user.uid)
        try store.audit(.userExchanged, uid: user.uid, detail: nil)
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
}
