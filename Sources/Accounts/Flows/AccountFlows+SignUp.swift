/// The identifiers of a guest that is about to be created.
package struct GuestIDs: Sendable, Equatable {
    package let uid: String
    package let sid: String

    /// Makes identifiers from their parts.
    package init(uid: String, sid: String) {
        self.uid = uid
        self.sid = sid
    }
}

/// An anonymous sign-up, decoded.
package struct GuestSignUp: Sendable {
    /// The identifiers of the guest: random, or derived from the call's idempotency key under the newest secret.
    package let ids: GuestIDs
    /// The identifiers that an earlier call with the same idempotency key may have got, one pair for each of the
    /// server's secrets, the newest first; empty without a key.
    package let earlier: [GuestIDs]
    /// Whether to look for the guest of the newest secret before creating one: an earlier attempt broke the unique
    /// index, or no guest may be created now.
    package var expectsGuest = false
    /// The refusal to create a guest now; `nil` if one may be created.
    ///
    /// A guest that an earlier call created is returned all the same.
    package var refusal: Refusal?
    /// Whether each refresh of the guest's session gives a new refresh token.
    package let rotates: Bool
    /// The solved challenge that pays for the guest; `nil` if the client presented none.
    package let payment: ChallengePayment?
    /// The description of the guest's device, for people; empty if it is unknown.
    package let device: String

    /// Makes a sign-up from its decoded parts.
    package init(
        ids: GuestIDs,
        earlier: [GuestIDs] = [],
        rotates: Bool,
        payment: ChallengePayment? = nil,
        device: String = ""
    ) {
        self.ids = ids
        self.earlier = earlier
        self.rotates = rotates
        self.payment = payment
        self.device = device
    }
}

extension AccountFlows {
    /// Creates an anonymous user with a first session (contract, 3.1), or returns the guest that an earlier call with
    /// the same idempotency key created.
    ///
    /// - Parameters:
    ///   - signUp: the request.
    ///   - store: the transaction.
    /// - Returns: the guest; `isNewUser` is false if an earlier call created it.
    /// - Throws: ``Refusal`` ADMIN_ONLY_OPERATION if anonymous sign-in is switched off, IDEMPOTENCY_KEY_USED,
    ///   CHALLENGE_REQUIRED if the solution was spent before, or ``GuestSignUp/refusal``.
    package func signUpAnonymously(_ signUp: GuestSignUp, in store: some AccountStore) throws -> SignedIn {
        guard policy.anonymousSignIn else { throw Refusal(.adminOnlyOperation) }
        if let known = try earlierGuest(of: signUp, in: store) { return known }
        if let refusal = signUp.refusal { throw refusal }
        try spend(signUp.payment, in: store)
        let user = User(anonymous: signUp.ids.uid, at: store.now)
        try store.insert(user)
        try announce(.userCreated, user.uid, isAnonymous: true, in: store)
        return try signIn(
            user,
            opening: SessionOpening(sid: signUp.ids.sid, rotates: signUp.rotates, device: signUp.device),
            provider: .anonymous,
            isNewUser: true,
            in: store
        )
    }

    /// Creates the guests of several calls without idempotency key and challenge, like ``signUpAnonymously(_:in:)``.
    ///
    /// - Throws: ``Refusal`` ADMIN_ONLY_OPERATION.
    package func signUpAnonymously(_ signUps: [GuestSignUp], in store: some AccountStore) throws -> [SignedIn] {
        guard policy.anonymousSignIn else { throw Refusal(.adminOnlyOperation) }
        let guests = signUps.map { signUp in
            let user = User(anonymous: signUp.ids.uid, at: store.now)
            let opening = SessionOpening(sid: signUp.ids.sid, rotates: signUp.rotates, device: signUp.device)
            return SignedIn(
                user: user,
                session: Session(opening, uid: user.uid, provider: .anonymous, at: store.now),
                identities: [],
                isNewUser: true,
                linked: false,
                wasAnonymous: false
            )
        }
        try store.insertGuests(guests.map { ($0.user, $0.session) })
        for guest in guests { try announce(.userCreated, guest.user.uid, isAnonymous: true, in: store) }
        return guests
    }

    /// Returns the guest that an earlier call with the same idempotency key created; `nil` if there was none.
    ///
    /// A first attempt does not look for a guest of the newest secret, because the unique index of UIDs finds it. On
    /// PostgreSQL a query for a row that does not exist would conflict with all sign-ups that write to the same page of
    /// the index.
    ///
    /// - Throws: ``Refusal`` IDEMPOTENCY_KEY_USED if the key's UID has been used and its first tokens are no longer the
    ///   answer, because a UID is never used again (invariant 4).
    private func earlierGuest(of signUp: GuestSignUp, in store: some AccountStore) throws -> SignedIn? {
        // A repeated call that pays would find its solution spent before the index finds the guest.
        let looks = signUp.expectsGuest || signUp.payment != nil
        let sought = looks ? signUp.earlier[...] : signUp.earlier.dropFirst()
        try store.prefetch { store in
            for ids in signUp.earlier { _ = try store.formerUser(ids.uid) }
            for ids in sought {
                _ = try store.sessionAndUser(ids.sid)
                _ = try store.user(ids.uid)
            }
        }
        for ids in signUp.earlier {
            guard try store.formerUser(ids.uid) == nil else { throw Refusal(.idempotencyKeyUsed) }
        }
        for ids in sought {
            let found = try store.sessionAndUser(ids.sid)
            if let (session, user) = found, let user, isUntouched(session, of: user, at: store.now) {
                return SignedIn(
                    user: user,
                    session: session,
                    identities: [],
                    isNewUser: false,
                    linked: false,
                    wasAnonymous: false
                )
            }
            let isGiven = try store.user(ids.uid) != nil
            guard found == nil, !isGiven else { throw Refusal(.idempotencyKeyUsed) }
        }
        return nil
    }

    /// Whether a user is still a guest and not disabled, and the session is alive, not revoked and never refreshed.
    private func isUntouched(_ session: Session, of user: User, at now: Int64) -> Bool {
        user.isAnonymous && !user.isDisabled && isAlive(session, of: user, at: now)
            && session.createdAt / 1000 >= user.validSince
            && session.generation == 1 && session.lastUsedAt == session.createdAt
    }
}
