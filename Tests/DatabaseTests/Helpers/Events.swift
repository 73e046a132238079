import Database
import Synchronization

/// Collects what the database tells its operator.
final class Events: Sendable {
    private let events = Mutex<[DatabaseEvent]>([])

    var all: [DatabaseEvent] { events.withLock { $0 } }

    func add(_ event: DatabaseEvent) {
        events.withLock { $0.append(event) }
    }
}

/// Counts on several threads.
final class Acknowledged: Sendable {
    private let count = Atomic(0)

    /// Returns the count with this one.
    func add() -> Int {
        count.wrappingAdd(1, ordering: .relaxed).newValue
    }
}
