internal import Synchronization

/// Synchronises the suspension of a connection with a completion that may arrive before, during or after it.
///
/// libmicrohttpd loses a resume that comes before its suspend, so both happen under one lock. A completion that arrives
/// first is used without any suspension.
final class Suspension: Sendable {
    private enum State {
        case starting
        case asleep(ConnectionHandle)
        case completed(Continuation)
        case taken
    }

    /// The state of the connection once the work was started.
    enum Outcome {
        case asleep
        case completed(Continuation)
    }

    private let state = Mutex(State.starting)
    private let sleepers: Sleepers

    init(_ sleepers: Sleepers) {
        self.sleepers = sleepers
    }

    /// Suspends the connection, unless the work is already done or the server suspends no more connections.
    ///
    /// The latter is so when the server stops; the returned continuation then throws `HTTPError.stopping`. Runs on the
    /// connection's thread.
    func sleep(_ handle: ConnectionHandle) -> Outcome {
        state.withLock { state in
            switch state {
            case .completed(let next):
                state = .taken
                return .completed(next)
            case .starting, .asleep, .taken:
                guard sleepers.enter() else {
                    state = .taken
                    return .completed { throw HTTPError.stopping }
                }
                handle.suspend()
                state = .asleep(handle)
                return .asleep
            }
        }
    }

    /// Accepts the continuation once, and resumes the connection if it is suspended.
    ///
    /// Later calls do nothing.
    ///
    /// Callable from any thread.
    func complete(_ next: @escaping Continuation) {
        let sleeper: ConnectionHandle? = state.withLock { state in
            switch state {
            case .starting:
                state = .completed(next)
                return nil
            case .asleep(let handle):
                state = .completed(next)
                return handle
            case .completed, .taken:
                return nil
            }
        }
        // The connection cannot end before it is resumed, and it is resumed only here.
        guard let sleeper else { return }
        sleepers.wake(sleeper)
    }

    /// Whether the connection is suspended and its client has closed it.
    ///
    /// Callable from any thread. The lock keeps the connection from being resumed, and thereby closed, meanwhile.
    var isAbandoned: Bool {
        state.withLock { state in
            guard case .asleep(let handle) = state else { return false }
            return handle.isClosedByClient
        }
    }

    /// Returns the continuation after the connection was resumed; nil if there is none or it was returned before.
    ///
    /// Runs on the connection's thread.
    func take() -> Continuation? {
        state.withLock { state in
            guard case .completed(let next) = state else { return nil }
            state = .taken
            return next
        }
    }
}
