package import Accounts
package import Database

/// The state of a hook message.
package enum HookMessageState: String, Sendable, CaseIterable {
    /// A question about a merge, which the server sends while it prepares the merge, and no worker sends again.
    case asked
    /// Waits to be sent, or is being sent by a worker.
    case queued
    /// Was sent; or is a question whose merge was decided.
    case delivered
    /// Failed for good, or waited too long.
    case failed
}

/// A hook message, as operators see it.
package struct HookEntry: Sendable, Equatable {
    package let id: String
    package let event: String
    package let hook: String
    package let merge: String?
    package let state: HookMessageState
    package let attempts: Int64
    /// While queued, when the message is tried next, or when the lease of the worker that sends it ends, in
    /// milliseconds since 1970.
    ///
    /// Has no meaning in other states.
    package let dueAt: Int64
    package let createdAt: Int64
    /// When the message was delivered or failed for good, or the question's merge was decided, in milliseconds since
    /// 1970; `nil` before.
    package let settledAt: Int64?
    /// The reason of the last failed attempt; `nil` if none was recorded.
    package let reason: String?
}

/// A queued hook message that a worker has leased: no other worker sends it until the lease ends.
package struct LeasedHookMessage: Sendable, Equatable {
    package let row: Int64
    package let id: String
    package let payload: String
    /// The number of failed attempts so far.
    package let attempts: Int64
    package let createdAt: Int64
}

extension Transaction {
    package func queue(_ message: HookMessage) throws {
        try insert(message, as: .queued)
    }

    package func recordQuestion(_ question: HookMessage) throws {
        try insert(question, as: .asked)
    }

    /// Inserts a message in a given state, with no attempts so far and due now.
    ///
    /// If a message with the same ID exists, that one stays unchanged.
    private func insert(_ message: HookMessage, as state: HookMessageState) throws {
        try enqueue(
            """
            INSERT INTO webhook_deliveries (delivery, event, hook, merge, state, payload, attempts, due_at, created_at)
            VALUES (\(message.id), \(message.event.rawValue), \(message.hook), \(message.merge), \(state.rawValue),
                \(message.payload), 0, \(now), \(now))
            ON CONFLICT (delivery) DO NOTHING
            """
        )
    }

    package func finishQuestions(of merge: String) throws -> [String] {
        try all(
            """
            UPDATE webhook_deliveries SET state = \(HookMessageState.delivered.rawValue), settled_at = \(now),
                attempts = 1
            WHERE merge = \(merge) AND state = \(HookMessageState.asked.rawValue) RETURNING hook
            """
        ) { row in try row.text(0) }
    }

    /// Whether a queued message to the hook is due, which includes messages whose lease has expired; a cheap check
    /// before leasing.
    package func hasDueMessage(to hook: String) throws -> Bool {
        try first(
            "SELECT 1 FROM webhook_deliveries WHERE state = 'queued' AND hook = \(hook) AND due_at <= \(now) LIMIT 1"
        ) { _ in true } ?? false
    }

    /// Leases due messages to a hook to a worker, which must finish them before the lease ends.
    ///
    /// - Parameters:
    ///   - hook: the hook.
    ///   - limit: the maximum number of messages.
    ///   - worker: the worker that leases them.
    ///   - milliseconds: the duration of the lease, unless it is renewed.
    ///   - takingOver: whether to include messages whose lease expired before their worker finished them.
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
            lock: rowLockSkippingOthers(.leasedRows),
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

    /// Renews the worker's leases of messages, for a duration from now.
    ///
    /// - Returns: the rows whose lease the worker still owns.
    package func renewMessages(_ rows: [Int64], worker: String, milliseconds: Int64) throws -> [Int64] {
        try all(
            """
            UPDATE webhook_deliveries SET due_at = \(now + milliseconds)
            WHERE id IN \(in: rows) AND leased_by = \(worker) AND state = 'queued' RETURNING id
            """
        ) { row in try row.integer(0) }
    }

    /// Stores the final outcome of a leased message, counts the attempt and ends the lease.
    ///
    /// Does nothing if the worker no longer owns the lease.
    package func finishMessage(
        _ row: Int64,
        worker: String,
        as state: HookMessageState,
        reason: String?
    ) throws {
        try enqueue(
            """
            UPDATE webhook_deliveries SET state = \(state.rawValue), leased_by = NULL, settled_at = \(now),
                attempts = attempts + 1, reason = \(reason)
            WHERE id = \(row) AND leased_by = \(worker) AND state = 'queued'
            """
        )
    }

