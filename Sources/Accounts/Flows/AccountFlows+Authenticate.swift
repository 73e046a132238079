extension AccountFlows {
    /// Checks that an ID token may be used now, and returns its user and session.
    ///
    /// - Parameters:
    ///   - token: a token whose signature has been checked.
    ///   - store: the transaction.
    /// - Throws: ``Refusal``, the first that applies (contract, 2.2): USER_NOT_FOUND; TOKEN_EXPIRED if the session does
    ///   not exist, or the token has expired or was revoked (``User/validSince``); USER_DISABLED; TOKEN_EXPIRED if the
    ///   session is over.
    package func authenticate(
        _ token: PresentedToken,
        in store: some AccountStore
    ) throws -> (user: User, session: Session) {
        try authenticate(token, as: try store.sessionAndUser(token.sid), in: store)
    }

    /// Checks an ID token like ``authenticate(_:in:)``, when its session and user have been read already.
    ///
    /// - Parameter found: the token's session and its user as the store has them; `nil` if there is no such session.
    /// - Throws: what ``authenticate(_:in:)`` throws.
    package func authenticate(
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
        // Checked before the session, because disabling the user ends their sessions.
        guard !user.isDisabled else { throw Refusal(.userDisabled) }
        guard isAlive(session, of: user, at: store.now) else {
            throw Refusal(.tokenExpired, session: session, at: store.now)
        }
        return (user, session)
    }

    /// Whether a session has not ended, has been used within ``Policy/sessionLife``, and is not past its absolute end
    /// (``Policy/sessionAbsoluteLife``).
    ///
    /// Does not check whether the user is disabled or has revoked the session's tokens (``User/validSince``).
    func isAlive(_ session: Session, of user: User?, at now: Int64) -> Bool {
        session.endedAt == nil && now - session.lastUsedAt <= policy.sessionLife
            && !isOver(signedInAt: session.authTime, isGuests: user?.isAnonymous ?? false, at: now)
    }

    /// Whether a session is past its absolute end (``Policy/sessionAbsoluteLife``); never for guests, and never while
    /// the policy sets no end.
    ///
    /// The end is counted from the sign-in and not from the session's beginning, because a change of the profile
    /// replaces the session.
    ///
    /// - Parameter authTime: when the user signed in, in seconds since 1970.
    func isOver(signedInAt authTime: Int64, isGuests: Bool, at now: Int64) -> Bool {
        let life = policy.sessionAbsoluteLife
        return life > 0 && !isGuests && authTime < (now - life) / 1000
    }

    /// Stores a new session for a user and collects the data for its tokens; neither checks nor changes the user.
    ///
    /// - Parameter identities: the user's identities; `nil` to read them, or for a new user to take none.
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
        try store.requireTime(ofRevocation: user.validSince)
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
