/// Whether guests are deleted after a time, and after how long.
///
/// Kept in the database, because turning it on applies to the guests that exist at that moment.
package struct CleanupSetting: Sendable, Hashable {
    /// The moment from which a guest's lifetime is counted.
    package enum Start: String, Sendable, CaseIterable {
        case creation
        /// The last refresh of a token, or the creation if there has been none.
        case lastUse
    }

    /// Whether guests are given a due time for their deletion: new ones at once, and existing ones when clean-up is
    /// turned on.
    ///
    /// Turning clean-up off does not cancel due times: guests that have one are still deleted.
    package var isOn = false
    package var days: Int64 = 30
    package var since = Start.creation

    /// The allowed numbers of days.
    package static let allowedDays: ClosedRange<Int64> = 1...3650

    /// Makes the initial setting, which is off.
    package init() {}

    /// How long a guest is kept, in milliseconds, counted from the moment that ``since`` selects.
    ///
    /// Guests that existed when clean-up was turned on are kept at least as long from then.
    package var life: Int64 { days * 86_400_000 }
}

/// A change to ``CleanupSetting``; parts that are `nil` stay as they are.
package struct CleanupChange: Sendable, Equatable {
    package var isOn: Bool?
    package var days: Int64?
    package var since: CleanupSetting.Start?

    /// Makes a change of nothing.
    package init() {}
}

/// The guests that existed when clean-up was turned on and have yet to be given a due time.
package struct PendingSchedule: Sendable, Equatable {
    /// When clean-up was turned on, in milliseconds since 1970; the schedule is for guests without a due time whose
    /// creation had begun by then.
    package let createdBy: Int64
    /// The due time that the guests get, in milliseconds since 1970.
    package let dueAt: Int64

    /// Makes a schedule from its parts.
    package init(createdBy: Int64, dueAt: Int64) {
        self.createdBy = createdBy
        self.dueAt = dueAt
    }
}

extension AccountFlows {
    /// The names of the settings that store the clean-up setting.
    private enum Name {
        /// A guest's lifetime in milliseconds, present while clean-up is on; the store reads it to insert a guest.
        static let after = "cleanup-guests-after"
        static let days = "cleanup-guests-days"
        static let since = "cleanup-guests-since"
        /// The guests that have yet to be scheduled since clean-up was turned on, as `CREATED-BY:DUE-AT`, the earliest
        /// first.
        static let pending = "cleanup-guests-pending"
    }

    /// Returns the current clean-up setting.
    package func cleanupSetting(in store: some AccountStore) throws -> CleanupSetting {
        var setting = CleanupSetting()
        setting.isOn = try store.setting(Name.after) != nil
        setting.days = try store.setting(Name.days).flatMap { Int64($0) } ?? setting.days
        setting.since = try store.setting(Name.since).flatMap { .init(rawValue: $0) } ?? setting.since
        return setting
    }

    /// Changes the clean-up setting.
    ///
    /// Turning clean-up on stores a ``PendingSchedule``, by which sweeps give every guest without a due time one that
    /// is `days` from now. Turning it off leaves scheduled guests scheduled. A new number of days sets the due time of
    /// guests that are created from now on. While guests are counted from their last use, it also decides which due
    /// guests are deleted.
    ///
    /// - Returns: the new setting.
    package func change(_ change: CleanupChange, in store: some AccountStore) throws -> CleanupSetting {
        // A guest gets a due time by the setting that their sign-up sees, or by the schedule that is made here.
        if change.isOn == true { try store.lockGuests() }
        let before = try cleanupSetting(in: store)
        var setting = before
        setting.isOn = change.isOn ?? before.isOn
        setting.days = change.days ?? before.days
        setting.since = change.since ?? before.since
        try store.set(Name.days, to: String(setting.days))
        try store.set(Name.since, to: setting.since.rawValue)
        if setting.isOn {
            try store.set(Name.after, to: String(setting.life))
        } else {
            try store.removeSetting(Name.after)
        }
        if setting.isOn, !before.isOn {
            let schedule = PendingSchedule(createdBy: store.now, dueAt: store.now + setting.life)
            try setPending(pendingSchedules(in: store) + [schedule], in: store)
        }
        if setting != before {
            try audit(
                .cleanupChanged,
                detail: "\(setting.isOn ? "on" : "off"), \(setting.days) days since \(setting.since.rawValue)",
                in: store
            )
        }
        return setting
    }

    /// Returns the schedules of guests that have yet to be given a due time, the earliest first.
    package func pendingSchedules(in store: some AccountStore) throws -> [PendingSchedule] {
        try (store.setting(Name.pending) ?? "").split(separator: " ").compactMap { text in
            let numbers = text.split(separator: ":").compactMap { Int64($0) }
            return numbers.count == 2 ? PendingSchedule(createdBy: numbers[0], dueAt: numbers[1]) : nil
        }
    }

    /// Stores the schedules of guests that have yet to be given a due time.
    func setPending(_ schedules: [PendingSchedule], in store: some AccountStore) throws {
        if schedules.isEmpty {
            try store.removeSetting(Name.pending)
        } else {
            try store.set(Name.pending, to: schedules.map { "\($0.createdBy):\($0.dueAt)" }.joined(separator: " "))
        }
    }
}
