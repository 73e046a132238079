internal import Accounts
package import Database

extension Transaction {
    /// Deletes a batch of expired rows.
    ///
    /// These are old tickets and codes, finished e-mails, counters of limits whose window began two days ago or
    /// earlier, clients that are no longer known, suppressions that have ended, expired records of used tokens, sign-in
    /// method changes that can no longer be reverted, document changes that are a day old, decided merges with their
    /// reports, old rows of the audit log, browser sessions that are over, and the records of a move from Firebase that
    /// is over.
    ///
    /// E-mails, known clients, changes, merges and the audit log are ordered by time, so only their oldest rows are
    /// examined.
    ///
    /// - Parameters:
    ///   - limit: the maximum number of rows of each table, so that no transaction becomes long.
    ///   - auditLife: milliseconds after which an entry of the audit log is deleted.
    ///   - mailDelay: milliseconds for which an e-mail may wait to be sent; expired tickets are kept that much longer.
    /// - Returns: the number of deleted rows of all tables together.
    package func purge(limit: Int64, auditLife: Int64, mailDelay: Int64) throws -> Int {
        let day: Int64 = 86_400_000
        let tickets = now - 3 * day - mailDelay
        var count = try execute(
            "DELETE FROM tickets WHERE id IN (SELECT id FROM tickets WHERE expires_at < \(tickets) LIMIT \(limit))"
        )
        count += try execute(
            """
            DELETE FROM action_codes WHERE id IN
                (SELECT id FROM action_codes WHERE expires_at < \(now - 3 * day) LIMIT \(limit))
            """
        )
        count += try execute(
            """
            DELETE FROM outbox WHERE id IN (SELECT id FROM outbox ORDER BY id LIMIT \(limit))
                AND state <> 'queued' AND settled_at < \(now - 7 * day)
            """
        )
        count += try execute(
            """
            DELETE FROM merges WHERE id IN (SELECT id FROM merges ORDER BY id LIMIT \(limit))
                AND state <> 'preparing' AND settled_at < \(now - 7 * day)
            """
        )
        count += try execute(
            "DELETE FROM limits WHERE id IN (SELECT id FROM limits WHERE window_start < \(now - 2 * day) LIMIT \(limit))"
        )
        count += try execute(
            """
            DELETE FROM known_clients WHERE id IN (SELECT id FROM known_clients ORDER BY id LIMIT \(limit))
                AND last_seen_at < \(now - KnownClient.life)
            """
        )
        count += try execute(
            """
            DELETE FROM spent_tokens WHERE id IN
                (SELECT id FROM spent_tokens WHERE expires_at < \(now) LIMIT \(limit))
            """
        )
        count += try execute(
            """
            DELETE FROM method_changes WHERE id IN
                (SELECT id FROM method_changes WHERE expires_at < \(now) LIMIT \(limit))
            """
        )
        count += try execute(
            """
            DELETE FROM suppressed_mailboxes WHERE id IN
                (SELECT id FROM suppressed_mailboxes WHERE suppressed_until < \(now) LIMIT \(limit))
            """
        )
        count += try execute(
            """
            DELETE FROM audit_log WHERE id IN (SELECT id FROM audit_log ORDER BY id LIMIT \(limit))
                AND at < \(now - auditLife)
            """
        )
        count += try execute(
            """
            DELETE FROM changes WHERE id IN (SELECT id FROM changes ORDER BY id LIMIT \(limit))
                AND changed_at < \(now - day)
            """
        )
        count += try execute(
            """
            DELETE FROM console_sessions WHERE id IN
                (SELECT id FROM console_sessions WHERE expires_at < \(now) LIMIT \(limit))
            """
        )
        return try count + purgeBrowserSessions(limit: limit) + purgeFirebaseMove(limit: limit)
    }

    /// Deletes a batch of the records of a move from Firebase that is over.
    ///
    /// While a move can go on, all of them are needed: an old token must find its session, a session that has ended must
    /// not move again, and the UIDs are the operator's list.
    private func purgeFirebaseMove(limit: Int64) throws -> Int {
        guard try AccountFlows.firebaseState(in: self).isForgotten(at: now) else { return 0 }
        var count = 0
        for table in ["adopted_sessions", "adopted_tokens", "firebase_users", "firebase_counts"] {
            count += try execute(
                """
                DELETE FROM \(identifier: table) WHERE id IN
                    (SELECT id FROM \(identifier: table) ORDER BY id LIMIT \(limit))
                """
            )
        }
        return count
    }

    /// Deletes a batch of browser sessions that are over, and ends the sessions that they opened.
    ///
    /// Otherwise a person who closed the browser would see these sessions in the list for as long as unused ones live.
    private func purgeBrowserSessions(limit: Int64) throws -> Int {
        let over = try all(
            "SELECT session, uid FROM browser_sessions WHERE expires_at < \(now) ORDER BY id LIMIT \(limit)"
        ) { row in (id: try row.text(0), uid: try row.text(1)) }
        guard !over.isEmpty else { return 0 }
        // Locks users before sessions, as every transaction does.
        try lockUsers(over.map(\.uid))
        let gone = try all(
            """
            DELETE FROM browser_sessions WHERE session IN \(in: over.map(\.id)) AND expires_at < \(now)
            RETURNING sid, uid, opened_at
            """
        ) { row in (sid: try row.text(0), uid: try row.text(1), isOpener: try row.optionalInteger(2) != nil) }
        for session in gone where session.isOpener { try endSession(session.sid, of: session.uid, reason: .signedOut) }
        return gone.count
    }

    /// Deletes unused sessions, ended or not, in one part of their table.
    ///
    /// A session's age says nothing about its last use, so the whole table is scanned, a few rows at a time.
    ///
    /// - Parameters:
    ///   - id: the row after which the part begins; 0 for the first part.
    ///   - rows: the number of rows in the part.
    ///   - sessionLife: milliseconds after which an unused session is deleted.
    /// - Returns: the last row of the part, from which to continue; `nil` at the end of the table.
    package func purgeSessions(after id: Int64, rows: Int64, sessionLife: Int64) throws -> Int64? {
        let last =
            try first(
                "SELECT max(id) FROM (SELECT id FROM sessions WHERE id > \(id) ORDER BY id LIMIT \(rows)) part"
            ) { row in try row.optionalInteger(0) } ?? nil
        guard let last else { return nil }
        try execute(
            "DELETE FROM sessions WHERE id > \(id) AND id <= \(last) AND last_used_at < \(now - sessionLife)"
        )
        return last
    }
}
