#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

extension Auth {
    /// Signs out here and ends the session on the server.
    ///
    /// An anonymous user is deleted with all that belongs to it.
    ///
    /// - Throws: ``AuthError/Code/networkRequestFailed`` when the server could not be told: nobody is signed in here
    ///   then, but the session goes on there until it ends by age. ``AuthError/Code/storageFailed``.
    @discardableResult
    public func signOut() async throws(AuthError) -> SignOutResult {
        try await exclusively { () async throws(AuthError) -> SignOutResult in
            guard let session = try? self.session() else {
                try self.commit { $0 = PersistedState() }
                return SignOutResult(wasReset: false)
            }
            // Here first, whatever comes of the rest; but a full disk must not keep the server from being told.
            let stored = self.clear()
            do throws(AuthError) {
                let response = try await self.api.signOut(refreshToken: session.refreshToken)
                try stored.get()
                return SignOutResult(wasReset: response.reset ?? false)
            } catch {
                switch error.code {
                case .userTokenExpired, .userDisabled, .invalidRefreshToken:
                    // The session was over already, perhaps by a first try whose answer was lost.
                    return SignOutResult(wasReset: session.user.isAnonymous)
                default: throw error
                }
            }
        }
    }

    /// Asks the server for the user as it is now.
    ///
    /// - Throws: ``AuthError/Code/userTokenExpired`` or ``AuthError/Code/userDisabled``, after which nobody is signed in.
    @discardableResult
    public func reload() async throws(AuthError) -> User {
        try await exclusively { () async throws(AuthError) -> User in
            let response = try await self.presentingToken { token async throws(AuthError) in
                try await self.api.lookup(idToken: token)
            }
            return try self.update(with: response)
        }
    }

    /// Changes the name or the picture of the user.
    ///
    /// - Parameters:
    ///   - displayName: The name to show.
    ///   - photoURL: The picture to show.
    /// - Returns: The user as it is then.
    /// - Throws: As ``reload()``.
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

    /// Deletes the user for good, and signs out.
    ///
    /// - Throws: ``AuthError/Code/requiresRecentLogin`` when the last sign-in was too long ago.
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
            throw AuthError(.internalError, detail: "the server described another user")
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
