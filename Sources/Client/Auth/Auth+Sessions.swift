#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

extension Auth {
    /// Lists the active sessions of the signed-in user on all devices, most recently used first.
    ///
    /// - Throws: as ``reload()``.
    public func sessions() async throws(AuthError) -> [UserSession] {
        try await withToken { token async throws(AuthError) in
            try await self.api.sessions(idToken: token).sessions.map { entry throws(AuthError) in
                guard let session = UserSession(entry) else {
                    throw AuthError(.networkRequestFailed, detail: "the server sent an invalid time")
                }
                return session
            }
        }
    }

    /// Ends a session of the user, for example that of a lost device.
    ///
    /// Ending the current session signs the user out locally. Only ``signOut()`` ends a guest's current session.
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

/// A session: one sign-in of the user, on one device or in one browser.
public struct UserSession: Sendable, Equatable, Identifiable {
    /// The session's ID, as in `sid` of its ID tokens.
    ///
    /// The ID is not secret, because it grants no access.
    public let id: String
    /// The device, such as `Firefox · Linux`; `nil` if unknown.
    public let device: String?
    /// How the user signed in, in Firebase's terms: `password` for an e-mail link or code, `anonymous`, `custom`, or
    /// the identity provider, such as `google.com`.
    public let signInProvider: String
    /// When the session began.
    public let creationDate: Date
    /// When the session last got an ID token.
    public let lastUseDate: Date
    /// Whether this is the session of the ``Auth`` that listed it.
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
