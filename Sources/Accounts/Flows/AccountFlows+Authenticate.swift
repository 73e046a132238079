extension AccountFlows {
    /// Finds the user and the session that an ID token stands for.
    ///
    /// - Parameters:
    ///   - token: a token whose signature is good.
    ///   - store: the transaction.
    /// - Throws: ``Refusal`` USER_NOT_FOUND, TOKEN_EXPIRED or USER_DISABLED, in this order (contract, 2.2).
    package func authenticate(
        _ token: PresentedToken,
        in store: some AccountStore
    ) throws -> (user: User, session: Session) {
        try authenticate(token, as: try store.sessionAndUser(token.sid), in: store)
    }

    /// Checks the user and the session that an ID token names.
    ///
    /// - Parameter found: what the store has of the token's session.
    func authenticate(
        _ token: PresentedToken,
        as found: (session: Session, user: User?)?,
        in store: some AccountStore
    ) throws -> (user: User, session: Session) {
        guard let found, found.session.uid == token.uid else {
            throw Refusal(try store.user(token.uid) == nil ? .userNotFound : .tokenExpired)
        }
        let session = found.session
        guard let user = found.user else { throw Refusal(.userNotFound, session: session, at: store.now) }
        guard !token.isExpired, token.issuedAt >= user.validSince else {
            throw Refusal(.tokenExpired, session: session, at: store.now)
        }
        // Before the session, which disabling has ended.
        guard !user.isDisabled else { throw Refusal(.userDisabled) }
        guard isAlive(session, of: user, at: store.now) else {
            throw Refusal(.tokenExpired, session: session, at: store.now)
        }
        return (user, session)
    }

    /// Whether a session has neither ended, nor been left unused for too long, nor reached its absolute end.
    func isAlive(_ session: Session, of user: User?, at now: Int64) -> Bool {
        session.endedAt == nil && now - session.lastUsedAt <= policy.sessionLife
            && !isOver(signedInAt: session.authTime, isGuests: user?.isAnonymous ?? false, at: now)
    }

    /// Whether a session is past its absolute end.
    ///
    /// Counts from the sign-in and not from the session's beginning, because a change of the profile replaces the session.
    ///
    /// - Parameter authTime: when the user signed in, in seconds since 1970.
    func isOver(signedInAt authTime: Int64, isGuests: Bool, at now: Int64) -> Bool {
        let life = policy.sessionAbsoluteLife
        return life > 0 && !isGuests && authTime < (now - life) / 1000
    }

    /// Begins a session for a user and gathers what its tokens say.
    ///
    /// - Parameter identities: the user's, where they are known already.
    func signIn(
        _ user: User,
        opening: SessionOpening,
        provider: SignInProvider,
        identities: [Identity]? = nil,
        isNewUser: Bool,
        linked: Bool = false,
        wasAnonymous: Bool = false,
        claims: CustomClaims? = nil,
        in store: some AccountStore
    ) throws -> SignedIn {
        var session = Session(opening, uid: user.uid, provider: provider, at: store.now)
        session.claims = claims?.json
        try store.insert(session)
        return SignedIn(
            user: user,
            session: session,
            identities: try identities ?? (isNewUser ? [] : store.identities(of: user.uid)),
            isNewUser: isNewUser,
            linked: linked,
            wasAnonymous: wasAnonymous,
            client: opening.client
        )
    }
}
