/// The live sessions of a user, for the user or an administrator to see.
package struct ListedSessions: Sendable, Equatable {
    /// The most recently used first.
    package let sessions: [Session]
    /// The session that asks; `nil` where an administrator does.
    package let current: String?
}

extension AccountFlows {
    /// The maximum number of sessions in a list; a user has more only where the limit of sessions was raised.
    private static let mostListed: Int64 = 1000

    /// Lists the live sessions of an ID token's user.
    ///
    /// - Throws: ``Refusal``, those of ``authenticate(_:in:)``.
    package func sessions(of token: PresentedToken, in store: some AccountStore) throws -> ListedSessions {
        try store.foresee { store in
            _ = try store.sessionAndUser(token.sid)
            _ = try store.sessions(of: token.uid, limit: Self.mostListed)
        }
        let (user, session) = try authenticate(token, in: store)
        return ListedSessions(sessions: try liveSessions(of: user, in: store), current: session.sid)
    }

    /// Lists the live sessions of a user for an administrator.
    ///
    /// - Returns: `nil` where there is no such user.
    package func sessions(ofUser uid: String, in store: some AccountStore) throws -> ListedSessions? {
        guard let user = try store.user(uid) else { return nil }
        return ListedSessions(sessions: try liveSessions(of: user, in: store), current: nil)
    }

    /// Finds a live session of a user for an administrator, who may have its `sid` from a session cookie.
    ///
    /// - Throws: ``Refusal`` SESSION_NOT_FOUND where the user does not exist, or the session is another user's or over.
    package func session(_ sid: String, ofUser uid: String, in store: some AccountStore) throws -> Session {
        guard let found = try store.sessionAndUser(sid), let user = found.user, user.uid == uid,
            isUsable(found.session, of: user, at: store.now)
        else { throw Refusal(.sessionNotFound).ofValid() }
        return found.session
    }

    /// Ends a session of an ID token's user; ending it again is harmless.
    ///
    /// - Throws: ``Refusal`` SESSION_NOT_FOUND, OPERATION_NOT_ALLOWED for the session that a guest presents, or those of
    ///   ``authenticate(_:in:)``.
    package func endSession(_ sid: String, of token: PresentedToken, in store: some AccountStore) throws {
        let (user, session) = try authenticate(token, in: store)
        if user.isAnonymous, session.sid == sid {
            throw Refusal(
                .operationNotAllowed,
                detail: "A guest cannot sign in again. accounts:signOut ends this session and deletes the guest."
            )
        }
        try endSession(sid, ofUser: user.uid, in: store)
    }

    /// Ends a session of a user on behalf of an administrator; ending it again is harmless.
    ///
    /// - Throws: ``Refusal`` SESSION_NOT_FOUND.
    package func endSession(_ sid: String, ofUser uid: String, in store: some AccountStore) throws {
        guard let session = try store.sessionAndUser(sid)?.session, session.uid == uid else {
            throw Refusal(.sessionNotFound).ofValid()
        }
        guard session.endedAt == nil else { return }
        try store.endSession(sid, reason: .ended)
        try store.audit(.sessionEnded, uid: uid, detail: sid)
    }

    /// Ends the sessions that users have beyond the limit: of each user those whose last use is longest ago.
    ///
    /// - Parameters:
    ///   - uids: users who have just signed in.
    ///   - others: users that the transaction is about to change too; all are locked here, in one order.
    package func limitSessions(
        of uids: [String],
        lockingAlso others: [String],
        in store: some AccountStore
    ) throws {
        let crowded =
            uids.isEmpty ? [] : try store.users(among: uids, withMoreSessionsThan: policy.sessionsPerUser)
        try store.hold(Set(crowded + others).sorted())
        for uid in crowded {
            try store.endSessions(of: uid, beyond: policy.sessionsPerUser, reason: .limit)
            try store.audit(.sessionsLimited, uid: uid, detail: nil)
        }
    }

    private func liveSessions(of user: User, in store: some AccountStore) throws -> [Session] {
        let now = store.now
        return try store.sessions(of: user.uid, limit: Self.mostListed).filter { isUsable($0, of: user, at: now) }
    }

    /// Whether a session's refresh token yields tokens.
    private func isUsable(_ session: Session, of user: User, at now: Int64) -> Bool {
        !user.isDisabled && session.createdAt / 1000 >= user.validSince && isAlive(session, of: user, at: now)
    }
}
