package import Accounts

/// Where a queued mail stands.
package enum OutboxState: String, Sendable, CaseIterable {
    case queued
    case sent
    case failed
    /// Dropped, because what it was for was over before it left.
    case moot
}

/// A mail of the outbox as operators see it: without what it says.
package struct OutboxEntry: Sendable, Equatable {
    package let mail: String
    package let kind: String
    package let ticket: String?
    package let state: OutboxState
    package let attempts: Int64
    /// When it is tried next, or when its lease ends. Milliseconds since 1970.
    package let dueAt: Int64
    package let createdAt: Int64
    package let settledAt: Int64?
    /// The last failure, with the mail server's reply code.
    package let reason: String?
}

/// A mail that a worker holds for a while.
package struct LeasedPayload: Sendable {
    package let mail: String
    package let ticket: String?
    package let payload: String
    /// Which attempt this is, from 1.
    package let attempt: Int64
}

extension Transaction {
    package func queue(_ mail: QueuedMail, payload: String) throws {
        try execute(
            """
            INSERT INTO outbox (mail, kind, ticket, state, payload, attempts, due_at, created_at)
            VALUES (\(mail.id), \(mail.kind.rawValue), \(mail.ticket), \(OutboxState.queued.rawValue), \(payload), 0,
                \(now), \(now))
            """
        )
    }

    /// Takes due mails for a worker, which must settle them before the lease ends.
    ///
    /// Being due and being leased are one column, so that the lease of a killed worker runs out by itself.
    package func leaseMails(limit: Int, worker: String, milliseconds: Int64) throws -> [LeasedPayload] {
        let lease = dialect.lease(
            from: "outbox",
            setting: "due_at = \(now + milliseconds), leased_by = \(worker), attempts = attempts + 1",
            where: "state = 'queued' AND due_at <= \(now)",
            orderedBy: "due_at, id",
            limit: limit,
            returning: "mail, ticket, payload, attempts"
        )
        return try all(lease) { row in
            LeasedPayload(
                mail: try row.text(0),
                ticket: try row.optionalText(1),
                payload: try row.text(2),
                attempt: try row.integer(3)
            )
        }
    }

    /// Ends a mail; what it said is erased.
    package func settleMail(_ mail: String, as state: OutboxState, reason: String?) throws {
        try execute(
            """
            UPDATE outbox SET state = \(state.rawValue), payload = NULL, leased_by = NULL, settled_at = \(now),
                reason = \(reason)
            WHERE mail = \(mail) AND state = \(OutboxState.queued.rawValue)
            """
        )
    }

    /// Puts a mail back for a later attempt, with what it says by now.
    package func postponeMail(_ mail: String, until dueAt: Int64, reason: String?, payload: String?) throws {
        try execute(
            """
            UPDATE outbox SET due_at = \(dueAt), leased_by = NULL, reason = \(reason),
                payload = COALESCE(\(payload), payload)
            WHERE mail = \(mail) AND state = \(OutboxState.queued.rawValue)
            """
        )
    }

    /// The mails of a state, or of all, the newest first.
    package func outbox(_ state: OutboxState?, limit: Int64) throws -> [OutboxEntry] {
        let states = state.map { [$0.rawValue] } ?? OutboxState.allCases.map(\.rawValue)
        return try all(
            """
            SELECT mail, kind, ticket, state, attempts, due_at, created_at, settled_at, reason FROM outbox
            WHERE state IN (\(in: states)) ORDER BY id DESC LIMIT \(limit)
            """
        ) { row in
            OutboxEntry(
                mail: try row.text(0),
                kind: try row.text(1),
                ticket: try row.optionalText(2),
                state: try row.value(3),
                attempts: try row.integer(4),
                dueAt: try row.integer(5),
                createdAt: try row.integer(6),
                settledAt: try row.optionalInteger(7),
                reason: try row.optionalText(8)
            )
        }
    }

    /// When the next mail is due; `nil` where none waits.
    package func nextMailDue() throws -> Int64? {
        try first("SELECT MIN(due_at) FROM outbox WHERE state = 'queued'") { row in try row.optionalInteger(0) } ?? nil
    }
}
