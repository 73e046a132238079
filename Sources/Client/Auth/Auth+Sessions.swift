#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

extension Auth {
    /// Lists where the user is signed in: the live sessions, the most recently used first.
    ///
    /// - Throws: ``AuthError/Code/noCurrentUser``, ``AuthError/Code/networkRequestFailed``, and as ``reload()``.
    public func sessions() async throws(AuthError) -> [UserSession] {
        try await withToken { token async throws(AuthError) in
            try await self.api.sessions(idToken: token).sessions.map { entry throws(AuthError) in
                guard let session = UserSession(entry) else {
                    throw AuthError(.networkRequestFailed, detail: "the server answered a time that is none")
                }
                return session
            }
        }
    }

    /// Ends a session of the user, for example that of a lost device.
    ///
    /// Ending the current session signs the user out here. A guest's current session is ended by ``signOut()`` alone.
    ///
    /// - Parameter id: ``UserSession/id``.
    /// - Throws: ``AuthError/Code/sessionNotFound``, ``AuthError/Code/operationNotAllowed`` for a guest's current session, and as
    ///   ``reload()``.
    public func endSession(_ id: String) async throws(AuthError) {
        try await exclusively { () async throws(AuthError) in
            try await self.presentingToken { token async throws(AuthError) in
                try await self.api.endSession(id, idToken: token)
            }
            guard IDTokenClaims(unverified: try self.session().idToken)?.sid == id else { return }
            try self.commit { $0 = PersistedState() }
        }
    }
}

/// A device or browser where the user is signed in.
public struct UserSession: Sendable, Equatable, Identifiable {
    /// Names the session, as `sid` in its ID tokens does; opens nothing, so it is no secret.
    public let id: String
    /// What the device is, such as `Firefox · Linux`; `nil` where it did not say.
    public let device: String?
    /// How the user signed in, as Firebase names it: `password` for an e-mail link or code, else the provider.
    public let signInProvider: String
    /// When the session began.
    public let creationDate: Date
    /// When the session last got an ID token.
    public let lastUseDate: Date
    /// Whether it is the session that asks.
    public let isCurrent: Bool

    init?(_ entry: SessionsResponse.Entry) {
        guard let createdAt = WireDate.date(entry.createdAt), let lastUsedAt = WireDate.date(entry.lastUsedAt) else {
            return nil
        }
        id = entry.id
        device = entry.device
        signInProvider = entry.signInProvider
        creationDate = createdAt
        lastUseDate = lastUsedAt
        isCurrent = entry.current ?? false
    }
}
