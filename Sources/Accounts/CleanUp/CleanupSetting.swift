/// Whether guests are removed after a time, and after which.
///
/// Kept in the database, since it is the operator's decision of a moment: what existed then is treated by it.
package struct CleanupSetting: Sendable, Equatable {
    /// What a guest's time is counted from.
    package enum Start: String, Sendable, CaseIterable {
        case creation
        /// The last refresh of a token.
        case lastUse
    }

    /// Whether new guests are scheduled.
    ///
    /// Those that are scheduled already go either way.
    package var isOn = false
    package var days: Int64 = 30
    package var since = Start.creation

    /// How many days may be set.
    package static let allowedDays: ClosedRange<Int64> = 1...3650

    /// Off, as it is at first.
    package init() {}

    /// Milliseconds.
    package var life: Int64 { days * 86_400_000 }
}

/// A change to the setting; what is `nil` stays as it is.
package struct CleanupChange: Sendable, Equatable {
    package var isOn: Bool?
    package var days: Int64?
    package var since: CleanupSetting.Start?

    /// A change of nothing.
    package init() {}
}

/// Guests that were there when the switch was turned on, and are yet to be scheduled.
package struct PendingSchedule: Sendable, Equatable {
    /// Created up to this time.
    package let createdBy: Int64
    /// When they are due.
    package let dueAt: Int64

    /// Makes a schedule from its parts.
    package init(createdBy: Int64, dueAt: Int64) {
        self.createdBy = createdBy
        self.dueAt = dueAt
    }
}

extension AccountFlows {
    /// The names of the settings that clean-up is kept in.
    private enum Name {
        /// Milliseconds, while the switch is on; the store's insertion of a guest reads it.
        static let after = "cleanup-guests-after"
        static let days = "cleanup-guests-days"
        static let since = "cleanup-guests-since"
        /// What a switching on is yet to schedule, `CREATED-BY:DUE-AT`, the earliest first.
        static let pending = "cleanup-guests-pending"
    }

    /// The setting as it is.
    package func cleanupSetting(in store: some AccountStore) throws -> CleanupSetting {
        var setting = CleanupSetting()
        setting.isOn = try store.setting(Name.after) != nil
        setting.days = try store.setting(Name.days).flatMap { Int64($0) } ?? setting.days
        setting.since = try store.setting(Name.since).flatMap { .init(rawValue: $0) } ?? setting.since
        return setting
    }

    /// Changes the setting.
    ///
    /// Switching on has every guest of this moment scheduled for `days` from now; switching off leaves the scheduled ones
    /// scheduled. Other days count for guests that are created from now on.
    ///
    /// - Returns: the setting as it is now.
    package func change(_ change: CleanupChange, in store: some AccountStore) throws -> CleanupSetting {
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
            try store.audit(
                .cleanupChanged,
                uid: nil,
                detail: "\(setting.isOn ? "on" : "off"), \(setting.days) days since \(setting.since.rawValue)"
            )
        }
        return setting
    }

    /// What is yet to be scheduled, the earliest first.
    package func pendingSchedules(in store: some AccountStore) throws -> [PendingSchedule] {
        try (store.setting(Name.pending) ?? "").split(separator: " ").compactMap { text in
            let numbers = text.split(separator: ":").compactMap { Int64($0) }
            return numbers.count == 2 ? PendingSchedule(createdBy: numbers[0], dueAt: numbers[1]) : nil
        }
    }

    /// Remembers what is yet to be scheduled.
    func setPending(_ schedules: [PendingSchedule], in store: some AccountStore) throws {
        if schedules.isEmpty {
            try store.removeSetting(Name.pending)
        } else {
            try store.set(Name.pending, to: schedules.map { "\($0.createdBy):\($0.dueAt)" }.joined(separator: " "))
        }
    }
}
