package import Accounts

/// Where a message to a hook stands.
package enum HookMessageState: String, Sendable, CaseIterable {
    /// A question that is put while a merge is prepared, never again.
    case asked
    case queued
    case delivered
    case failed
}

/// A message to a hook, as operators see it.
package struct HookEntry: Sendable, Equatable {
    package let id: String
    package let event: String
    package let hook: String
    package let merge: String?
    package let state: HookMessageState
    package let attempts: Int64
    /// When it is tried next, or when its lease ends.
    ///
    /// Milliseconds since 1970.
    package let dueAt: Int64
    package let createdAt: Int64
    package let settledAt: Int64?
    /// The last failure.
    package let reason: String?
}

/// A message that a worker holds for a while.
package struct LeasedHookMessage: Sendable, Equatable {
    package let row: Int64
    package let id: String
    package let payload: String
    /// How many attempts have failed so far.
    package let attempts: Int64
    package let createdAt: Int64
}

extension Transaction {
    package func queue(_ message: HookMessage) throws {
        try insert(message, as: .queued)
    }

    package func noteQuestion(_ question: HookMessage) throws {
        try insert(question, as: .asked)
    }

    /// A message that is there already stays as it is: the same id means the same matter.
    private func insert(_ message: HookMessage, as state: HookMessageState) throws {
        try perform(
            """
            INSERT INTO webhook_deliveries (delivery, event, hook, merge, state, payload, attempts, due_at, created_at)
            VALUES (\(message.id), \(message.event.rawValue), \(message.hook), \(message.merge), \(state.rawValue),
                \(message.payload), 0, \(now), \(now))
            ON CONFLICT (delivery) DO NOTHING
            """
        )
    }

    package func settleQuestions(of merge: String) throws -> [String] {
        try all(
            """
            UPDATE webhook_deliveries SET state = \(HookMessageState.delivered.rawValue), settled_at = \(now),
                attempts = 1
            WHERE merge = \(merge) AND state = \(HookMessageState.asked.rawValue) RETURNING hook
            """
        ) { row in try row.text(0) }
    }

    /// Whether a message to the hook is due; a cheap look before taking any.
    package func hasDueMessage(to hook: String) throws -> Bool {
        try first(
            "SELECT 1 FROM webhook_deliveries WHERE state = 'queued' AND hook = \(hook) AND due_at <= \(now) LIMIT 1"
        ) { _ in true } ?? false
    }

    /// Takes due messages to a hook for a worker, which must settle them before the lease ends.
    ///
    /// - Parameters:
    ///   - hook: whose messages.
    ///   - limit: how many at most.
    ///   - worker: who takes them.
    ///   - milliseconds: how long the lease lasts, unless it is renewed.
    ///   - takingOver: whether also those that another worker left.
    /// - Returns: the messages, in the order in which they were queued.
    package func leaseMessages(
        to hook: String,
        limit: Int,
        worker: String,
        milliseconds: Int64,
        takingOver: Bool
    ) throws -> [LeasedHookMessage] {
        let lease = dialect.lease(
            from: "webhook_deliveries",
            setting: "due_at = \(now + milliseconds), leased_by = \(worker)",
            where: Self.isFree(takingOver, "state = 'queued' AND hook = \(hook) AND due_at <= \(now)"),
            orderedBy: "due_at, id",
            limit: limit,
            returning: "id, delivery, payload, attempts, created_at"
        )
        return try all(lease) { row in
            LeasedHookMessage(
                row: try row.integer(0),
                id: try row.text(1),
                payload: try row.text(2),
                attempts: try row.integer(3),
                createdAt: try row.integer(4)
            )
        }.sorted { $0.row < $1.row }
    }

    /// Lets the worker hold messages for so long from now.
    ///
    /// - Returns: the rows of those that it still holds.
    package func renewMessages(_ rows: [Int64], worker: String, milliseconds: Int64) throws -> [Int64] {
        try all(
            """
            UPDATE webhook_deliveries SET due_at = \(now + milliseconds)
            WHERE id IN \(in: rows) AND leased_by = \(worker) AND state = 'queued' RETURNING id
            """
        ) { row in try row.integer(0) }
    }

    /// Ends a message, if the worker still holds it.
    package func settleMessage(
        _ row: Int64,
        worker: String,
        as state: HookMessageState,
        reason: String?
    ) throws {
        try perform(
            """
            UPDATE webhook_deliveries SET state = \(state.rawValue), leased_by = NULL, settled_at = \(now),
                attempts = attempts + 1, reason = \(reason)
            WHERE id = \(row) AND leased_by = \(worker) AND state = 'queued'
            """
        )
    }

