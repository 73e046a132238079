/// The live sessions of a user, listed for the user or an administrator.
package struct ListedSessions: Sendable, Equatable {
    /// The sessions, the most recently used first.
    package let sessions: [Session]
    /// The `sid` of the session whose ID token requested the list; `nil` if an administrator did.
    package let current: String?

    /// Makes a list from its parts.
    package init(sessions: [Session], current: String?) {
        self.sessions = sessions
        self.current = current
    }
}

extension AccountFlows {
    /// The maximum number of sessions in a list; a user can only have more if the limit of sessions was raised.
    private static let mostListed: Int64 = 1000

    /// Lists the live sessions of an ID token's user.
    ///
    /// - Throws: ``Refusal``, those of ``authenticate(_:in:)``.
    package func sessions(of token: PresentedToken, in store: some AccountStore) throws -> ListedSessions {
        try store.prefetch { store in
            _ = try store.sessionAndUser(token.sid)
            _ = try store.sessions(of: token.uid, limit: Self.mostListed)
        }
        let (user, session) = try authenticate(token, in: store)
        return ListedSessions(sessions: try liveSessions(of: user, in: store), current: session.sid)
    }

    /// Lists the live sessions of a user for an administrator.
    ///
    /// - Returns: the sessions; `nil` if there is no such user.
    package func sessions(ofUser uid: String, in store: some AccountStore) throws -> ListedSessions? {
        guard let user = try store.user(uid) else { return nil }
        return ListedSessions(sessions: try liveSessions(of: user, in: store), current: nil)
    }

    /// Finds a live session of a user for an administrator, who may have its `sid` from a session cookie.
    ///
    /// - Throws: ``Refusal`` SESSION_NOT_FOUND if the user does not exist or is disabled, or if the session belongs to
    ///   another user or is over.
    package func session(_ sid: String, ofUser uid: String, in store: some AccountStore) throws -> Session {
        guard let found = try store.sessionAndUser(sid), let user = found.user, user.uid == uid,
            isUsable(found.session, of: user, at: store.now)
        else { throw Refusal(.sessionNotFound).ofValid() }
        return found.session
    }

    /// Ends a session of an ID token's user; ending it again has no effect.
    ///
    /// - Throws: ``Refusal`` SESSION_NOT_FOUND, OPERATION_NOT_ALLOWED for the session that a guest presents, or those
    ///   of ``authenticate(_:in:)``.
    package func endSession(_ sid: String, of token: PresentedToken, in store: some AccountStore) throws {
        let (user, session) = try authenticate(token, in: store)
        if user.isAnonymous, session.sid == sid {
            throw Refusal(
                .operationNotAllowed,
                detail: "A guest cannot sign in again. accounts:signOut ends this session and deletes the guest."
            )
        }
        try end(sid, of: user.uid, in: store)
    }

    /// Ends a session of a user on behalf of an administrator, who is ``actor``; ending it again has no effect.
    ///
    /// - Throws: ``Refusal`` SESSION_NOT_FOUND, or OPERATION_NOT_ALLOWED if an administrator's ID token ends a session
    ///   of an account in `administrators`.
    package func endSession(_ sid: String, ofUser uid: String, in store: some AccountStore) throws {
        try requireAuthority(over: uid, in: store)
        try end(sid, of: uid, in: store)
    }

    private func end(_ sid: String, of uid: String, in store: some AccountStore) throws {
        guard let session = try store.sessionAndUser(sid)?.session, session.uid == uid else {
            throw Refusal(.sessionNotFound).ofValid()
        }
        guard session.endedAt == nil else { return }
        try store.endSession(sid, of: uid, reason: .ended)
        try audit(.sessionEnded, uid: uid, detail: sid, in: store)
    }

    /// Ends the sessions that users have beyond the limit, the least recently used of each user first.
    ///
    /// - Parameters:
    ///   - uids: the users to check, who have just signed in; users beyond ``Policy/sessionsPerUser`` are locked.
    ///   - others: users of whom the transaction is about to add rows; they are locked here, in the same order.
    package func limitSessions(
        of uids: [String],
        recording others: [String],
        in store: some AccountStore
    ) throws {
        func crowded(among uids: Set<String>) throws -> [String] {
            uids.isEmpty ? [] : try store.users(among: uids.sorted(), withMoreSessionsThan: policy.sessionsPerUser)
        }
        let uids = Set(uids), others = Set(others)
        let locked = try others.union(crowded(among: uids.subtracting(others)))
        try store.renewUsers(locked.sorted())
        // Counted under the locks: until then, others may have added or ended sessions.
        for uid in try crowded(among: uids.intersection(locked))
        where try store.endSessions(of: uid, beyond: policy.sessionsPerUser, reason: .limit) > 0 {
            try audit(.sessionsLimited, uid: uid, in: store)
        }
    }

    private func liveSessions(of user: User, in store: some AccountStore) throws -> [Session] {
        let now = store.now
        return try store.sessions(of: user.uid, limit: Self.mostListed).filter { isUsable($0, of: user, at: now) }
    }

    /// Whether a session's refresh token yields tokens: the user is not disabled, and the session is alive
    /// (``isAlive(_:of:at:)``) and not revoked (``User/validSince``).
    private func isUsable(_ session: Session, of user: User, at now: Int64) -> Bool {
        !user.isDisabled && session.createdAt / 1000 >= user.validSince && isAlive(session, of: user, at: now)
    }
}
