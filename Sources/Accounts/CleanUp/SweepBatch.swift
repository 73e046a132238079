/// Who sweeps, and how much at a time.
package struct SweepOrder: Sendable {
    /// Tells this sweeper from others.
    package let worker: String
    /// How many guests at most.
    package var guests: Int
    /// How many documents go in one transaction, about; a guest with more goes alone.
    package var documents: Int64

    /// Milliseconds until a guest is looked at again that was busy.
    static let busyDelay: Int64 = 3_600_000
    /// Milliseconds until a guest is looked at again that the operator's tables keep.
    static let blockedDelay: Int64 = 86_400_000
    /// Milliseconds that the transaction which creates a guest takes at most, and what servers' clocks differ by.
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
    /// Another sweeper has the lease: nothing was done.
    package var isElsewhere = false
    /// Whether more waits.
    package var hasMore = false
    /// Guests that got their due time.
    package var scheduled = 0
    /// The UIDs of the guests that are gone.
    package var removed: [String] = []
    /// Guests that were due but are in use, or busy with a merge or a sign-in: they get another time.
    package var postponed = 0
    /// Guests that stay for rows of others, by the table of the rows.
    package var blocked: [String: Int] = [:]

    /// A batch that did nothing yet.
    package init() {}

    /// Adds what another batch did, all but the UIDs.
    package mutating func add(_ batch: SweepBatch) {
        scheduled += batch.scheduled
        postponed += batch.postponed
        blocked.merge(batch.blocked) { $0 + $1 }
    }
}
