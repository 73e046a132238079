/// A request to sign in with a custom token that has been verified, decoded.
package struct CustomTokenSignIn: Sendable {
    /// The UID in the token, which ``UserID/isAllowed(_:)`` has accepted.
    package let uid: String
    /// The claims for the tokens of this session; `nil` if the custom token has none.
    package let claims: CustomClaims?
    package let opening: SessionOpening

    /// Makes a request from its checked parts; `opening` is fresh.
    package init(uid: String, claims: CustomClaims?, opening: SessionOpening) {
        self.uid = uid
        self.claims = claims
        self.opening = opening
    }
}

extension AccountFlows {
    /// Signs in the user whose UID a verified custom token contains, and creates the user if there is none (contract,
    /// 3.9).
    ///
    /// The token counts as a sign-in method, so a guest becomes a permanent user. A deleted user is created anew with
    /// the same UID; a user who was merged into another one is not.
    ///
    /// - Throws: ``Refusal`` USER_DISABLED, USER_NOT_FOUND (a merged UID), MERGE_IN_PROGRESS,
    ///   TOO_MANY_ATTEMPTS_TRY_LATER.
    package func signIn(by token: CustomTokenSignIn, in store: some AccountStore) throws -> SignedIn {
        guard let known = try store.user(token.uid) else { return try create(token, in: store) }
        guard !known.isDisabled else { throw Refusal(.userDisabled) }
        try known.refuseIfMergeSuspended()
        // Every transaction locks users before counters.
        try store.lockUsers([known.uid])
        try count(
            "custom:\(known.uid)",
            policy.customSignInsPerUser,
            named: "limits.customSignInsPerUser",
            in: store
        )
        var user = known
        user.customAuthAt = known.customAuthAt ?? store.now
        user.lastLoginAt = store.now
        // A session or link that an attacker planted in a guest must not open the permanent account.
        if known.isAnonymous { try endGuest(&user, in: store) }
        try store.update(user)
        try audit(known.isAnonymous ? .userLinked : .userSignedIn, uid: user.uid, in: store)
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
        try audit(.userCreated, uid: user.uid, in: store)
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
