internal import Accounts
internal import Database
internal import Tokens

/// A report of the clean-up setting, and of the number of guests it affects.
package struct CleanupReport: Sendable, Encodable {
    /// The numbers of guests that clean-up deletes now, within 7 days and within 30 days, if they are not used any
    /// more.
    package struct Leaving: Sendable, Encodable {
        package let now: Int64
        package let in7Days: Int64
        package let in30Days: Int64
    }

    package let enabled: Bool
    package let days: Int64
    /// The start of the days until a guest is deleted: `creation` or `lastUse`.
    package let since: String
    /// The number of all guests.
    package let guests: Int64
    package let scheduled: Int64
    /// The guests that clean-up will delete; while clean-up is off, as if it were switched on now.
    package let leaving: Leaving
    /// The number of due guests that rows of the operator's own tables keep, by table.
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

/// The result of a sweep.
package struct SweepReport: Sendable, Encodable {
    package let removed: Int
    /// The number of guests that got a due time.
    package let scheduled: Int
    /// The number of guests that were due but are in use, or busy with a merge or a sign-in.
    package let postponed: Int
    /// The number of guests that rows of the operator's own tables keep, by table.
    package let blocked: [String: Int]

    init(_ totals: Sweeper.Totals) {
        removed = totals.removed
        scheduled = totals.batches.scheduled
        postponed = totals.batches.postponed
        blocked = totals.batches.blocked
    }
}

extension Operator {
    /// Reports the stored clean-up setting, and the guests that it affects, or that other days or another start would
    /// affect.
    ///
    /// Changes nothing.
    ///
    /// - Parameters:
    ///   - days: the days until a guest is deleted, 1 to 3650; `nil` for the stored setting.
    ///   - since: the start of the days, `creation` or `lastUse`; `nil` for the stored setting.
    package func cleanup(days: Int64? = nil, since: String? = nil) throws -> CleanupReport {
        let change = CleanupChange(days: days, since: since)
        return try store.database.readNow { CleanupReport(try CleanupState(flows, with: change, in: $0)) }
    }

    /// Switches clean-up on or off, or changes its days or the time they count from.
    ///
    /// - Parameters:
    ///   - isOn: whether new guests get a due time, and existing guests as well when this is switched on; `nil` for no
    ///     change. Guests that have a due time are deleted either way.
    ///   - days: the days until a guest is deleted, 1 to 3650; `nil` for no change.
    ///   - since: the start of the days, `creation` or `lastUse`; `nil` for no change.
    /// - Returns: the new setting and the guests it affects.
    package func changeCleanup(isOn: Bool?, days: Int64? = nil, since: String? = nil) throws -> CleanupReport {
        var change = CleanupChange(days: days, since: since)
        change.isOn = isOn
        return try store.database.writeNow { [flows, change] transaction in
            _ = try flows.change(change, in: transaction)
            return CleanupReport(try CleanupState(flows, in: transaction))
        }
    }

    /// Gives a due time to guests that were to get one, and deletes the guests whose time is over, in batches.
    ///
    /// If another process is deleting guests, waits until that process has finished.
    ///
    /// - Parameter progress: called after each batch with the number of guests that the batch deleted; with `nil` twice
    ///   a second while waiting.
    /// - Throws: the error that keeps the database from working; `CancellationError`.
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
