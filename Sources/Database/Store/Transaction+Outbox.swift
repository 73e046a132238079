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
    /// When it is tried next, or when its lease ends.
    ///
    /// Milliseconds since 1970.
    package let dueAt: Int64
    package let createdAt: Int64
    package let settledAt: Int64?
    /// The last failure, with the mail server's reply code.
    package let reason: String?
}

/// A mail that a worker holds for a while.
package struct LeasedRow: Sendable {
    package let id: Int64
    /// The mail's own id, which its payload is sealed for.
    package let mail: String
    package let payload: String
    /// How many attempts have counted so far.
    package let attempts: Int64
    /// Lower ranks go first.
    package let rank: Int64
}

/// How many mails could be taken now, counted up to a limit.
package struct WaitingMails: Sendable, Equatable {
    /// By kind.
    package var counts: [MailRank.Kind: Int]
    /// Whether a postponed mail is due again.
    package var hasPostponed: Bool

    /// Whether there is nothing to do.
    package var isEmpty: Bool { !hasPostponed && counts.values.allSatisfy { $0 == 0 } }
}

extension Transaction {
    package func queue(_ mail: QueuedMail, rank: MailRank, payload: String) throws {
        try perform(
            """
            INSERT INTO outbox (mail, kind, ticket, state, payload, attempts, due_at, rank, created_at)
            VALUES (\(mail.id), \(mail.kind.rawValue), \(mail.ticket), \(OutboxState.queued.rawValue), \(payload), 0,
                \(now), \(rank.value), \(now))
            """
        )
    }

