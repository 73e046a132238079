internal import Synchronization

#if canImport(FoundationEssentials)
    internal import FoundationEssentials
#else
    internal import Foundation
#endif

extension Auth {
    /// The remaining lifetime in seconds below which an ID token is renewed.
    static let renewalMargin: Double = 30

    /// Returns an ID token that is valid for at least 30 seconds, to present to the app's own servers.
    ///
    /// The token is renewed if needed. Concurrent callers share one renewal, and a lost answer is requested again. The
    /// rest of the lifetime is measured by this device's clock.
    ///
    /// - Parameter forcingRefresh: whether to renew the token in any case, for example to get new claims.
    /// - Returns: the token. A secret.
    /// - Throws: ``AuthError/Code/noCurrentUser``; ``AuthError/Code/userTokenExpired``, ``AuthError/Code/userDisabled``
    ///   or ``AuthError/Code/invalidRefreshToken``, after which no user is signed in;
    ///   ``AuthError/Code/networkRequestFailed``, ``AuthError/Code/storageFailed``.
    public func idToken(forcingRefresh: Bool = false) async throws(AuthError) -> String {
        let session = memory.withLock { $0.persisted.session }
        if let session, !forcingRefresh, isFresh(session) { return session.idToken }
        let seen = session?.idToken
        return try await refreshing.run {
            await self.result { () async throws(AuthError) -> String in
                // Another caller, here or in another process, may have renewed it while this one waited.
                let session = try self.session()
                if session.idToken != seen && self.isFresh(session) { return session.idToken }
                return forcingRefresh ? try await self.renew(session) : try await self.freshToken()
            }
        }
    }

    /// Makes a call that presents an ID token.
    ///
    /// Call it only inside ``exclusively(_:)``.
    ///
    /// If the server rejects the token as expired, the token is renewed and the call made once more, because this
    /// device's clock may be wrong. If the session has really ended, or its user is deleted or disabled, the local user
    /// is signed out.
    ///
    /// - Parameter call: makes the call with the given ID token; runs at most twice.
    /// - Returns: what `call` returns.
    /// - Throws: what `call` throws; ``AuthError/Code/noCurrentUser``, and the errors of a renewal.
    func presentingToken<T: Sendable>(
        _ call: (String) async throws(AuthError) -> T
    ) async throws(AuthError) -> T {
        let token = try await freshToken()
        do {
            return try await call(token)
        } catch {
            guard error.serverCode == "TOKEN_EXPIRED" else {
                try signOutIfOver(error)
                throw error
            }
        }
        let renewed = try await renew(try session())
        do {
            return try await call(renewed)
        } catch {
            try signOutIfOver(error)
            throw error
        }
    }

    /// Makes a call on the user's data, without waiting for calls that change the session.
    ///
    /// If the server rejects the token, the token is renewed and the call made once more. The renewal signs the local
    /// user out if the session has ended. The call is made for the user who was signed in at its start, or the user
    /// into whom that one was merged, and for no other user: then it throws ``AuthError/Code/userTokenExpired``.
    func withToken<T: Sendable>(_ call: (String) async throws(AuthError) -> T) async throws(AuthError) -> T {
        guard let uid = currentUser?.uid else { throw AuthError(.noCurrentUser) }
        do {
            return try await call(try await token(of: uid, forcingRefresh: false))
        } catch {
            guard [.userTokenExpired, .userDisabled].contains(error.code), currentUser != nil else { throw error }
        }
        return try await call(try await token(of: uid, forcingRefresh: true))
    }

    private func token(of uid: String, forcingRefresh: Bool) async throws(AuthError) -> String {
        let token = try await idToken(forcingRefresh: forcingRefresh)
        let owner = IDTokenClaims(unverified: token)?.sub
        guard owner == uid || owner == memory.withLock({ $0.successors[uid] }) else {
            throw AuthError(.userTokenExpired, detail: "another user has signed in meanwhile")
        }
        return token
    }

    /// Returns the signed-in user's session.
    ///
    /// Call it only inside ``exclusively(_:)``.
    ///
    /// - Throws: ``AuthError/Code/noCurrentUser``.
    func session() throws(AuthError) -> StoredSession {
        guard let session = memory.withLock({ $0.persisted.session }) else { throw AuthError(.noCurrentUser) }
        return session
    }

    private func isFresh(_ session: StoredSession) -> Bool {
        session.expiry.timeIntervalSince(now()) > Self.renewalMargin
    }

    func freshToken() async throws(AuthError) -> String {
        let session = try session()
        return isFresh(session) ? session.idToken : try await renew(session)
    }

    func renew(_ session: StoredSession) async throws(AuthError) -> String {
        let asked = now()
        let response: RefreshResponse
        do {
            response = try await api.refresh(session.refreshToken)
        } catch {
            try signOutIfOver(error)
            throw error
        }
        guard response.userId == session.user.uid else {
            throw AuthError(.internalError, detail: "the server renewed a token of another user")
        }
        try commit { persisted in
            persisted.session?.idToken = response.idToken
            persisted.session?.refreshToken = response.refreshToken
            persisted.session?.expiry = asked.addingTimeInterval(Double(response.expiresIn.value))
        }
        return response.idToken
    }

    /// Signs the local user out when an error means that the session has ended permanently.
    private func signOutIfOver(_ error: AuthError) throws(AuthError) {
        switch error.code {
        case .userTokenExpired, .userDisabled, .invalidRefreshToken:
            try commit { $0 = PersistedState() }
        default: break
        }
    }
}