    /// Makes a leased message due again after a delay and ends its lease.
    ///
    /// Does nothing if the worker no longer owns the lease.
    ///
    /// - Parameters:
    ///   - row: the message.
    ///   - worker: the owner of the lease.
    ///   - milliseconds: the delay from now.
    ///   - isCounted: whether the attempt counts as failed.
    ///   - reason: the reason of the failure; `nil` keeps the reason of the last one.
    package func postponeMessage(
        _ row: Int64,
        worker: String,
        by milliseconds: Int64,
        isCounted: Bool,
        reason: String?
    ) throws {
        try enqueue(
            """
            UPDATE webhook_deliveries SET due_at = \(now + milliseconds), leased_by = NULL,
                attempts = attempts + \(isCounted ? 1 : 0), reason = COALESCE(\(reason), reason)
            WHERE id = \(row) AND leased_by = \(worker) AND state = 'queued'
            """
        )
    }

    /// Makes a queued message, or one that failed for good, due at once, unless a worker's lease of it has not expired.
    package func retryMessage(_ id: String) throws -> RequeueResult {
        let count = try execute(
            """
            UPDATE webhook_deliveries SET state = 'queued', due_at = \(now), leased_by = NULL, settled_at = NULL
            WHERE delivery = \(id) AND state IN ('queued', 'failed') AND (leased_by IS NULL OR due_at <= \(now))
            """
        )
        guard count == 0 else { return .due }
        return try first("SELECT 1 FROM webhook_deliveries WHERE delivery = \(id) AND leased_by IS NOT NULL") { _ in
            .leased
        } ?? .notFound
    }

    /// Returns whether there is a message with this ID, in whatever state.
    package func hasHookMessage(_ id: String) throws -> Bool {
        try first("SELECT 1 FROM webhook_deliveries WHERE delivery = \(id)") { _ in true } ?? false
    }

    /// Returns the messages in one state, or in all states for `nil`, newest first; at most `limit`.
    package func hookMessages(
        _ state: HookMessageState?,
        limit: Int64,
        after message: String? = nil
    ) throws -> [HookEntry] {
        let place: SQL =
            message.map { "AND id < (SELECT d.id FROM webhook_deliveries d WHERE d.delivery = \($0))" } ?? ""
        let states = state.map { [$0.rawValue] } ?? HookMessageState.allCases.map(\.rawValue)
        return try all(
            """
            SELECT delivery, event, hook, merge, state, attempts, due_at, created_at, settled_at, reason
            FROM webhook_deliveries WHERE state IN \(in: states) \(place)
            ORDER BY id DESC LIMIT \(limit)
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

    /// Deletes up to `limit` messages that were delivered or failed more than a week ago, and fails messages that have
    /// been due for a week, because no server sends to their hook.
    ///
    /// Only the `limit` oldest messages are examined for the latter.
    ///
    /// - Returns: the number of deleted rows.
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

    // MARK: Merges that ask hooks

    package func prepareMerge(_ id: String, of guest: String, into target: String, lease: Int64) throws {
        try enqueue(
            """
            INSERT INTO merges (merge, uid, target_uid, state, leased_until, created_at)
            VALUES (\(id), \(guest), \(target), 'preparing', \(now + lease), \(now))
            """
        )
        try enqueue("UPDATE users SET merge_id = \(id) WHERE uid = \(guest)")
    }

    package func cancelMerge(_ id: String, reason: String) throws -> (guest: String, target: String)? {
        // Locks the guest before the merge, as the merge itself does.
        let guest = try first("SELECT uid FROM merges WHERE merge = \(id) AND state = 'preparing'") { try $0.text(0) }
        guard let guest else { return nil }
        try lockUsers([guest])
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

    package func abandonedMerges(limit: Int) throws -> [(id: String, guest: String)] {
        try all(
            """
            SELECT merge, uid FROM merges WHERE state = 'preparing' AND leased_until <= \(now)
            ORDER BY leased_until LIMIT \(limit)
            """
        ) { row in (id: try row.text(0), guest: try row.text(1)) }
    }
}
