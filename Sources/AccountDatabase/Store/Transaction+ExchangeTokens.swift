package import Accounts
package import Database
package import Tokens

extension Transaction {
    package func exchange(
        _ tokens: [RefreshToken],
        by rules: RefreshRules
    ) throws -> [String: ExchangedSession] {
        guard dialect == .postgreSQL else {
            throw DatabaseError(.misuse, message: "refresh tokens are exchanged together on PostgreSQL only")
        }
        let sids = tokens.map(\.session.text)
        let lock = rowLockSkippingOthers(.refreshedSession)
        let (rows, identities) = try finish(
            tokens.count == 1
                ? Self.exchanging(tokens[0], by: rules, locking: lock, at: now)
                : Self.exchanging(tokens, sids, by: rules, locking: lock, at: now),
            { row in (sid: try row.text(0), state: try ExchangedSession(row)) },
            then: { try $0.identities(ofSessions: sids) }
        )
        return Dictionary(rows.map { ($0.sid, $0.state.with(identities)) }) { first, _ in first }
    }

    /// Returns the statement that exchanges one token, which has a much simpler plan than the one for several.
    private static func exchanging(_ token: RefreshToken, by rules: RefreshRules, locking lock: SQL, at now: Int64)
        -> SQL
    {
        let (sid, generation): (SQL, SQL) = ("\(token.session.text)", "CAST(\(token.generation) AS BIGINT)")
        let time: SQL = "CAST(\(now) AS BIGINT)"
        return """
            WITH held AS MATERIALIZED (
                SELECT \(Session.columns), \(User.columns), s.id AS session_id, u.id AS user_id,
                    (\(isAllowed(generation, at: time, by: rules))) AS is_allowed,
                    (s.fixed_since IS NULL AND s.generation = \(generation)) AS is_newest,
                    (\(isRecorded(generation, at: time, by: rules))) AS is_recorded
                FROM users u JOIN sessions s ON s.uid = u.uid
                WHERE s.sid = \(sid)\(lock)
            ), exchanged AS (
                UPDATE sessions SET last_used_at = \(now),
                    generation = CASE WHEN h.is_newest THEN h.generation + 1 ELSE h.generation END,
                    generation_at = CASE WHEN h.is_newest THEN \(time) ELSE h.generation_at END
                FROM held h WHERE sessions.id = h.session_id AND h.is_allowed AND NOT h.is_recorded
            ), touched AS (
                UPDATE users SET last_refresh_at = \(now)
                FROM held h WHERE users.id = h.user_id AND h.is_allowed AND NOT h.is_recorded
            )
            SELECT a.sid, CASE WHEN h.session_id IS NOT NULL THEN 2
                WHEN EXISTS (SELECT 1 FROM sessions other WHERE other.sid = a.sid) THEN 1 ELSE 0 END,
                CASE WHEN h.is_allowed THEN 1 ELSE 0 END, h.*
            FROM (SELECT CAST(\(sid) AS TEXT) AS sid) AS a LEFT JOIN held h ON TRUE
            """
    }

    /// Returns the condition under which the rules allow to exchange a token of the session `s` of the user `u`.
    private static func isAllowed(_ generation: SQL, at time: SQL, by rules: RefreshRules) -> SQL {
        """
        s.created_at / 1000 >= u.valid_since
            AND u.disabled_at IS NULL AND (u.contested_at IS NULL OR u.contested_email IS NULL)
            AND s.ended_at IS NULL AND \(time) - s.last_used_at <= \(rules.sessionLife)
            AND (u.anonymous_since IS NOT NULL OR s.auth_time >= \(rules.earliestAuthTime ?? .min))
            AND (\(generation) = s.generation OR (\(generation) > 0 AND (\(generation) = s.generation - 1
                OR (\(generation) = s.generation - 2 AND \(time) - s.generation_at <= \(rules.grace)))))
        """
    }

    /// Returns the condition under which the exchange of a token of the session `s` changes nothing that must be stored.
    private static func isRecorded(_ generation: SQL, at time: SQL, by rules: RefreshRules) -> SQL {
        """
        s.fixed_since IS NOT NULL AND \(generation) = s.generation AND s.last_used_at > s.created_at
            AND \(time) >= s.last_used_at AND \(time) - s.last_used_at < \(rules.recordedLife)
        """
    }

