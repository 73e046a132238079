#if canImport(FoundationEssentials)
    internal import FoundationEssentials
#else
    internal import Foundation
#endif

extension Auth {
    /// Signs in with an identity provider: to the account with the identity or its verified address, or to a new
    /// account.
    ///
    /// A signed-in anonymous user is abandoned: this device loses access to the user and its data.
    /// ``link(with:onConflict:)`` keeps the user.
    ///
    /// - Parameter credential: the provider's ID token.
    /// - Returns: the user, and whether it is new.
    /// - Throws: ``AuthError/Code/accountExistsWithDifferentCredential`` when the address has an account and the
    ///   provider does not prove that it belongs to the same person: sign in to that account in another way, then link.
    ///   ``AuthError/Code/invalidCredential``, ``AuthError/Code/missingOrInvalidNonce``,
    ///   ``AuthError/Code/operationNotAllowed``, ``AuthError/Code/providerUnavailable``,
    ///   ``AuthError/Code/userDisabled``.
    @discardableResult
    public func signIn(with credential: ProviderCredential) async throws(AuthError) -> AuthResult {
        try await exclusively { () async throws(AuthError) -> AuthResult in
            try await self.redeem(credential, presentingUser: false, onConflict: .error)
        }
    }

    /// Links an identity of a provider to the signed-in user.
    ///
    /// The UID stays the same.
    ///
    /// - Parameters:
    ///   - credential: the provider's ID token.
    ///   - onConflict: what to do when the identity, or its proven address, is another user's.
    /// - Returns: the user, with the identity.
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

    /// Continues with an identity of a provider: links it to the anonymous user, merges, or signs in, whichever
    /// applies.
    ///
    /// - If an anonymous user is signed in and the identity is new, the user gets the identity and keeps the UID.
    /// - If an anonymous user is signed in and the identity has an account, all data of the anonymous user moves there.
    /// - Otherwise the call signs in to the account of the identity, or creates one.
    ///
    /// - Parameters:
    ///   - credential: the provider's ID token.
    ///   - onConflict: with ``ConflictPolicy/error``, does not merge into the account of the identity.
    /// - Returns: what happened, with the user who is signed in now.
    /// - Throws: as ``signIn(with:)`` and ``link(with:onConflict:)``.
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
                // The guest's session had ended, and the guest may be gone. The credential is unused.
                guard isGuest, self.currentUser == nil, error.code != .userDisabled else { throw error }
                return try await self.redeem(credential, presentingUser: false, onConflict: .error).outcome
            }
        }
    }

    /// Signs in with a custom token from the app's own back end.
    ///
    /// A signed-in anonymous user is abandoned: this device loses access to the user and its data.
    ///
    /// - Parameter customToken: the token. A secret.
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

    /// Sends a provider's ID token to the server, and starts the session in the answer.
    ///
    /// Call it only inside ``exclusively(_:)``.
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
                    "the address has an account, and \(credential.providerID) does not prove that it belongs to the same person"
            )
        }
        return try await begin(session, asked: asked, isLinked: presentingUser && session.localId == before?.uid)
    }
}
