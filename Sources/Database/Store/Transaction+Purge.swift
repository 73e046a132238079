extension Transaction {
    /// Deletes a batch of what nobody needs any more: old tickets and codes, settled mails, reports of merges, past limits,
    /// dead sessions, changes that no listener may resume from.
    ///
    /// - Parameters:
    ///   - limit: how many rows of each table at most, so that no transaction grows long.
    ///   - sessionLife: milliseconds after which an unused session is forgotten.
    /// - Returns: how many rows went.
    package func purge(limit: Int64, sessionLife: Int64) throws -> Int {
        let day: Int64 = 86_400_000
        var count = try execute(
            "DELETE FROM tickets WHERE id IN (SELECT id FROM tickets WHERE expires_at < \(now - 3 * day) LIMIT \(limit))"
        )
        count += try execute(
            """
            DELETE FROM action_codes WHERE id IN
                (SELECT id FROM action_codes WHERE expires_at < \(now - 3 * day) LIMIT \(limit))
            """
        )
        count += try execute(
            """
            DELETE FROM outbox WHERE id IN (SELECT id FROM outbox
                WHERE state <> 'queued' AND settled_at < \(now - 7 * day) ORDER BY id LIMIT \(limit))
            """
        )
        count += try execute(
            """
            DELETE FROM merges WHERE id IN (SELECT id FROM merges
                WHERE state <> 'preparing' AND settled_at < \(now - 7 * day) ORDER BY id LIMIT \(limit))
            """
        )
        count += try execute(
            "DELETE FROM limits WHERE id IN (SELECT id FROM limits WHERE window_start < \(now - 2 * day) LIMIT \(limit))"
        )
        count += try execute(
            """
            DELETE FROM sessions WHERE id IN (SELECT id FROM sessions
                WHERE last_used_at < \(now - sessionLife) ORDER BY id LIMIT \(limit))
            """
        )
        count += try execute(
            "DELETE FROM changes WHERE id IN (SELECT id FROM changes WHERE changed_at < \(now - day) LIMIT \(limit))"
        )
        return count
    }
}
