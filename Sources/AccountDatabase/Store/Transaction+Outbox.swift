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

/// A queued e-mail that a worker has leased: no other worker sends it until the lease ends.
package struct LeasedRow: Sendable {
    package let id: Int64
    /// The e-mail's ID.
    ///
    /// The payload is encrypted so that it opens only with this ID.
    package let mail: String
    package let payload: String
    /// The number of failed attempts so far that were counted.
    package let attempts: Int64
    /// The place among the e-mails of its kind, as in ``MailRank``: lower ranks are sent first.
    package let rank: Int64
}

/// The number of e-mails that could be leased now, counted up to a limit.
package struct WaitingMails: Sendable, Equatable {
    /// The number of e-mails of each kind that could be leased now.
    package var counts: [MailRank.Kind: Int]
    /// Whether an e-mail that waited for a retry is due again.
    ///
    /// Such an e-mail is not in ``counts`` until ``Transaction/wakePostponedMails(limit:)`` moves it.
    package var hasPostponed: Bool

    /// Whether no e-mail can be leased and no postponed e-mail is due again.
    package var isEmpty: Bool { !hasPostponed && counts.values.allSatisfy { $0 == 0 } }
}

/// The lowest rank of each kind that a search for waiting e-mails includes: at first all ranks.
package struct LowestMailRanks: Sendable, Equatable {
    private var ranks: [MailRank.Kind: Int64] = [:]

    /// Includes all ranks.
    package init() {}

    package subscript(kind: MailRank.Kind) -> Int64 {
        get { ranks[kind] ?? kind.first }
        set { ranks[kind] = max(kind.first, newValue) }
    }
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

    /// Counts the e-mails that could be leased; a cheap check before leasing.
    ///
    /// - Parameters:
    ///   - limit: the number up to which e-mails of one kind are counted.
    ///   - takingOver: whether to include e-mails whose lease expired before their worker finished them.
    ///   - lowest: the lowest ranks to count.
    package func waitingMails(
        upTo limit: Int,
        takingOver: Bool,
        from lowest: LowestMailRanks = LowestMailRanks()
    ) throws -> WaitingMails {
        func count(_ kind: MailRank.Kind) -> SQL {
            """
            (SELECT count(*) FROM
                (SELECT 1 FROM outbox WHERE \(Self.isDue(kind, from: lowest, at: now, takingOver)) ORDER BY rank LIMIT \(limit)) mails)
            """
        }
        let waiting = try first(
            """
            SELECT \(count(.notice)), \(count(.known)), \(count(.unknown)),
                (SELECT count(*) FROM (SELECT 1 FROM outbox WHERE \(Self.isPostponed) AND due_at <= \(now) LIMIT 1) mails)
            """
        ) { row in
            WaitingMails(
                counts: [
                    .notice: Int(clamping: try row.integer(0)), .known: Int(clamping: try row.integer(1)),
                    .unknown: Int(clamping: try row.integer(2)),
                ],
                hasPostponed: try row.integer(3) > 0
            )
        }
        return waiting ?? WaitingMails(counts: [:], hasPostponed: false)
    }

    /// Moves at most `limit` postponed e-mails that are due again back to the ranks that workers lease from.
    package func wakePostponedMails(limit: Int) throws {
        try enqueue(
            dialect.lease(
                from: "outbox",
                setting: "rank = rank - 4503599627370496",
                where: "\(Self.isPostponed) AND due_at <= \(now)",
                orderedBy: "due_at",
                limit: limit,
                returning: "id"
            )
        )
    }

    /// Leases due e-mails of a kind to a worker, which must finish them before the lease ends.
    ///
    /// One column holds both the due time and the end of the lease, so a killed worker's lease expires by itself.
    ///
    /// - Parameters:
    ///   - kind: the kind of the e-mails.
    ///   - limit: the maximum number of e-mails, lowest rank first.
    ///   - worker: the worker that leases them.
    ///   - milliseconds: the duration of the lease, unless it is renewed.
    ///   - takingOver: whether to include e-mails whose lease expired before their worker finished them.
    ///   - lowest: the lowest ranks to lease.
    /// - Returns: the e-mails, in any order.
    package func leaseMails(
        _ kind: MailRank.Kind,
        limit: Int,
        worker: String,
        milliseconds: Int64,
        takingOver: Bool,
        from lowest: LowestMailRanks = LowestMailRanks()
    ) throws -> [LeasedRow] {
        let lease = lease(
            of: kind,
            limit: limit,
            worker: worker,
            milliseconds: milliseconds,
            takingOver: takingOver,
            from: lowest
        )
        return try all(lease) { row in
            LeasedRow(
                id: try row.integer(0),
                mail: try row.text(1),
                payload: try row.text(2),
                attempts: try row.integer(3),
                rank: try row.integer(4)
            )
        }
    }

    /// Returns the statement that leases e-mails of a kind.
    func lease(
        of kind: MailRank.Kind,
        limit: Int,
        worker: String,
        milliseconds: Int64,
        takingOver: Bool,
        from lowest: LowestMailRanks = LowestMailRanks()
    ) -> SQL {
        dialect.lease(
            from: "outbox",
            setting: "due_at = \(now + milliseconds), leased_by = \(worker)",
            where: Self.isDue(kind, from: lowest, at: now, takingOver),
            orderedBy: "rank",
            limit: limit,
            returning: "id, mail, payload, attempts, rank"
        )
    }

    /// Returns the SQL condition for e-mails of a kind that may be leased.
    ///
    /// The plus keeps the planner from using the index on `due_at`, whose rows it would have to sort.
    private static func isDue(
        _ kind: MailRank.Kind,
        from lowest: LowestMailRanks,
        at now: Int64,
        _ takingOver: Bool
    ) -> SQL {
        isFree(
            takingOver,
            "state = 'queued' AND rank >= \(lowest[kind]) AND rank < \(kind.end) AND +due_at <= \(now)"
        )
    }

    /// The SQL condition for e-mails that wait for a retry: ranks from ``MailRank/postponed``, as a literal so that the
    /// index applies.
    private static let isPostponed: SQL = "state = 'queued' AND rank >= 4503599627370496"

    /// Renews the worker's leases of e-mails, for a duration from now.
    ///
    /// - Returns: the e-mails whose lease the worker still owns.
    package func renewMails(_ ids: [Int64], worker: String, milliseconds: Int64) throws -> [Int64] {
        try all(
            """
            UPDATE outbox SET due_at = \(now + milliseconds)
            WHERE id IN \(in: ids) AND leased_by = \(worker) AND state = 'queued' RETURNING id
            """
        ) { row in try row.integer(0) }
    }

    /// Returns the SQL condition `isDue`, restricted to rows that no worker has leased unless expired leases are taken
    /// over.
    static func isFree(_ takingOver: Bool, _ isDue: SQL) -> SQL {
        takingOver ? isDue : isDue + " AND leased_by IS NULL"
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
    /// - Returns: the tickets that the e-mails belong to, except those of which the lease was lost.
    package func finishSentMails(_ ids: [Int64], worker: String) throws -> [String] {
        guard !ids.isEmpty else { return [] }
        // Only queued e-mails are leased. With a condition on the state, PostgreSQL may prefer an index of all queued
        // e-mails to the ids.
        return try all(
            """
            UPDATE outbox SET state = \(OutboxState.sent.rawValue), payload = NULL, leased_by = NULL,
                settled_at = \(now), attempts = attempts + 1, reason = NULL, mailbox = NULL
            WHERE id\(dialect.isAny(of: ids)) AND leased_by = \(worker)
            RETURNING ticket
            """
        ) { row in try row.optionalText(0) }.compactMap { $0 }
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
