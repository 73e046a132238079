internal import Synchronization

/// The meeting of a connection that goes to sleep and a completion that may come before, during or after.
///
/// libmicrohttpd loses a resume that comes before its suspend, so both happen under one lock: a completion that arrives
/// first is simply taken, without any suspension.
final class Suspension: Sendable {
    private enum State {
        case starting
        case asleep(ConnectionHandle)
        case completed(Continuation)
        case taken
    }

    /// What becomes of the connection once the work was started.
    enum Outcome {
        case asleep
        case completed(Continuation)
    }

    private let state = Mutex(State.starting)
    private let sleepers: Sleepers

    init(_ sleepers: Sleepers) {
        self.sleepers = sleepers
    }

    /// Puts the connection to sleep unless the work is already done.
    ///
    /// In the connection's thread.
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

    /// Takes the answer once, waking the connection if it sleeps; later ones do nothing.
    ///
    /// From any thread.
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
        // The connection cannot end before it is awake, and it only wakes here.
        guard let sleeper else { return }
        sleepers.wake(sleeper)
    }

    /// The answer, after the connection woke.
    ///
    /// In its thread.
    func take() -> Continuation? {
        state.withLock { state in
            guard case .completed(let next) = state else { return nil }
            state = .taken
            return next
        }
    }
}
