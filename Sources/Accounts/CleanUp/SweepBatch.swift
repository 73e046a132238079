/// The worker that sweeps, and the size of its batches.
package struct SweepOrder: Sendable {
    /// A name that distinguishes this worker from others, for the lease.
    package let worker: String
    /// The maximum number of guests that a batch deletes, and that it schedules.
    package var guests: Int
    /// The approximate number of documents to delete in one transaction; a guest with more is deleted alone.
    package var documents: Int64

    /// The milliseconds until a busy guest (``DueGuest/isBusy``) is checked again.
    static let busyDelay: Int64 = 3_600_000
    /// The milliseconds until a guest that the operator's tables keep is checked again.
    static let blockedDelay: Int64 = 86_400_000
    /// The maximum time of a transaction that creates a guest, plus the difference between servers' clocks, in
    /// milliseconds.
    static let longestCreation: Int64 = 60_000

    /// Makes an order; a batch takes a few milliseconds.
    package init(worker: String, guests: Int = 96, documents: Int64 = 400) {
        self.worker = worker
        self.guests = guests
        self.documents = documents
    }
}

/// What a batch of a sweep did.
package struct SweepBatch: Sendable, Equatable {
    /// Whether another worker holds the lease, so that nothing was done.
    package var isElsewhere = false
    /// Whether there may be more to do, so that the sweep should continue with another batch.
    package var hasMore = false
    /// The number of guests that were given their first due time.
    package var scheduled = 0
    /// The UIDs of the deleted guests.
    package var removed: [String] = []
    /// The number of due guests that were postponed because their last use was too recent (``CleanupSetting/since``),
    /// or because they are busy with a merge or a sign-in.
    package var postponed = 0
    /// The numbers of due guests that rows in the operator's tables keep, by table, or by another cause
    /// (``AccountFlows/postponeBlockedGuest(_:because:in:)``); these were postponed too.
    package var blocked: [String: Int] = [:]

    /// Makes an empty batch.
    package init() {}

    /// Adds the counts of another batch, and leaves ``removed`` and the flags as they are.
    package mutating func add(_ batch: SweepBatch) {
        scheduled += batch.scheduled
        postponed += batch.postponed
        blocked.merge(batch.blocked) { $0 + $1 }
    }
}
