/// What a custom token asks for, once it has been believed.
package struct CustomTokenSignIn: Sendable {
    /// Fit to be one.
    package let uid: String
    package let claims: CustomClaims?
    package let opening: SessionOpening

    /// Makes it from its checked parts; `opening` is fresh.
    package init(uid: String, claims: CustomClaims?, opening: SessionOpening) {
        self.uid = uid
        self.claims = claims
        self.opening = opening
    }
}

extension AccountFlows {
    /// Signs in the user whom the operator's back end vouches for, and makes them where there is none (contract, 3.9).
    ///
    /// It counts as a credential: who comes by it is no guest any more. A deleted UID is made anew, a merged one never.
    ///
    /// - Throws: ``Refusal`` USER_DISABLED, USER_NOT_FOUND (a merged UID), MERGE_IN_PROGRESS, TOO_MANY_ATTEMPTS_TRY_LATER.
    package func signIn(by token: CustomTokenSignIn, in store: some AccountStore) throws -> SignedIn {
        guard let known = try store.user(token.uid) else { return try create(token, in: store) }
        guard !known.isDisabled else { throw Refusal(.userDisabled) }
        try known.refuseIfHeld()
        try count(
            "custom:\(known.uid)",
            policy.customSignInsPerUser,
            named: "limits.customSignInsPerUser",
            in: store
        )
        var user = known
        user.customAuthAt = known.customAuthAt ?? store.now
        user.lastLoginAt = store.now
        // What was planted in a guest must not become a way into what is an account from now on.
        if known.isAnonymous { try endGuest(&user, in: store) }
        try store.update(user)
        try store.audit(known.isAnonymous ? .userLinked : .userSignedIn, uid: user.uid, detail: nil)
        if known.isAnonymous { try announce(.userLinked, user.uid, isAnonymous: false, in: store) }
        return try signIn(
            user,
            opening: token.opening,
            provider: .custom,
            isNewUser: false,
            linked: known.isAnonymous,
            wasAnonymous: known.isAnonymous,
            claims: token.claims,
            in: store
        )
    }

    private func create(_ token: CustomTokenSignIn, in store: some AccountStore) throws -> SignedIn {
        if let former = try store.formerUser(token.uid), former.mergedInto != nil { throw Refusal(.userNotFound) }
        try claim(token.uid, in: store)
        var user = User(uid: token.uid, createdAt: store.now)
        user.customAuthAt = store.now
        try store.insert(user)
        try store.audit(.userCreated, uid: user.uid, detail: nil)
        try announce(.userCreated, user.uid, isAnonymous: false, in: store)
        return try signIn(
            user,
            opening: token.opening,
            provider: .custom,
            isNewUser: true,
            claims: token.claims,
            in: store
        )
    }
}
