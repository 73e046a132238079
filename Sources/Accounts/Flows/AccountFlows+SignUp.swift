extension AccountFlows {
    /// Creates an anonymous user with a first session (contract, 3.1).
    ///
    /// - Parameters:
    ///   - uid: a fresh random UID.
    ///   - opening: the session to begin.
    ///   - store: the transaction.
    /// - Throws: ``Refusal`` ADMIN_ONLY_OPERATION where anonymous sign-in is switched off.
    package func signUpAnonymously(
        uid: String,
        opening: SessionOpening,
        in store: some AccountStore
    ) throws -> SignedIn {
        guard policy.anonymousSignIn else { throw Refusal(.adminOnlyOperation) }
        let user = User(anonymous: uid, at: store.now)
        try store.insert(user)
        try announce(.userCreated, user.uid, isAnonymous: true, in: store)
        return try signIn(user, opening: opening, provider: .anonymous, isNewUser: true, in: store)
    }
}
