package import Tokens

/// What came of a sign-out.
package struct SignedOut: Sendable, Equatable {
    package let uid: String?
    package let isAnonymous: Bool
    /// Whether the user was anonymous and has been deleted, since nobody could reach them again.
    package let reset: Bool
}

extension AccountFlows {
    /// Ends a session; an anonymous user goes with it.
    ///
    /// A token that is neither current nor previous only ends the session: whoever holds such an old one must not be able to
    /// delete anything. Repeating the call is harmless.
    ///
    /// - Parameters:
    ///   - token: the session's.
    ///   - keepsUser: whether an anonymous user stays all the same, because the operator's own tables do not let go of it.
    ///   - store: the transaction.
    /// - Throws: ``Refusal`` INVALID_REFRESH_TOKEN where no such session exists, MERGE_IN_PROGRESS.
    package func signOut(
        _ token: RefreshToken,
        keepsUser: Bool = false,
        in store: some AccountStore
    ) throws -> SignedOut {
        guard let found = try store.sessionAndUser(token.session.text) else {
            throw Refusal(.invalidRefreshToken)
        }
        let (session, user) = found
        let isAnonymous = user?.isAnonymous ?? false
        let stays = SignedOut(uid: session.uid, isAnonymous: isAnonymous, reset: false)
        guard session.endedAt == nil else { return stays }
        try user?.refuseIfHeld()
        try store.endSession(session.sid, reason: .signedOut)
        let isOwn = place(of: token, in: session, at: store.now) != .reused
        guard isOwn, !keepsUser, let user, isAnonymous else { return stays }
        try delete(user, because: .signOut, in: store)
        return SignedOut(uid: user.uid, isAnonymous: true, reset: true)
    }
}