    /// Returns the statement that exchanges tokens.
    ///
    /// It locks users before sessions and each by id, as all transactions do. A row that was changed since the statement
    /// began is locked, and returned, in its newest state.
    private static func exchanging(
        _ tokens: [RefreshToken],
        _ sids: [String],
        by rules: RefreshRules,
        locking lock: SQL,
        at now: Int64
    ) -> SQL {
        let isNewest: SQL = "s.fixed_since IS NULL AND s.presented = s.generation"
        return """
            WITH asked AS MATERIALIZED (
                SELECT * FROM unnest(\(Dialect.array(sids)), \(Dialect.array(tokens.map(\.generation)))) AS a (sid, generation)
            ), owners AS MATERIALIZED (
                SELECT u.id, \(User.columns) FROM users u
                WHERE u.uid = ANY (ARRAY(SELECT s.uid FROM asked a JOIN sessions s ON s.sid = a.sid))
                ORDER BY u.id\(lock)
            ), held AS MATERIALIZED (
                SELECT s.id, \(Session.columns), CAST(\(now) AS BIGINT) AS used_at FROM sessions s
                WHERE s.sid = ANY (ARRAY(SELECT a.sid FROM asked a)) AND s.uid = ANY (ARRAY(SELECT u.uid FROM owners u))
                ORDER BY s.id\(lock)
            ), allowed AS MATERIALIZED (
                SELECT s.*, u.id AS user_id, a.generation AS presented,
                    (\(isRecorded("a.generation", at: "s.used_at", by: rules))) AS is_recorded
                FROM held s JOIN owners u ON u.uid = s.uid JOIN asked a ON a.sid = s.sid
                WHERE \(isAllowed("a.generation", at: "s.used_at", by: rules))
            ), exchanged AS (
                UPDATE sessions SET last_used_at = s.used_at,
                    generation = CASE WHEN \(isNewest) THEN s.generation + 1 ELSE s.generation END,
                    generation_at = CASE WHEN \(isNewest) THEN s.used_at ELSE s.generation_at END
                FROM allowed s WHERE sessions.id = s.id AND NOT s.is_recorded
            ), touched AS (
                UPDATE users SET last_refresh_at = \(now)
                WHERE id = ANY (ARRAY(SELECT s.user_id FROM allowed s WHERE NOT s.is_recorded))
            )
            SELECT a.sid, CASE WHEN s.sid IS NOT NULL THEN 2
                WHEN EXISTS (SELECT 1 FROM sessions other WHERE other.sid = a.sid) THEN 1 ELSE 0 END,
                CASE WHEN allowed.id IS NULL THEN 0 ELSE 1 END, \(Session.columns), \(User.columns)
            FROM asked a LEFT JOIN held s ON s.sid = a.sid LEFT JOIN owners u ON u.uid = s.uid
                LEFT JOIN allowed ON allowed.id = s.id
            """
    }

    /// Returns the identities of the users of sessions, by the UIDs of the users.
    private func identities(ofSessions sids: [String]) throws -> [String: [Identity]] {
        let owners: SQL = "SELECT s.uid FROM sessions s WHERE s.sid\(dialect.isAny(of: sids))"
        return try identitiesByUser(where: "uid\(Dialect.isAny(ofRows: owners, count: sids.count))")
    }
}

extension ExchangedSession {
    /// Reads a row of the statement, without the identities.
    fileprivate init(_ row: borrowing Row) throws {
        switch try row.integer(1) {
        case 0: self = .missing
        case 1: self = .busy
        default:
            self = .locked(
                try Session(row, at: 3),
                try User(row, at: 3 + Session.columnCount),
                [],
                isExchanged: try row.integer(2) == 1
            )
        }
    }

    /// Returns the state with the user's identities, by UID; a guest has none.
    fileprivate func with(_ identities: [String: [Identity]]) -> ExchangedSession {
        guard case .locked(let session, let user, _, let isExchanged) = self, !user.isAnonymous else { return self }
        return .locked(session, user, identities[user.uid] ?? [], isExchanged: isExchanged)
    }
}
