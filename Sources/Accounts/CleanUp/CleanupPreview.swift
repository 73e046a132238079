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
        let pending = try pendingSchedules(in: store).first
        let fromNow = store.now + setting.life
        let unscheduledDue = pending.map { min($0.dueAt, fromNow) } ?? fromNow
        func leaving(by time: Int64) throws -> Int64 {
            func count(_ which: GuestCount.Which) throws -> Int64 {
                var count = GuestCount(which)
                count.unusedSince = setting.since == .lastUse ? time - setting.life : nil
                count.excludesBusy = time == store.now
                count.excludesBlocked = true
                return try store.countGuests(count)
            }
            return try count(.due(by: time)) + (unscheduledDue <= time ? count(.unscheduled) : 0)
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
