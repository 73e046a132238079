/// The reason why a change stream ends.
package enum StreamEnd: Sendable, Equatable {
    case signedOut
    case revoked
    /// The user was merged into the one with this UID.
    case merged(into: String)
    case deleted
    case disabled
    case tokenExpired
    /// The session ended because its user was linked. Clients get the same reason as for ``sessionEnded``.
    case linked
    /// The session ended in any other way, has been unused for too long, is past its absolute end or no longer exists.
    case sessionEnded
    case serverStopping

    /// The stable name of the reason, such as `user.revoked`, for clients.
    package var reason: String {
        switch self {
        case .signedOut: "user.signed-out"
        case .revoked: "user.revoked"
        case .merged: "user.merged"
        case .deleted: "user.deleted"
        case .disabled: "user.disabled"
        case .tokenExpired: "token.expired"
        case .linked, .sessionEnded: "session.ended"
        case .serverStopping: "server.stopping"
        }
    }

    /// The UID of the user whom the stream's user was merged into; `nil` for other reasons.
    package var mergedInto: String? {
        if case .merged(let uid) = self { uid } else { nil }
    }
}

extension AccountFlows {
    /// Returns the reason why a token's stream must end; `nil` while it may continue.
    ///
    /// - Parameters:
    ///   - token: the token, which was valid when the stream began.
    ///   - expiry: the token's expiry, in seconds since 1970.
    ///   - session: the token's session as it is now, if it still exists.
    ///   - store: the transaction that read the session.
    package func streamEnd(
        of token: PresentedToken,
        expiry: Int64,
        session: ListeningSession?,
        in store: some AccountStore
    ) throws -> StreamEnd? {
        guard let session, session.uid == token.uid, let user = session.user else {
            return try end(withoutSessionOf: token.uid, in: store)
        }
        if user.disabledAt != nil { return .disabled }
        if session.endedAt != nil { return Self.streamEnd(session.endReason) }
        if token.issuedAt < user.validSince { return .revoked }
        if store.now - session.lastUsedAt > policy.sessionLife { return .sessionEnded }
        if isOver(signedInAt: session.authTime, isGuests: user.isAnonymous, at: store.now) { return .sessionEnded }
        return store.now >= expiry * 1000 ? .tokenExpired : nil
    }

    private func end(withoutSessionOf uid: String, in store: some AccountStore) throws -> StreamEnd {
        if try store.user(uid) != nil { return .sessionEnded }
        return try store.formerUser(uid)?.mergedInto.map { .merged(into: $0) } ?? .deleted
    }

    private static func streamEnd(_ reason: SessionEnd?) -> StreamEnd {
        switch reason {
        case .signedOut: .signedOut
        case .revoked: .revoked
        case .linked: .linked
        case .merged, .reused, .emailChanged, .proven, .ended, .limit, nil: .sessionEnded
        }
    }
}
