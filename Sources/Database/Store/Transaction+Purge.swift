internal import Accounts

extension Transaction {
    /// Deletes a batch of expired rows: old tickets and codes, settled mails, past limits, known clients and suppressions that
    /// have ended, changed sign-in methods that no notice takes back any more, changes of documents that are too old to resume from, reports of merges, old rows of the audit log.
    ///
    /// Mails, changes, merges and the audit log are in the order of time, so only their oldest rows are looked at.
    ///
    /// - Parameters:
    ///   - limit: how many rows of each table at most, so that no transaction grows long.
    ///   - auditLife: milliseconds after which an entry of the audit log is forgotten.
    ///   - mailDelay: milliseconds for which a mail may wait, and its ticket with it.
    /// - Returns: how many rows went.
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
        return count
    }

    /// Deletes the sessions of a part of their table that have not been used for too long.
    ///
    /// A session's age says nothing about its last use, so all of them are gone through, a few at a time.
    ///
    /// - Parameters:
    ///   - id: the row after which the part begins; 0 for the first.
    ///   - rows: how many rows the part has.
    ///   - sessionLife: milliseconds after which an unused session is forgotten.
    /// - Returns: the last row of the part, from which to go on; `nil` at the table's end.
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
