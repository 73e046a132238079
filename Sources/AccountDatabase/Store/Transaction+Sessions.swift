package import Accounts
package import Database

extension Transaction {
    package func sessionAndUser(_ sid: String) throws -> (session: Session, user: User?)? {
        try first(Self.sessionAndUser(.value(sid))) { row in
            let exists = try row.optionalText(Session.columnCount) != nil
            return (try Session(row), exists ? try User(row, at: Session.columnCount) : nil)
        }
    }

    /// Returns the query of ``sessionAndUser(_:)``.
    static func sessionAndUser(_ sid: Operand) -> SQL {
        """
        SELECT \(Session.columns), \(User.columns) FROM sessions s LEFT JOIN users u ON u.uid = s.uid
        WHERE s.sid = \(sid)
        """
    }

    /// Returns sessions, ended or not, and their users, by the IDs of the sessions.
    package func sessionsAndUsers(_ sids: [String]) throws -> [String: (session: Session, user: User?)] {
        let rows = try all(
            """
            SELECT \(Session.columns), \(User.columns) FROM sessions s LEFT JOIN users u ON u.uid = s.uid
            WHERE s.sid\(dialect.isAny(of: sids))
            """
        ) { row in
            let exists = try row.optionalText(Session.columnCount) != nil
            return (session: try Session(row), user: exists ? try User(row, at: Session.columnCount) : nil)
        }
        return Dictionary(rows.map { ($0.session.sid, $0) }) { first, _ in first }
    }

    package func lockedSessionAndUser(
        _ sid: String,
        for use: SessionUse
    ) throws -> (session: Session, user: User?)? {
        guard isolation == .readCommitted else { return try sessionAndUser(sid) }
        // Locks the user's row first, as all transactions do.
        let locked = try first(
            """
            SELECT \(Session.columns), \(User.columns) FROM users u JOIN sessions s ON s.uid = u.uid
            WHERE s.sid = \(sid)\(rowLock(use == .refresh ? .refreshedSession : .writingSession))
            """
        ) { row in (session: try Session(row), user: Optional(try User(row, at: Session.columnCount))) }
        if locked != nil || isPrefetching { return locked }
        let found = try sessionAndUser(sid)
        guard found?.user == nil else { throw conflict("a session's user appeared meanwhile") }
        return found
    }

    package func insert(_ session: Session) throws {
        if let rows = gatheredRows { return rows.sessions.append(session) }
        try enqueue(
            """
            INSERT INTO sessions (sid, uid, user_number, provider, generation, generation_at, fixed_since, auth_time,
                created_at, last_used_at, claims, exchanged_at, device, network)
            VALUES (\(session.sid), \(session.uid), \(Self.number(of: session.uid)), \(session.provider.rawValue),
                \(session.generation), \(session.generationAt), \(session.fixedSince), \(session.authTime),
                \(session.createdAt), \(session.lastUsedAt), \(session.claims), \(session.exchangedAt),
                \(session.device), \(session.network))
            """
        )
    }

    package func update(_ session: Session) throws {
        try enqueue(
            """
            UPDATE sessions SET generation = \(session.generation), generation_at = \(session.generationAt),
                last_used_at = \(session.lastUsedAt)
            WHERE sid = \(session.sid)
            """
        )
    }

    package func countExchangedSessions(of uid: String) throws -> Int64 {
        try first(
            """
            SELECT COUNT(*) FROM sessions
            WHERE user_number = \(Self.number(of: uid)) AND uid = \(uid) AND exchanged_at IS NOT NULL
            """
        ) { row in try row.integer(0) } ?? 0
    }

    package func endSession(_ sid: String, of uid: String, reason: SessionEnd) throws {
        try renewOwner(uid)
        try enqueue(
            "UPDATE sessions SET ended_at = \(now), end_reason = \(reason.rawValue) WHERE sid = \(sid) AND ended_at IS NULL"
        )
    }

