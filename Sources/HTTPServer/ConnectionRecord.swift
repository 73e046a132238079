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
    /// Whether the other end is one of our own proxies.
    let isTrusted: Bool
    /// When patience ends, as a `Moment`.
    let deadline: Atomic<Int64>
    let isBusy = Atomic(false)
    /// Whether the connection waits for its client: for a request, or for the rest of one.
    let isReceiving = Atomic(true)
    /// When the connection began to wait for the request that it has or waits for.
    let idleSince: Atomic<Int64>
    private let waiting = Mutex(Waiting.nobody)

    init(id: UInt64, socket: Int32, address: IPAddress, isTrusted: Bool, deadline: Int64) {
        self.id = id
        self.socket = socket
        self.address = address
        self.isTrusted = isTrusted
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
