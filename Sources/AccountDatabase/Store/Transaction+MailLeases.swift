package import Accounts
package import Database

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
                lock: rowLockSkippingOthers(.leasedRows),
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
            lock: rowLockSkippingOthers(.leasedRows),
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
}
