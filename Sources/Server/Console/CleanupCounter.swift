internal import AccountDatabase
internal import Accounts
internal import Database
internal import Synchronization

/// Counts beside requests what clean-up would do, because counting a million guests takes longer than a page may.
///
/// The console shows the last count and its time. One count is under way at a time, and it is kept for a minute.
final class CleanupCounter: Sendable {
    /// The numbers of guests under a setting.
    struct Count: Sendable {
        /// The maximum number of guests that are named for each table.
        private static let mostNamed: Int64 = 5

        let preview: CleanupPreview
        /// The first guests that rows of the operator's own tables keep, by table.
        let kept: [String: [String]]
        /// When they were counted, in milliseconds since 1970.
        let countedAt: Int64

        /// Counts the guests.
        init(_ setting: CleanupSetting, _ flows: AccountFlows, in transaction: Transaction) throws {
            preview = try flows.previewCleanup(setting, in: transaction)
            kept = preview.blocked.isEmpty ? [:] : try transaction.blockedGuests(limit: Self.mostNamed)
            countedAt = transaction.now
        }
    }

    private struct State {
        var counts: [CleanupSetting: Count] = [:]
        var isCounting = false
        /// Increases when the counts are forgotten, so that a count that began before is not kept.
        var generation = 0
    }

    /// The maximum number of guests that a page counts itself.
    static let mostOfPage: Int64 = 20_000
    /// The age in milliseconds from which guests are counted again.
    private static let life: Int64 = 60_000
    /// The maximum number of settings whose counts are kept.
    private static let mostKept = 5

    private let database: any Database
    private let flows: AccountFlows
    private let state = Mutex(State())

    init(_ database: any Database, flows: AccountFlows) {
        self.database = database
        self.flows = flows
    }

    /// Returns the last count under a setting, and begins another if that is missing or older than a minute.
    ///
    /// - Returns: the count; `nil` if there is none yet.
    func count(_ setting: CleanupSetting) -> Count? {
        let now = database.now
        let (count, begun) = state.withLock { state -> (Count?, generation: Int?) in
            let count = state.counts[setting]
            let isFresh = count.map { now - $0.countedAt < Self.life } ?? false
            guard !isFresh, !state.isCounting else { return (count, nil) }
            state.isCounting = true
            return (count, state.generation)
        }
        if let begun { begin(setting, generation: begun) }
        return count
    }

    /// Forgets all counts, because the setting has changed.
    func reset() {
        state.withLock { state in
            state.counts = [:]
            state.generation += 1
        }
    }

    private func begin(_ setting: CleanupSetting, generation: Int) {
        database.read(kind: "CleanupPreview", snapshot: true) { [flows] transaction in
            try Count(setting, flows, in: transaction)
        } completion: { [self] result in
            state.withLock { state in
                state.isCounting = false
                // After an error, the next visit counts.
                guard let count = try? result.get(), state.generation == generation else { return }
                if state.counts.count >= Self.mostKept { state.counts = [:] }
                state.counts[setting] = count
            }
        }
    }
}
