package import Database
internal import Synchronization

/// Collects the events that the database reports.
package final class Events: Sendable {
    private let events = Mutex<[DatabaseEvent]>([])

    package init() {}

    package var all: [DatabaseEvent] { events.withLock { $0 } }

    package func add(_ event: DatabaseEvent) {
        events.withLock { $0.append(event) }
    }
}

/// Counts on several threads.
package final class Acknowledged: Sendable {
    private let count = Atomic(0)

    package init() {}

    /// Returns the count with this one.
    package func add() -> Int {
        count.wrappingAdd(1, ordering: .relaxed).newValue
    }
}
