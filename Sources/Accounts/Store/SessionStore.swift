package import Tokens

/// The sessions.
package protocol SessionStore {
    /// Returns a session, ended or not, and its user in one round trip; the user is `nil` if they no longer exist.
    func sessionAndUser(_ sid: String) throws -> (session: Session, user: User?)?
    /// Returns a session and its user like ``sessionAndUser(_:)``, and keeps other transactions from changing either
    /// until this one ends.
    func lockedSessionAndUser(_ sid: String, for use: SessionUse) throws -> (session: Session, user: User?)?
    /// Exchanges refresh tokens of different sessions, in one statement that waits for no other transaction: locks the
    /// users and sessions, and stores the exchange of each token that the rules allow. It is the last one of the
    /// transaction.
    ///
    /// Must not be called with SQLite, which has nothing to wait for.
    ///
    /// - Returns: the sessions by their `sid`.
    func exchange(_ tokens: [RefreshToken], by rules: RefreshRules) throws -> [String: ExchangedSession]
    func insert(_ session: Session) throws
    /// Stores the session's ``Session/generation``, ``Session/generationAt`` and ``Session/lastUsedAt``; all other
    /// parts keep their stored values.
    func update(_ session: Session) throws
    /// Counts the sessions, ended or not, that a user has opened with tokens of another issuer
    /// (``Session/exchangedAt``).
    func countExchangedSessions(of uid: String) throws -> Int64
    /// Ends a session of a user, which keeps its row; does nothing if it has ended before.
    ///
    /// On PostgreSQL, a serializable transaction that began before and locks or changes the user later runs again. It may
    /// have read the session while it was alive. The same goes for the next two methods.
    func endSession(_ sid: String, of uid: String, reason: SessionEnd) throws
    /// Ends the user's sessions that have not ended, except the one with this `sid`; `nil` ends all.
    func endSessions(of uid: String, except sid: String?, reason: SessionEnd) throws
    /// Ends the user's sessions that have not ended and began before a time, in milliseconds since 1970.
    func endSessions(of uid: String, begunBefore time: Int64, reason: SessionEnd) throws
    /// Returns a user's sessions that have not been ended, the most recently used first.
    ///
    /// Some of them may be over all the same: unused for too long, past their absolute end, or begun before
    /// ``User/validSince``.
    func sessions(of uid: String, limit: Int64) throws -> [Session]
    /// Returns, in ascending order, those of the UIDs whose users exceed the limit of sessions that have not been ended.
    func users(among uids: [String], withMoreSessionsThan limit: Int64) throws -> [String]
    /// Ends the user's sessions that have not ended, except the `limit` most recently used ones; at most 1000 in one
    /// call.
    ///
    /// - Returns: the number of sessions that ended.
    func endSessions(of uid: String, beyond limit: Int64, reason: SessionEnd) throws -> Int
    /// Deletes the sessions of a user, ended or not; must come before ``UserStore/deleteUser(_:mergedInto:)``, because
    /// the user's row identifies them.
    func deleteSessions(of uid: String) throws
}

/// The rules by which a store exchanges refresh tokens, as ``AccountFlows/refresh(_:in:)`` does.
package struct RefreshRules: Sendable {
    /// ``Policy/sessionLife``.
    package let sessionLife: Int64
    /// The earliest sign-in of a permanent user whose session is not past its absolute end, in seconds since 1970; `nil`
    /// without such an end.
    package let earliestAuthTime: Int64?
    /// ``Policy/refreshGrace``.
    package let grace: Int64
    /// How long a session that keeps one token needs no newer last use than the stored one, in milliseconds.
    package let recordedLife: Int64

    /// Makes rules from their parts.
    package init(sessionLife: Int64, earliestAuthTime: Int64?, grace: Int64, recordedLife: Int64) {
        self.sessionLife = sessionLife
        self.earliestAuthTime = earliestAuthTime
        self.grace = grace
        self.recordedLife = recordedLife
    }
}

/// A session as a store found it when it exchanged a refresh token.
package enum ExchangedSession: Sendable {
    case missing
    /// Another transaction has locked the session or its user, or the user does not exist any more.
    case busy
    /// The state before the exchange, of rows that are locked, and whether the rules allow the exchange.
    ///
    /// An allowed exchange is stored, unless it changes nothing but a last use within ``RefreshRules/recordedLife``.
    case locked(Session, User, [Identity], isExchanged: Bool)
}

/// What a transaction locks a session for.
package enum SessionUse: Sendable {
    /// The exchange of its refresh token.
    case refresh
    /// A write of documents.
    case writing
}