    /// Puts a message back for a later attempt, if the worker still holds it.
    package func postponeMessage(
        _ row: Int64,
        worker: String,
        by milliseconds: Int64,
        isCounted: Bool,
        reason: String?
    ) throws {
        try perform(
            """
            UPDATE webhook_deliveries SET due_at = \(now + milliseconds), leased_by = NULL,
                attempts = attempts + \(isCounted ? 1 : 0), reason = COALESCE(\(reason), reason)
            WHERE id = \(row) AND leased_by = \(worker) AND state = 'queued'
            """
        )
    }

    /// Makes a message due at once, one that was given up too, unless a worker has it in hand.
    package func retryMessage(_ id: String) throws -> RetryAnswer {
        let count = try execute(
            """
            UPDATE webhook_deliveries SET state = 'queued', due_at = \(now), leased_by = NULL, settled_at = NULL
            WHERE delivery = \(id) AND state IN ('queued', 'failed') AND (leased_by IS NULL OR due_at <= \(now))
            """
        )
        guard count == 0 else { return .due }
        return try first("SELECT 1 FROM webhook_deliveries WHERE delivery = \(id) AND leased_by IS NOT NULL") { _ in
            .inHand
        } ?? .noneWaits
    }

    /// The messages of a state, or of all, the newest first.
    package func hookMessages(_ state: HookMessageState?, limit: Int64) throws -> [HookEntry] {
        let states = state.map { [$0.rawValue] } ?? HookMessageState.allCases.map(\.rawValue)
        return try all(
            """
            SELECT delivery, event, hook, merge, state, attempts, due_at, created_at, settled_at, reason
            FROM webhook_deliveries WHERE state IN \(in: states) ORDER BY id DESC LIMIT \(limit)
            """
        ) { row in
            HookEntry(
                id: try row.text(0),
                event: try row.text(1),
                hook: try row.text(2),
                merge: try row.optionalText(3),
                state: try row.value(4),
                attempts: try row.integer(5),
                dueAt: try row.integer(6),
                createdAt: try row.integer(7),
                settledAt: try row.optionalInteger(8),
                reason: try row.optionalText(9)
            )
        }
    }

    /// Deletes a batch of messages that were settled a week ago, and gives up those that no server has known the hook of for
    /// as long: of the oldest, since a hook that is silent may have any number of them waiting.
    ///
    /// - Returns: how many rows went.
    package func purgeHookMessages(limit: Int64) throws -> Int {
        let week: Int64 = 7 * 86_400_000
        try execute(
            """
            UPDATE webhook_deliveries SET state = 'failed', leased_by = NULL, settled_at = \(now),
                reason = COALESCE(reason, 'no server knows the hook')
            WHERE id IN (SELECT id FROM webhook_deliveries ORDER BY id LIMIT \(limit))
                AND state = 'queued' AND due_at <= \(now - week)
            """
        )
        return try execute(
            """
            DELETE FROM webhook_deliveries WHERE id IN (SELECT id FROM webhook_deliveries
                WHERE settled_at < \(now - week) LIMIT \(limit))
            """
        )
    }

    // MARK: Merges that hooks are asked about

    package func prepareMerge(_ id: String, of guest: String, into target: String, lease: Int64) throws {
        try perform(
            """
            INSERT INTO merges (merge, uid, target_uid, state, leased_until, created_at)
            VALUES (\(id), \(guest), \(target), 'preparing', \(now + lease), \(now))
            """
        )
        try perform("UPDATE users SET merge_id = \(id) WHERE uid = \(guest)")
    }

    package func cancelMerge(_ id: String, reason: String) throws -> (guest: String, target: String)? {
        let merge = try first(
            """
            UPDATE merges SET state = 'cancelled', reason = \(reason), leased_until = NULL, settled_at = \(now)
            WHERE merge = \(id) AND state = 'preparing' RETURNING uid, target_uid
            """
        ) { row in (guest: try row.text(0), target: try row.text(1)) }
        if let merge {
            try execute("UPDATE users SET merge_id = NULL WHERE uid = \(merge.guest) AND merge_id = \(id)")
        }
        return merge
    }

    package func abandonedMerges(limit: Int) throws -> [String] {
        try all(
            """
            SELECT merge FROM merges WHERE state = 'preparing' AND leased_until <= \(now)
            ORDER BY leased_until LIMIT \(limit)
            """
        ) { row in try row.text(0) }
    }
}
