internal import Synchronization

#if canImport(FoundationEssentials)
    internal import FoundationEssentials
#else
    internal import Foundation
#endif

extension Auth {
    /// An ID token is renewed when it has less than this left.
    static let renewalMargin: Double = 30

    /// An ID token that is good for at least 30 seconds, to present to the app's own servers.
    ///
    /// Renews it when needed; callers who ask at the same time share one renewal. A lost answer is asked for again.
    ///
    /// - Parameter forcingRefresh: Renews it in any case, for example to see new claims.
    /// - Returns: The token. A secret.
    /// - Throws: ``AuthError/Code/noCurrentUser``; ``AuthError/Code/userTokenExpired``, ``AuthError/Code/userDisabled``
    ///   or ``AuthError/Code/invalidRefreshToken`` after which nobody is signed in; ``AuthError/Code/networkRequestFailed``.
    public func idToken(forcingRefresh: Bool = false) async throws(AuthError) -> String {
        let session = memory.withLock { $0.persisted.session }
        if let session, !forcingRefresh, isFresh(session) { return session.idToken }
        let seen = session?.idToken
        return try await refreshing.run {
            await self.result { () async throws(AuthError) -> String in
                // Whoever came first, here or in another process, may have renewed it while this one waited.
                let session = try self.session()
                if session.idToken != seen && self.isFresh(session) { return session.idToken }
                return forcingRefresh ? try await self.renew(session) : try await self.freshToken()
            }
        }
    }

    /// Makes a call that presents an ID token.
    ///
    /// Only inside ``exclusively(_:)``.
    ///
    /// A token that the server calls expired is renewed once: a clock that jumped must not cost an anonymous user. When
    /// the session has really ended, or its user is gone or disabled, the local user is signed out.
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

    /// Makes a call on what belongs to the user, beside others: it does not wait for calls that change the session.
    ///
    /// A session that is over is found out by renewing its token, which signs the local user out. The call is made for the
    /// user who was signed in when it began, or whom that one was merged into, and for nobody else.
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
            throw AuthError(.userTokenExpired, detail: "somebody else has signed in meanwhile")
        }
        return token
    }

    /// The session.
    ///
    /// Only inside ``exclusively(_:)``.
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

    /// Signs the local user out when an error says that the session is over for good.
    private func signOutIfOver(_ error: AuthError) throws(AuthError) {
        switch error.code {
        case .userTokenExpired, .userDisabled, .invalidRefreshToken:
            try commit { $0 = PersistedState() }
        default: break
        }
    }
}
