#if canImport(FoundationEssentials)
    internal import FoundationEssentials
#else
    internal import Foundation
#endif

extension Auth {
    /// Signs in by an identity provider: to the account that has the identity or its proven address, or to a new one.
    ///
    /// An anonymous user who is signed in is left behind; ``link(with:onConflict:)`` keeps it.
    ///
    /// - Parameter credential: The provider's ID token.
    /// - Returns: The user, and whether it is new.
    /// - Throws: ``AuthError/Code/accountExistsWithDifferentCredential`` when the address has an account and the provider's word
    ///   for it does not count: sign in there in another way, then link. ``AuthError/Code/invalidCredential``,
    ///   ``AuthError/Code/missingOrInvalidNonce``, ``AuthError/Code/operationNotAllowed``, ``AuthError/Code/userDisabled``.
    @discardableResult
    public func signIn(with credential: ProviderCredential) async throws(AuthError) -> AuthResult {
        try await exclusively { () async throws(AuthError) -> AuthResult in
            try await self.redeem(credential, presentingUser: false, onConflict: .error)
        }
    }

    /// Gives the user who is signed in an identity at a provider.
    ///
    /// The UID stays.
    ///
    /// - Parameters:
    ///   - credential: The provider's ID token.
    ///   - onConflict: What to do when the identity, or its proven address, is another user's.
    /// - Returns: The user, with the identity.
    /// - Throws: ``AuthError/Code/credentialAlreadyInUse`` or ``AuthError/Code/emailAlreadyInUse``: nothing has changed, and the
    ///   same credential can merge or sign in to the other account. ``AuthError/Code/noCurrentUser``; with
    ///   ``ConflictPolicy/merge`` ``AuthError/Code/mergeRefused``, ``AuthError/Code/mergeFailed``,
    ///   ``AuthError/Code/mergeInProgress``.
    @discardableResult
    public func link(
        with credential: ProviderCredential,
        onConflict: ConflictPolicy = .error
    ) async throws(AuthError) -> AuthResult {
        try await exclusively { () async throws(AuthError) -> AuthResult in
            try await self.redeem(credential, presentingUser: true, onConflict: onConflict)
        }
    }

    /// Goes on with an identity at a provider: links it to the anonymous user, merges, or signs in, whatever fits.
    ///
    /// - Parameters:
    ///   - credential: The provider's ID token.
    ///   - onConflict: With ``ConflictPolicy/error``, an identity that has an account is not merged into.
    /// - Returns: Which of these has happened, with the user who is signed in now.
    /// - Throws: As ``signIn(with:)`` and ``link(with:onConflict:)``.
    @discardableResult
    public func `continue`(
        with credential: ProviderCredential,
        onConflict: ConflictPolicy = .merge
    ) async throws(AuthError) -> SignInOutcome {
        try await exclusively { () async throws(AuthError) -> SignInOutcome in
            let isGuest = self.currentUser?.isAnonymous ?? false
            do throws(AuthError) {
                return try await self.redeem(credential, presentingUser: isGuest, onConflict: onConflict).outcome
            } catch {
                // The guest's session was over, and the guest perhaps gone: the credential is as it was.
                guard isGuest, self.currentUser == nil, error.code != .userDisabled else { throw error }
                return try await self.redeem(credential, presentingUser: false, onConflict: .error).outcome
            }
        }
    }

    /// Signs in by a custom token that the app's own back end made.
    ///
    /// An anonymous user who is signed in is left behind.
    ///
    /// - Parameter customToken: The token. A secret.
    /// - Throws: ``AuthError/Code/invalidCustomToken``, ``AuthError/Code/customTokenMismatch``,
    ///   ``AuthError/Code/userDisabled``.
    @discardableResult
    public func signIn(withCustomToken customToken: String) async throws(AuthError) -> AuthResult {
        try await exclusively { () async throws(AuthError) -> AuthResult in
            let asked = self.now()
            let response = try await self.api.signIn(CustomTokenBody(token: customToken))
            return try await self.begin(response, asked: asked, isLinked: false)
        }
    }

    /// Redeems a provider's ID token, and makes a session of what comes of it.
    ///
    /// Only inside ``exclusively(_:)``.
    private func redeem(
        _ credential: ProviderCredential,
        presentingUser: Bool,
        onConflict: ConflictPolicy
    ) async throws(AuthError) -> AuthResult {
        let asks: (String?) async throws(AuthError) -> (ProviderResponse, Date) = { token async throws(AuthError) in
            let asked = self.now()
            let policy = token == nil ? nil : onConflict.wireValue
            return (try await self.api.signIn(ProviderBody(credential, idToken: token, onConflict: policy)), asked)
        }
        let before = currentUser
        let (response, asked) = try await presentingUser ? presentingToken(asks) : asks(nil)
        guard let session = response.session else {
            throw AuthError(
                .accountExistsWithDifferentCredential,
                detail:
                    "the address has an account, and \(credential.providerID) does not prove that it is the same person's"
            )
        }
        return try await begin(session, asked: asked, isLinked: presentingUser && session.localId == before?.uid)
    }
}
