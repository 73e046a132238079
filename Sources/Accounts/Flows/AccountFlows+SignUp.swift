/// The identifiers of a guest that is about to be created.
package struct GuestIDs: Sendable, Equatable {
    package let uid: String
    package let sid: String

    /// Puts the two together.
    package init(uid: String, sid: String) {
        self.uid = uid
        self.sid = sid
    }
}

/// An anonymous sign-up, decoded.
package struct GuestSignUp: Sendable {
    /// The identifiers of the guest: random, or of its key under the newest secret.
    package let ids: GuestIDs
    /// Those that an earlier call with the same key may have got, under any secret; empty without a key.
    package let earlier: [GuestIDs]
    /// Whether the guest was found to exist, which breaks a unique index: then it is looked for before one is created.
    package var expectsGuest = false
    /// Whether each refresh gives a new refresh token.
    package let rotates: Bool
    /// What pays for the guest, where the client was asked to.
    package let payment: ChallengePayment?
    /// What the device is, for people.
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
    /// Creates an anonymous user with a first session (contract, 3.1), or answers the one that the same key created.
    ///
    /// - Parameters:
    ///   - signUp: the request.
    ///   - store: the transaction.
    /// - Returns: the guest; `isNewUser` is false where an earlier call created it.
    /// - Throws: ``Refusal`` ADMIN_ONLY_OPERATION where anonymous sign-in is switched off, IDEMPOTENCY_KEY_USED,
    ///   CHALLENGE_REQUIRED where the solution was spent before.
    package func signUpAnonymously(_ signUp: GuestSignUp, in store: some AccountStore) throws -> SignedIn {
        guard policy.anonymousSignIn else { throw Refusal(.adminOnlyOperation) }
        if let known = try earlierGuest(of: signUp, in: store) { return known }
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

    /// The guest that an earlier call with the same key created; `nil` where there was none.
    ///
    /// A first attempt does not look for a guest of the newest secret, because the unique index of UIDs finds it. On PostgreSQL a
    /// query for a row that does not exist would conflict with all sign-ups that write to the same page of the index.
    ///
    /// - Throws: ``Refusal`` IDEMPOTENCY_KEY_USED where the key's UID was given and its first tokens are no longer the answer: a
    ///   UID never comes again (invariant 4).
    private func earlierGuest(of signUp: GuestSignUp, in store: some AccountStore) throws -> SignedIn? {
        // A repetition that pays would find its solution spent before the index finds the guest.
        let looks = signUp.expectsGuest || signUp.payment != nil
        let sought = looks ? signUp.earlier[...] : signUp.earlier.dropFirst()
        try store.foresee { store in
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

    /// Whether a session is a guest's first one, alive and never refreshed.
    private func isUntouched(_ session: Session, of user: User, at now: Int64) -> Bool {
        user.isAnonymous && !user.isDisabled && isAlive(session, of: user, at: now)
            && session.createdAt / 1000 >= user.validSince
            && session.generation == 1 && session.lastUsedAt == session.createdAt
    }
}
