#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

extension Auth {
    /// Signs out locally and ends the session on the server.
    ///
    /// An anonymous user is deleted with all its data.
    ///
    /// - Returns: whether an anonymous user was deleted. Without a signed-in user, the call only clears the stored
    ///   state, and returns `false`.
    /// - Throws: ``AuthError/Code/networkRequestFailed`` when no answer arrived: the user is signed out locally, but
    ///   the session may still be valid on the server. ``AuthError/Code/storageFailed`` when the sign-out could not be
    ///   stored on this device. Another code of the server, for example ``AuthError/Code/tooManyRequests``: the user is
    ///   signed out locally only.
    @discardableResult
    public func signOut() async throws(AuthError) -> SignOutResult {
        try await exclusively { () async throws(AuthError) -> SignOutResult in
            guard let session = try? self.session() else {
                try self.commit { $0 = PersistedState() }
                return SignOutResult(wasReset: false)
            }
            // Sign out locally first, whatever happens next. But a full disk must not keep the server from being
            // notified.
            let stored = self.clear()
            do throws(AuthError) {
                let response = try await self.api.signOut(refreshToken: session.refreshToken)
                try stored.get()
                return SignOutResult(wasReset: response.reset ?? false)
            } catch {
                switch error.code {
                case .userTokenExpired, .userDisabled, .invalidRefreshToken:
                    // The session had ended already, perhaps by a first attempt whose answer was lost.
                    return SignOutResult(wasReset: session.user.isAnonymous)
                default: throw error
                }
            }
        }
    }

    /// Reloads the signed-in user from the server, and stores the result as ``currentUser``.
    ///
    /// - Returns: the reloaded user.
    /// - Throws: ``AuthError/Code/noCurrentUser``; ``AuthError/Code/userTokenExpired``, ``AuthError/Code/userDisabled``
    ///   or ``AuthError/Code/invalidRefreshToken``, after which no user is signed in;
    ///   ``AuthError/Code/networkRequestFailed``, ``AuthError/Code/storageFailed``.
    @discardableResult
    public func reload() async throws(AuthError) -> User {
        try await exclusively { () async throws(AuthError) -> User in
            let response = try await self.presentingToken { token async throws(AuthError) in
                try await self.api.lookup(idToken: token)
            }
            return try self.update(with: response)
        }
    }

    /// Changes the display name and the picture of the signed-in user, or one of them.
    ///
    /// The request is not repeated. After ``AuthError/Code/networkRequestFailed`` the change may have happened.
    ///
    /// - Parameters:
    ///   - displayName: the change of the display name.
    ///   - photoURL: the change of the picture's URL.
    /// - Returns: the updated user.
    /// - Throws: as ``reload()``.
    @discardableResult
    public func updateProfile(
        displayName: ProfileField<String> = .unchanged,
        photoURL: ProfileField<URL> = .unchanged
    ) async throws(AuthError) -> User {
        try await exclusively { () async throws(AuthError) -> User in
            let response = try await self.presentingToken { token async throws(AuthError) in
                let asked = self.now()
                let changes = [displayName.removal("DISPLAY_NAME"), photoURL.removal("PHOTO_URL")].compactMap(\.self)
                let answer = try await self.api.update(
                    UpdateProfileBody(
                        idToken: token,
                        displayName: displayName.value,
                        photoUrl: photoURL.value?.absoluteString,
                        deleteAttribute: changes.isEmpty ? nil : changes
                    )
                )
                try self.adoptTokens(of: answer, asked: asked)
                return try await self.api.lookup(idToken: answer.idToken ?? token)
            }
            return try self.update(with: response)
        }
    }

    /// Deletes the signed-in user and all its data permanently, and signs out.
    ///
    /// - Throws: ``AuthError/Code/requiresRecentLogin`` when the last sign-in was too long ago: the user stays, and
    ///   stays signed in. Else as ``reload()``.
    public func delete() async throws(AuthError) {
        try await exclusively { () async throws(AuthError) in
            try await self.presentingToken { token async throws(AuthError) in
                try await self.api.delete(idToken: token)
            }
            try self.commit { $0 = PersistedState() }
        }
    }

    private func clear() -> Result<Void, AuthError> {
        do throws(AuthError) {
            return .success(try commit { $0 = PersistedState() })
        } catch {
            return .failure(error)
        }
    }

    func update(with response: LookupResponse) throws(AuthError) -> User {
        let session = try session()
        guard let account = response.users?.first(where: { $0.localId == session.user.uid }) else {
            throw AuthError(.internalError, detail: "the server returned another user")
        }
        let claims = IDTokenClaims(unverified: session.idToken)
        let user = account.user(isAnonymous: claims?.isAnonymous ?? session.user.isAnonymous)
        try commit { $0.session?.user = user }
        return user
    }

    private func adoptTokens(of response: UpdateProfileResponse, asked: Date) throws(AuthError) {
        guard let idToken = response.idToken, let refreshToken = response.refreshToken else { return }
        try commit { persisted in
            persisted.session?.idToken = idToken
            persisted.session?.refreshToken = refreshToken
            persisted.session?.expiry = asked.addingTimeInterval(Double(response.expiresIn?.value ?? 3600))
        }
    }
}

extension ProfileField {
    fileprivate var value: Value? {
        guard case .set(let value) = self else { return nil }
        return value
    }

    fileprivate func removal(_ name: String) -> String? {
        guard case .removed = self else { return nil }
        return name
    }
}
