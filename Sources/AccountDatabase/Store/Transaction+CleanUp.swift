package import Accounts
package import Database

extension Transaction {
    package func lockGuests() throws {
        try lockTable("users", named: TableLock.guests.rawValue)
    }

    package func needsSweep() throws -> Bool {
        try first(
            """
            SELECT 1 WHERE EXISTS (SELECT 1 FROM settings WHERE name = 'cleanup-guests-pending')
                OR EXISTS (SELECT 1 FROM users u WHERE \(Self.isDue(by: now)))
            """
        ) { _ in true } ?? false
    }

    package func dueGuests(limit: Int) throws -> [DueGuest] {
        try all(
            """
            SELECT u.id, u.uid, u.document_count, u.last_refresh_at, CASE WHEN \(isBusy) THEN 1 ELSE 0 END,
                CASE WHEN u.imported_at IS NOT NULL OR EXISTS (SELECT 1 FROM firebase_users f WHERE f.uid = u.uid)
                    THEN 1 ELSE 0 END
            FROM users u WHERE \(Self.isDue(by: now)) ORDER BY u.cleanup_at, u.id LIMIT \(limit)
            """
        ) { row in
            DueGuest(
                number: try row.integer(0),
                uid: try row.text(1),
                documents: try row.integer(2),
                lastUsedAt: try row.integer(3),
                isBusy: try row.integer(4) == 1,
                isOfFirebase: try row.integer(5) == 1
            )
        }
    }

    package func scheduleGuests(createdBy time: Int64, for dueAt: Int64, limit: Int) throws -> Int {
        try execute(
            """
            UPDATE users SET cleanup_at = \(dueAt) WHERE anonymous_since IS NOT NULL AND id IN
                (SELECT id FROM users WHERE anonymous_since IS NOT NULL AND cleanup_at IS NULL
                    AND anonymous_since <= \(time) ORDER BY id LIMIT \(limit))
            """
        )
    }

    package func postponeCleanup(of numbers: [Int64], to time: Int64) throws {
        guard !numbers.isEmpty else { return }
        try enqueue(
            "UPDATE users SET cleanup_at = \(time) WHERE id IN \(in: numbers) AND anonymous_since IS NOT NULL"
        )
    }

    package func postponeCleanup(of numbers: [Int64], toLastUsePlus milliseconds: Int64) throws {
        guard !numbers.isEmpty else { return }
        try enqueue(
            """
            UPDATE users SET cleanup_at = last_refresh_at + \(milliseconds)
            WHERE id IN \(in: numbers) AND anonymous_since IS NOT NULL
            """
        )
    }

    package func deleteGuests(_ guests: [DueGuest]) throws -> [String] {
        guard !guests.isEmpty else { return [] }
        // Checked again here, so that no permanent user is ever deleted, whatever led to this call.
        let condition: SQL = """
            u.id IN \(in: guests.map(\.number)) AND u.merge_id IS NULL AND \(Self.isDue(by: now))
            """
        try execute(
            """
            INSERT INTO former_users (uid, created_at, gone_at, user_number)
            SELECT u.uid, u.created_at, CAST(\(now) AS BIGINT), u.id FROM users u WHERE \(condition)
            """
        )
        let gone = try all("DELETE FROM users AS u WHERE \(condition) RETURNING id, uid") { row in
            (number: try row.integer(0), uid: try row.text(1))
        }
        // Matches both, because a number may have belonged to another user, whose sessions are kept.
        try execute(
            "DELETE FROM sessions WHERE user_number IN \(in: gone.map(\.number)) AND uid IN \(in: gone.map(\.uid))"
        )
        return gone.map(\.uid)
    }

    package func countGuests(_ count: GuestCount) throws -> Int64 {
        var condition: SQL = "u.anonymous_since IS NOT NULL"
        switch count.which {
        case .all: break
        case .unscheduled(let after, let by):
            condition += " AND u.cleanup_at IS NULL"
            if let after { condition += " AND u.anonymous_since > \(after)" }
            if let by { condition += " AND u.anonymous_since <= \(by)" }
        case .scheduled: condition += " AND u.cleanup_at IS NOT NULL"
        case .due(let time): condition = Self.isDue(by: time)
        }
        if let unusedSince = count.unusedSince { condition += " AND u.last_refresh_at <= \(unusedSince)" }
        if count.excludesBusy { condition += " AND NOT (\(isBusy))" }
        if count.excludesBlocked {
            for keeper in try keepers() { condition += " AND NOT \(keeper.containsUser)" }
        }
        return try countUsers(condition)
    }

    /// Whether there are more guests than `number`; reads no more than one beyond it.
    package func hasGuests(moreThan number: Int64) throws -> Bool {
        try first(
            """
            SELECT count(*) FROM (SELECT 1 FROM users WHERE anonymous_since IS NOT NULL LIMIT \(number + 1)) guests
            """
        ) { row in try row.integer(0) > number } ?? false
    }

    package func countBlockedGuests() throws -> [String: Int64] {
        var counts: [String: Int64] = [:]
        for keeper in try keepers() {
            let count = try countUsers(Self.isDue(by: now) + " AND \(keeper.containsUser)")
            if count > 0 { counts[keeper.table] = max(count, counts[keeper.table] ?? 0) }
        }
        return counts
    }

    /// Returns the UIDs of due guests that rows of the operator's own tables keep, at most `limit` for each such table.
    package func blockedGuests(limit: Int64) throws -> [String: [String]] {
        var guests: [String: [String]] = [:]
        for keeper in try keepers() {
            let condition = Self.isDue(by: now) + " AND \(keeper.containsUser)"
            let found = try all("SELECT u.uid FROM users u WHERE \(condition) ORDER BY u.cleanup_at LIMIT \(limit)") {
                try $0.text(0)
            }
            if !found.isEmpty { guests[keeper.table] = found }
        }
        return guests
    }

    private func countUsers(_ condition: SQL) throws -> Int64 {
        try first("SELECT count(*) FROM users u WHERE \(condition)") { row in try row.integer(0) } ?? 0
    }

    /// Returns the SQL condition that the user `u` is a guest whose clean-up is due by a time, in milliseconds since
    /// 1970.
    ///
    /// Matches only guests, even if another change failed to clear the due time, and never a contested account.
    private static func isDue(by time: Int64) -> SQL {
        "u.anonymous_since IS NOT NULL AND u.cleanup_at <= \(time) AND u.contested_at IS NULL"
    }

    /// The SQL condition that a merge suspends the user `u`, or that one of the user's tickets may still be redeemed.
    private var isBusy: SQL {
        """
        u.merge_id IS NOT NULL OR EXISTS (SELECT 1 FROM tickets t WHERE t.asking_uid = u.uid
            AND t.state IN ('open', 'approved') AND (t.expires_at >= \(now) OR t.mail_state = 'queued'))
        """
    }
}
