internal import Network
internal import Synchronization

/// What other threads may know of a connection.
final class ConnectionRecord: Sendable {
    /// Whom the connection waits for.
    enum Waiting: Sendable {
        case nobody
        case request(Suspension)
        case stream(StreamWriter)
    }

    let id: UInt64
    /// Valid while the record is in its registry.
    let socket: Int32
    let address: IPAddress
    /// When patience ends, as a `Moment`.
    let deadline: Atomic<Int64>
    let isBusy = Atomic(false)
    let idleSince: Atomic<Int64>
    private let waiting = Mutex(Waiting.nobody)

    init(id: UInt64, socket: Int32, address: IPAddress, deadline: Int64) {
        self.id = id
        self.socket = socket
        self.address = address
        self.deadline = Atomic(deadline)
        idleSince = Atomic(Moment.now)
    }

    var current: Waiting {
        waiting.withLock(\.self)
    }

    func wait(for waiting: Waiting) {
        self.waiting.withLock { $0 = waiting }
    }
}
