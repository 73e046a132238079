package import Tokens

/// The outcome of a sign-out.
package struct SignedOut: Sendable, Equatable {
    package let uid: String?
    package let isAnonymous: Bool
    /// Whether this call deleted the user, a guest whom no further sign-in could reach.
    package let reset: Bool
}

extension AccountFlows {
    /// Ends a session, and deletes its user if the user is anonymous.
    ///
    /// A token that ``refresh(_:in:)`` would not accept any more only ends the session, because the holder of such an
    /// old token must not be able to delete anything. A call for a session that has ended does nothing.
    ///
    /// - Parameters:
    ///   - token: the session's refresh token.
    ///   - keepsUser: whether to keep an anonymous user, because rows of the operator's own tables refer to them.
    ///   - store: the transaction.
    /// - Throws: ``Refusal`` INVALID_REFRESH_TOKEN if no such session exists, MERGE_IN_PROGRESS. The store's error if
    ///   rows in the operator's own tables keep the user from being deleted.
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
        try user?.refuseIfMergeSuspended()
        try store.endSession(session.sid, of: session.uid, reason: .signedOut)
        let isOwn = place(of: token, in: session, at: store.now) != .reused
        guard isOwn, !keepsUser, let user, isAnonymous else {
            try audit(.userSignedOut, uid: session.uid, detail: session.sid, in: store)
            return stays
        }
        try delete(user, because: .signOut, in: store)
        return SignedOut(uid: user.uid, isAnonymous: true, reset: true)
    }
}
