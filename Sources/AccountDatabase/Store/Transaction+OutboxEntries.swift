internal import Accounts
package import Database

/// An e-mail of the outbox as operators see it, without its content.
package struct OutboxEntry: Sendable, Equatable {
    package let mail: String
    package let kind: String
    package let ticket: String?
    package let state: OutboxState
    package let attempts: Int64
    /// When the queued e-mail is tried next, in milliseconds since 1970.
    ///
    /// While a worker sends the e-mail, which is then queued still, this is the end of the worker's lease. The value has
    /// no meaning in states other than queued.
    package let dueAt: Int64
    package let createdAt: Int64
    /// When the e-mail was sent, failed for good or was dropped, in milliseconds since 1970; `nil` before.
    package let settledAt: Int64?
    /// The reason of the last failure, with the mail server's reply code if it gave one; `nil` without a failure, and
    /// once the e-mail was sent.
    package let reason: String?
}

extension Transaction {
    /// Makes a queued e-mail due at once, unless a worker's lease of it has not expired.
    package func retryMail(_ mail: String) throws -> RequeueResult {
        let count = try execute(
            """
            UPDATE outbox SET due_at = \(now), leased_by = NULL,
                rank = rank - rank % \(MailRank.span)
                    + CASE WHEN rank % \(MailRank.span) > \(now) THEN \(now) ELSE rank % \(MailRank.span) END
            WHERE mail = \(mail) AND state = \(OutboxState.queued.rawValue)
                AND (leased_by IS NULL OR due_at <= \(now))
            """
        )
        guard count == 0 else { return .due }
        return try first("SELECT 1 FROM outbox WHERE mail = \(mail) AND leased_by IS NOT NULL") { _ in .leased }
            ?? .notFound
    }

    /// Returns the e-mails in one state, or in all states for `nil`, newest first; at most `limit`.
    package func outbox(_ state: OutboxState?, limit: Int64, after mail: String? = nil) throws -> [OutboxEntry] {
        let place: SQL = mail.map { "AND id < (SELECT o.id FROM outbox o WHERE o.mail = \($0))" } ?? ""
        let states = state.map { [$0.rawValue] } ?? OutboxState.allCases.map(\.rawValue)
        return try all(
            """
            SELECT \(OutboxEntry.columns) FROM outbox WHERE state IN \(in: states) \(place)
            ORDER BY id DESC LIMIT \(limit)
            """
        ) { row in try OutboxEntry(row) }
    }

    /// Returns the waiting e-mails that are due first.
    package func waitingMails(limit: Int64) throws -> [OutboxEntry] {
        try all(
            "SELECT \(OutboxEntry.columns) FROM outbox WHERE state = 'queued' ORDER BY due_at LIMIT \(limit)"
        ) { row in try OutboxEntry(row) }
    }

    /// Returns the e-mails that failed last.
    package func failedMails(limit: Int64) throws -> [OutboxEntry] {
        try all(
            "SELECT \(OutboxEntry.columns) FROM outbox WHERE state = 'failed' ORDER BY id DESC LIMIT \(limit)"
        ) { row in try OutboxEntry(row) }
    }

    /// Returns the e-mail with this ID; `nil` if there is none.
    package func outboxEntry(_ mail: String) throws -> OutboxEntry? {
        try first("SELECT \(OutboxEntry.columns) FROM outbox WHERE mail = \(mail)") { row in try OutboxEntry(row) }
    }

    /// Returns how many e-mails of the same kind are sent before a queued one, at most `limit`.
    package func mails(before mail: String, upTo limit: Int64) throws -> Int64 {
        let rank = try first("SELECT rank FROM outbox WHERE mail = \(mail) AND state = 'queued'") { try $0.integer(0) }
        guard let rank else { return 0 }
        let start = rank - rank % MailRank.span
        return try first(
            """
            SELECT count(*) FROM (SELECT 1 FROM outbox
                WHERE state = 'queued' AND rank >= \(start) AND rank < \(rank) LIMIT \(limit)) earlier
            """
        ) { try $0.integer(0) } ?? 0
    }
}

extension OutboxEntry {
    /// The columns of `outbox` that ``init(_:)`` reads, in its order.
    fileprivate static let columns: SQL = """
        mail, kind, ticket, state, attempts, due_at, created_at, settled_at, reason
        """

    fileprivate init(_ row: borrowing Row) throws {
        mail = try row.text(0)
        kind = try row.text(1)
        ticket = try row.optionalText(2)
        state = try row.value(3)
        attempts = try row.integer(4)
        dueAt = try row.integer(5)
        createdAt = try row.integer(6)
        settledAt = try row.optionalInteger(7)
        reason = try row.optionalText(8)
    }
}
