internal import Accounts
internal import Database
internal import Tokens

/// The setting of clean-up, and how many guests it touches.
package struct CleanupReport: Sendable, Encodable {
    /// Guests that go by some time, if they are used no more.
    package struct Leaving: Sendable, Encodable {
        package let now: Int64
        package let in7Days: Int64
        package let in30Days: Int64
    }

    package let enabled: Bool
    package let days: Int64
    /// `creation` or `lastUse`.
    package let since: String
    /// All there are.
    package let guests: Int64
    package let scheduled: Int64
    /// While it is off: if it were switched on now.
    package let leaving: Leaving
    /// Guests that are due and stay for rows of the operator's own tables, by the table.
    package let blocked: [String: Int64]

    init(_ state: CleanupState) {
        let (setting, preview) = (state.setting, state.preview)
        enabled = setting.isOn
        days = setting.days
        since = setting.since.rawValue
        guests = preview.guests
        scheduled = preview.scheduled
        leaving = Leaving(now: preview.now, in7Days: preview.inSevenDays, in30Days: preview.inThirtyDays)
        blocked = preview.blocked
    }
}

/// What a sweep did.
package struct SweepReport: Sendable, Encodable {
    package let removed: Int
    /// Guests that got their due time.
    package let scheduled: Int
    /// Guests that were due but are in use, or busy with a merge or a sign-in.
    package let postponed: Int
    /// Guests that stay for rows of the operator's own tables, by the table.
    package let blocked: [String: Int]

    init(_ totals: Sweeper.Totals) {
        removed = totals.removed
        scheduled = totals.batches.scheduled
        postponed = totals.batches.postponed
        blocked = totals.batches.blocked
    }
}

extension Operator {
    /// The setting of clean-up and whom it touches; where days or a start are given, as it would be with them.
    ///
    /// - Parameters:
    ///   - days: 1 to 3650.
    ///   - since: `creation` or `lastUse`.
    package func cleanup(days: Int64? = nil, since: String? = nil) throws -> CleanupReport {
        let change = CleanupChange(days: days, since: since)
        return try store.database.readNow { CleanupReport(try CleanupState(flows, with: change, in: $0)) }
    }

    /// Switches clean-up, or changes its days or what they count from.
    ///
    /// - Parameters:
    ///   - isOn: whether new guests get a time to go.
    ///   - days: 1 to 3650.
    ///   - since: `creation` or `lastUse`.
    package func changeCleanup(isOn: Bool?, days: Int64? = nil, since: String? = nil) throws -> CleanupReport {
        var change = CleanupChange(days: days, since: since)
        change.isOn = isOn
        return try store.database.writeNow { [flows, change] transaction in
            _ = try flows.change(change, in: transaction)
            return CleanupReport(try CleanupState(flows, in: transaction))
        }
    }

    /// Removes the guests whose time is over, now.
    ///
    /// While another sweeper is at work it waits for its turn.
    ///
    /// - Parameter progress: told how many are gone so far, after each batch; `nil` while it waits.
    package func sweep(_ progress: @escaping @Sendable (_ removed: Int?) -> Void) async throws -> SweepReport {
        let sweeper = Sweeper(database: store.database, flows: flows, worker: try TokenID.random().text)
        while true {
            if let totals = try await sweeper.sweep({ progress($0.count) }) { return SweepReport(totals) }
            progress(nil)
            try await Task.sleep(for: .milliseconds(500))
        }
    }
}

extension CleanupChange {
    fileprivate init(days: Int64?, since: String?) {
        self.init()
        self.days = days
        self.since = since.flatMap { .init(rawValue: $0) }
    }
}