    package func endSessions(of uid: String, except sid: String?, reason: SessionEnd) throws {
        try renewOwner(uid)
        try enqueue(
            """
            UPDATE sessions SET ended_at = \(now), end_reason = \(reason.rawValue)
            WHERE user_number = \(Self.number(of: uid)) AND uid = \(uid) AND ended_at IS NULL AND sid <> \(sid ?? "")
            """
        )
    }

    package func endSessions(of uid: String, begunBefore time: Int64, reason: SessionEnd) throws {
        try renewOwner(uid)
        try enqueue(
            """
            UPDATE sessions SET ended_at = \(now), end_reason = \(reason.rawValue)
            WHERE user_number = \(Self.number(of: uid)) AND uid = \(uid) AND ended_at IS NULL AND created_at < \(time)
            """
        )
    }

    /// Locks and rewrites the user whose sessions end.
    ///
    /// A serializable transaction that presents one of the sessions and began before then runs again when it locks or
    /// changes the user. Otherwise it could commit after the end as if it had come before.
    private func renewOwner(_ uid: String) throws {
        try renewRows(of: "users", where: "uid", in: [uid], .ownerOfEndedSession)
    }

    package func sessions(of uid: String, limit: Int64) throws -> [Session] {
        try all(
            """
            SELECT \(Session.columns) FROM sessions s
            WHERE s.user_number = \(Self.number(of: uid)) AND s.uid = \(uid) AND s.ended_at IS NULL
            ORDER BY s.last_used_at DESC, s.id DESC LIMIT \(limit)
            """
        ) { row in try Session(row) }
    }

    package func users(among uids: [String], withMoreSessionsThan limit: Int64) throws -> [String] {
        try all(
            """
            SELECT u.uid FROM users u WHERE u.uid\(dialect.isAny(of: uids)) AND \(limit) < (
                SELECT count(*) FROM sessions s WHERE s.user_number = u.id AND s.uid = u.uid AND s.ended_at IS NULL)
            ORDER BY u.uid
            """
        ) { row in try row.text(0) }
    }

    package func endSessions(of uid: String, beyond limit: Int64, reason: SessionEnd) throws -> Int {
        // The count is bounded because SQLite has no OFFSET without a LIMIT. Any remaining sessions end at the next
        // sign-in.
        try execute(
            """
            UPDATE sessions SET ended_at = \(now), end_reason = \(reason.rawValue)
            WHERE ended_at IS NULL AND id IN (
                SELECT s.id FROM sessions s
                WHERE s.user_number = \(Self.number(of: uid)) AND s.uid = \(uid) AND s.ended_at IS NULL
                ORDER BY s.last_used_at DESC, s.id DESC LIMIT 1000 OFFSET \(limit))
            """
        )
    }

    package func deleteSessions(of uid: String) throws {
        try enqueue("DELETE FROM sessions WHERE user_number = \(Self.number(of: uid)) AND uid = \(uid)")
    }
}

extension Session {
    /// The columns that ``init(_:)`` reads, of a table aliased as `s`.
    static let columns: SQL = """
        s.sid, s.uid, s.provider, s.generation, s.generation_at, s.fixed_since, s.auth_time, s.created_at,
        s.last_used_at, s.ended_at, s.claims, s.exchanged_at, s.end_reason, s.device, s.network
        """

    /// The number of ``columns``.
    static let columnCount = 15

    /// Reads ``columns``, starting at column `start`.
    init(_ row: borrowing Row, at start: Int = 0) throws {
        self.init(
            sid: try row.text(start),
            uid: try row.text(start + 1),
            provider: SignInProvider(rawValue: try row.text(start + 2)),
            generation: try row.integer(start + 3),
            generationAt: try row.integer(start + 4),
            fixedSince: try row.optionalInteger(start + 5),
            authTime: try row.integer(start + 6),
            createdAt: try row.integer(start + 7),
            lastUsedAt: try row.integer(start + 8),
            endedAt: try row.optionalInteger(start + 9),
            claims: try row.optionalText(start + 10),
            exchangedAt: try row.optionalInteger(start + 11),
            endReason: try row.optionalText(start + 12).flatMap(SessionEnd.init(rawValue:)),
            device: try row.optionalText(start + 13) ?? "",
            network: try row.optionalText(start + 14)
        )
    }
}
