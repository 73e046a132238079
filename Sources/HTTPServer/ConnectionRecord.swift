internal import Network
internal import Synchronization

/// The part of a connection's state that other threads may access.
final class ConnectionRecord: Sendable {
    /// What the connection waits for.
    enum Waiting: Sendable {
        case nothing
        case request(Suspension)
        case stream(StreamWriter)
    }

    let id: UInt64
    /// The descriptor of the socket; valid while the record is in its registry.
    let socket: Int32
    let address: IPAddress
    /// Whether the other end is a trusted proxy.
    let isTrusted: Bool
    /// When the current step of the connection must be done, as a `Moment`; `Moment.never` without a deadline.
    let deadline: Atomic<Int64>
    let isBusy = Atomic(false)
    /// Whether the connection's first request was answered.
    let hasAnswered = Atomic(false)
    /// Whether the connection waits for its client to send a request or the rest of one.
    let isReceiving = Atomic(true)
    /// When the connection started to wait for its current or next request, as a `Moment`.
    let idleSince: Atomic<Int64>
    private let waiting = Mutex(Waiting.nothing)

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
