/// How many guests clean-up touches: those that go now, within a week and within 30 days, if they are used no more.
///
/// While the switch is off, it tells what would be if it were turned on at this moment.
package struct CleanupPreview: Sendable, Equatable {
    package let guests: Int64
    package let scheduled: Int64
    package let now: Int64
    package let inSevenDays: Int64
    package let inThirtyDays: Int64
    /// Guests that are due and stay for rows of the operator's own tables, by the table.
    package let blocked: [String: Int64]
}

extension AccountFlows {
    /// Counts whom clean-up touches.
    ///
    /// - Parameter setting: as it is, or as it might be.
    package func previewCleanup(_ setting: CleanupSetting, in store: some AccountStore) throws -> CleanupPreview {
        let day: Int64 = 86_400_000
        // Whoever has no time yet gets one: from a switching on that is not done with, or from one at this moment.
        var unscheduled: [(which: GuestCount.Which, dueAt: Int64)] = []
        var last: Int64?
        for schedule in try pendingSchedules(in: store) {
            unscheduled.append((.unscheduled(after: last, by: schedule.createdBy), schedule.dueAt))
            last = schedule.createdBy
        }
        unscheduled.append((.unscheduled(after: last), store.now + setting.life))
        func leaving(by time: Int64) throws -> Int64 {
            let kinds = [.due(by: time)] + unscheduled.filter { $0.dueAt <= time }.map(\.which)
            return try kinds.reduce(0) { sum, which in
                var count = GuestCount(which)
                count.unusedSince = setting.since == .lastUse ? time - setting.life : nil
                count.excludesBusy = time == store.now
                count.excludesBlocked = true
                return try sum + store.countGuests(count)
            }
        }
        return CleanupPreview(
            guests: try store.countGuests(GuestCount(.all)),
            scheduled: try store.countGuests(GuestCount(.scheduled)),
            now: try leaving(by: store.now),
            inSevenDays: try leaving(by: store.now + 7 * day),
            inThirtyDays: try leaving(by: store.now + 30 * day),
            blocked: try store.countBlockedGuests()
        )
    }
}
