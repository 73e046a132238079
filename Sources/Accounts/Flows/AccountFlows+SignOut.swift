package import Tokens

/// What came of a sign-out.
package struct SignedOut: Sendable, Equatable {
    package let uid: String?
    /// Whether the user was anonymous and has been deleted, since nobody could reach them again.
    package let reset: Bool
}

extension AccountFlows {
    /// Ends a session; an anonymous user goes with it.
    ///
    /// A token that is neither current nor previous only ends the session: whoever holds such an old one must not be able to
    /// delete anything. Repeating the call is harmless.
    ///
    /// - Throws: ``Refusal`` INVALID_REFRESH_TOKEN where no such session exists, MERGE_IN_PROGRESS.
    package func signOut(_ token: RefreshToken, in store: some AccountStore) throws -> SignedOut {
        guard let found = try store.sessionAndUser(token.session.text) else {
            throw Refusal(.invalidRefreshToken)
        }
        guard found.session.endedAt == nil else { return SignedOut(uid: found.session.uid, reset: false) }
        if let user = found.user { try refuseHeld(user) }
        try store.endSession(found.session.sid, reason: .signedOut)
        let isOwn = place(of: token, in: found.session, at: store.now) != .reused
        guard isOwn, let user = found.user, user.isAnonymous else {
            return SignedOut(uid: found.session.uid, reset: false)
        }
        try delete(user, in: store)
        return SignedOut(uid: user.uid, reset: true)
    }

    /// Deletes a user for good, with their sessions.
    func delete(_ user: User, in store: some AccountStore) throws {
        try store.deleteSessions(of: user.uid)
        try store.deleteUser(user.uid)
        try store.audit(.userDeleted, uid: user.uid, detail: nil)
        try announce(.userDeleted, user, in: store)
    }

    /// Deletes the user of an ID token at their own wish (contract, 3.6).
    ///
    /// - Throws: ``Refusal`` MERGE_IN_PROGRESS, or as ``authenticate(_:in:)`` does.
    package func deleteUser(_ token: PresentedToken, in store: some AccountStore) throws -> User {
        let (user, _) = try authenticate(token, in: store)
        try refuseHeld(user)
        try delete(user, in: store)
        return user
    }
}
