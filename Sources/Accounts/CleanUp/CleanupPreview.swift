/// The number of guests that clean-up deletes now, within a week and within 30 days, if they are not used again.
///
/// Guests that rows of the operator's own tables keep are left out of these three numbers. While clean-up is off, the
/// numbers apply to turning it on now.
package struct CleanupPreview: Sendable, Equatable {
    /// The number of all guests.
    package let guests: Int64
    /// The number of guests that have a due time, including those in ``blocked``.
    package let scheduled: Int64
    package let now: Int64
    package let inSevenDays: Int64
    package let inThirtyDays: Int64
    /// The numbers of due guests that rows in the operator's own tables keep from being deleted, by table.
    package let blocked: [String: Int64]
}

extension AccountFlows {
    /// Counts the guests that clean-up would delete under a setting, now and later.
    ///
    /// - Parameter setting: the current setting, or a setting to try.
    package func previewCleanup(_ setting: CleanupSetting, in store: some AccountStore) throws -> CleanupPreview {
        let day: Int64 = 86_400_000
        // Guests without a due time get one: from an earlier switch-on whose scheduling has not finished, or from one
        // at this moment.
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
