package import Accounts
package import Database

/// The state of a queued e-mail.
package enum OutboxState: String, Sendable, CaseIterable {
    /// Waits to be sent, or is being sent by a worker.
    case queued
    /// Was accepted by the mail server.
    case sent
    /// Failed for good: the mail server refused it, it could not be prepared, or it waited too long.
    case failed
    /// Was dropped unsent, because the ticket of the sign-in e-mail was no longer open or no longer existed.
    case moot
}

extension Transaction {
    package func queue(_ mail: QueuedMail, rank: MailRank, payload: String) throws {
        try enqueue(
            """
            INSERT INTO outbox (mail, kind, ticket, state, payload, attempts, due_at, rank, created_at)
            VALUES (\(mail.id), \(mail.kind.rawValue), \(mail.ticket), \(OutboxState.queued.rawValue), \(payload), 0,
                \(now), \(rank.value), \(now))
            """
        )
    }

    /// Stores the final outcome of a leased e-mail, erases its content and ends its lease.
    ///
    /// Does nothing if the worker no longer owns the lease.
    ///
    /// - Parameters:
    ///   - id: the e-mail.
    ///   - worker: the owner of the lease.
    ///   - state: the outcome.
    ///   - isTried: whether a failure is the mail server's answer, so that it counts as an attempt.
    ///   - reason: the reason for a failure; otherwise `nil`.
    ///   - mailbox: the keyed hash of the recipient's address, if the e-mail failed because that mailbox does not
    ///     exist.
    /// - Returns: the ticket that the e-mail belongs to; `nil` if there is none, or if the lease was lost.
    package func finishMail(
        _ id: Int64,
        worker: String,
        as state: OutboxState,
        isTried: Bool = false,
        reason: String?,
        mailbox: String? = nil
    ) throws -> String? {
        try first(
            """
            UPDATE outbox SET state = \(state.rawValue), payload = NULL, leased_by = NULL, settled_at = \(now),
                attempts = attempts + \(state == .sent || isTried ? 1 : 0), reason = \(reason), mailbox = \(mailbox)
            WHERE id = \(id) AND leased_by = \(worker) AND state = \(OutboxState.queued.rawValue)
            RETURNING ticket
            """
        ) { row in try row.optionalText(0) } ?? nil
    }

    /// Stores that leased e-mails were sent, like ``finishMail(_:worker:as:isTried:reason:mailbox:)``.
    ///
    /// The row of an e-mail whose lease was lost is rewritten unchanged. So an erasure that began before, and deletes one
    /// of the rows, runs again and sees what this transaction adds.
    ///
    /// - Returns: the tickets that the e-mails belong to, except those of which the lease was lost; the e-mails that
    ///   still exist.
    package func finishSentMails(
        _ ids: [Int64],
        worker: String
    ) throws -> (tickets: [String], existing: Set<Int64>) {
        guard !ids.isEmpty else { return ([], []) }
        // Only queued e-mails are leased. With a condition on the state, PostgreSQL may prefer an index of all queued
        // e-mails to the ids.
        let finished = try all(
            """
            UPDATE outbox SET state = \(OutboxState.sent.rawValue), payload = NULL, leased_by = NULL,
                settled_at = \(now), attempts = attempts + 1, reason = NULL, mailbox = NULL
            WHERE id\(dialect.isAny(of: ids)) AND leased_by = \(worker)
            RETURNING id, ticket
            """
        ) { row in (id: try row.integer(0), ticket: try row.optionalText(1)) }
        var existing = Set(finished.map(\.id))
        let lost = ids.filter { !existing.contains($0) }
        if !lost.isEmpty {
            let rewritten = try all(
                "UPDATE outbox SET attempts = attempts WHERE id\(dialect.isAny(of: lost)) RETURNING id"
            ) { row in try row.integer(0) }
            existing.formUnion(rewritten)
        }
        return (finished.compactMap(\.ticket), existing)
    }

    /// Makes a leased e-mail due again after a delay and ends its lease.
    ///
    /// Does nothing if the worker no longer owns the lease.
    ///
    /// Until it is due, a postponed e-mail leaves the ranks that workers search. It then ranks as if it had been queued
    /// when it became due, or later if it already ranked later. Without a delay, it keeps its rank.
    ///
    /// - Parameters:
    ///   - id: the e-mail.
    ///   - worker: the owner of the lease.
    ///   - milliseconds: the delay from now.
    ///   - isCounted: whether the attempt counts as failed.
    ///   - reason: the reason of the failure; `nil` keeps the reason of the last one.
    package func postponeMail(
        _ id: Int64,
        worker: String,
        by milliseconds: Int64,
        isCounted: Bool,
        reason: String?
    ) throws {
        let due = now + milliseconds
        let kind: SQL = "rank / \(MailRank.span) % 4 * \(MailRank.span)"
        let rank: SQL =
            milliseconds <= 0
            ? "rank"
            : """
            \(MailRank.postponed) + \(kind) + CASE WHEN rank % \(MailRank.span) > \(due) THEN rank % \(MailRank.span) \
            ELSE \(due) END
            """
        try enqueue(
            """
            UPDATE outbox SET due_at = \(due), leased_by = NULL, rank = \(rank),
                attempts = attempts + \(isCounted ? 1 : 0), reason = COALESCE(\(reason), reason)
            WHERE id = \(id) AND leased_by = \(worker) AND state = \(OutboxState.queued.rawValue)
            """
        )
    }

    /// Replaces the encrypted content of an e-mail.
    ///
    /// Does nothing if the worker no longer owns the lease.
    package func replaceMail(_ id: Int64, worker: String, payload: String) throws {
        try enqueue("UPDATE outbox SET payload = \(payload) WHERE id = \(id) AND leased_by = \(worker)")
    }

    /// Returns the encrypted content of a queued e-mail; `nil` if there is no such e-mail.
    package func waitingPayload(of mail: String) throws -> String? {
        try first("SELECT payload FROM outbox WHERE mail = \(mail) AND state = 'queued'") { row in
            try row.optionalText(0)
        } ?? nil
    }

    /// Returns the encrypted contents of all queued e-mails, leased ones included.
    package func waitingPayloads() throws -> [(mail: String, payload: String)] {
        try all("SELECT mail, payload FROM outbox WHERE state = 'queued' AND payload IS NOT NULL") { row in
            (try row.text(0), try row.text(1))
        }
    }
}