    /// What could be taken; a cheap look before taking any.
    ///
    /// - Parameters:
    ///   - limit: how far mails of one kind are counted.
    ///   - takingOver: whether also those that another worker left.
    package func waitingMails(upTo limit: Int, takingOver: Bool) throws -> WaitingMails {
        func count(_ kind: MailRank.Kind) -> SQL {
            """
            (SELECT count(*) FROM
                (SELECT 1 FROM outbox WHERE \(Self.isDue(kind, at: now, takingOver)) ORDER BY rank LIMIT \(limit)) mails)
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

    /// Puts postponed mails that are due again among those to take.
    package func wakePostponedMails(limit: Int) throws {
        try perform(
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

    /// Takes due mails of a kind for a worker, which must settle them before the lease ends.
    ///
    /// Being due and being leased are one column, so that the lease of a killed worker runs out by itself.
    ///
    /// - Parameter takingOver: whether also those that another worker left.
    package func leaseMails(
        _ kind: MailRank.Kind,
        limit: Int,
        worker: String,
        milliseconds: Int64,
        takingOver: Bool
    ) throws -> [LeasedRow] {
        let lease = lease(of: kind, limit: limit, worker: worker, milliseconds: milliseconds, takingOver: takingOver)
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

    /// The statement that takes mails of a kind.
    func lease(
        of kind: MailRank.Kind,
        limit: Int,
        worker: String,
        milliseconds: Int64,
        takingOver: Bool
    ) -> SQL {
        dialect.lease(
            from: "outbox",
            setting: "due_at = \(now + milliseconds), leased_by = \(worker)",
            where: Self.isDue(kind, at: now, takingOver),
            orderedBy: "rank",
            limit: limit,
            returning: "id, mail, payload, attempts, rank"
        )
    }

    /// Which mails of a kind may be taken.
    ///
    /// The plus keeps the planner from the index on `due_at`, whose mails it would have to sort.
    private static func isDue(_ kind: MailRank.Kind, at now: Int64, _ takingOver: Bool) -> SQL {
        isFree(takingOver, "state = 'queued' AND rank >= \(kind.first) AND rank < \(kind.end) AND +due_at <= \(now)")
    }

    /// Which mails wait for a retry: those from ``MailRank/postponed`` on, written out for the sake of the index.
    private static let isPostponed: SQL = "state = 'queued' AND rank >= 4503599627370496"

    /// Lets the worker hold mails for so long from now.
    ///
    /// - Returns: those that it still holds.
    package func renewMails(_ ids: [Int64], worker: String, milliseconds: Int64) throws -> [Int64] {
        try all(
            """
            UPDATE outbox SET due_at = \(now + milliseconds)
            WHERE id IN \(in: ids) AND leased_by = \(worker) AND state = 'queued' RETURNING id
            """
        ) { row in try row.integer(0) }
    }

    /// Narrows down what is due to what nobody left in the middle, unless that is taken over.
    static func isFree(_ takingOver: Bool, _ isDue: SQL) -> SQL {
        takingOver ? isDue : isDue + " AND leased_by IS NULL"
    }

    /// Ends a mail, if the worker still holds it; what it said is erased.
    ///
    /// - Parameters:
    ///   - id: the mail.
    ///   - worker: who holds it.
    ///   - state: what became of it.
    ///   - reason: why it failed.
    ///   - mailbox: the keyed hash of its address, where that does not exist.
    /// - Returns: the ticket it belongs to.
    package func settleMail(
        _ id: Int64,
        worker: String,
        as state: OutboxState,
        reason: String?,
        mailbox: String? = nil
    ) throws -> String? {
        try first(
            """
            UPDATE outbox SET state = \(state.rawValue), payload = NULL, leased_by = NULL, settled_at = \(now),
                attempts = attempts + \(state == .sent ? 1 : 0), reason = \(reason), mailbox = \(mailbox)
            WHERE id = \(id) AND leased_by = \(worker) AND state = \(OutboxState.queued.rawValue)
            RETURNING ticket
            """
        ) { row in try row.optionalText(0) } ?? nil
    }

    /// Puts a mail back for a later attempt, if the worker still holds it.
    ///
    /// One that is due later leaves the ranks that workers look through until then, and ranks as if it were queued when it is
    /// due, or later where it did so already.
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
        try perform(
            """
            UPDATE outbox SET due_at = \(due), leased_by = NULL, rank = \(rank),
                attempts = attempts + \(isCounted ? 1 : 0), reason = COALESCE(\(reason), reason)
            WHERE id = \(id) AND leased_by = \(worker) AND state = \(OutboxState.queued.rawValue)
            """
        )
    }

    /// Stores what a held mail says by now.
    package func replaceMail(_ id: Int64, worker: String, payload: String) throws {
        try perform("UPDATE outbox SET payload = \(payload) WHERE id = \(id) AND leased_by = \(worker)")
    }

    /// Makes a waiting mail due at once, unless a worker has it in hand.
    package func retryMail(_ mail: String) throws -> RetryAnswer {
        let count = try execute(
            """
            UPDATE outbox SET due_at = \(now), leased_by = NULL
            WHERE mail = \(mail) AND state = \(OutboxState.queued.rawValue)
                AND (leased_by IS NULL OR due_at <= \(now))
            """
        )
        guard count == 0 else { return .due }
        return try first("SELECT 1 FROM outbox WHERE mail = \(mail) AND leased_by IS NOT NULL") { _ in .inHand }
            ?? .noneWaits
    }

    /// The mails of a state, or of all, the newest first.
    package func outbox(_ state: OutboxState?, limit: Int64) throws -> [OutboxEntry] {
        let states = state.map { [$0.rawValue] } ?? OutboxState.allCases.map(\.rawValue)
        return try all(
            """
            SELECT \(OutboxEntry.columns) FROM outbox WHERE state IN \(in: states) ORDER BY id DESC LIMIT \(limit)
            """
        ) { row in try OutboxEntry(row) }
    }

    /// One mail of the outbox.
    package func outboxEntry(_ mail: String) throws -> OutboxEntry? {
        try first("SELECT \(OutboxEntry.columns) FROM outbox WHERE mail = \(mail)") { row in try OutboxEntry(row) }
    }

    /// The sealed content of a mail that waits.
    package func waitingPayload(of mail: String) throws -> String? {
        try first("SELECT payload FROM outbox WHERE mail = \(mail) AND state = 'queued'") { row in
            try row.optionalText(0)
        } ?? nil
    }

    /// The sealed contents of the mails that wait.
    package func waitingPayloads() throws -> [(mail: String, payload: String)] {
        try all("SELECT mail, payload FROM outbox WHERE state = 'queued' AND payload IS NOT NULL") { row in
            (try row.text(0), try row.text(1))
        }
    }
}

extension OutboxEntry {
    /// What ``init(_:)`` reads.
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
