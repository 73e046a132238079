internal import Synchronization

/// Counts the connections that sleep, since libmicrohttpd aborts the process when it is stopped with any.
final class Sleepers: Sendable {
    private struct State {
        var count = 0
        var isClosed = false
    }

    private let state = Mutex(State())

    /// Call before suspending; false when nobody may go to sleep any more.
    func enter() -> Bool {
        state.withLock { state in
            guard !state.isClosed else { return false }
            state.count += 1
            return true
        }
    }

    /// Resumes a connection.
    ///
    /// It counts as asleep until the library returned, which is busy with its daemon until then.
    func wake(_ handle: ConnectionHandle) {
        handle.resume()
        state.withLock { $0.count -= 1 }
    }

    /// From now on nobody may go to sleep.
    func close() {
        state.withLock { $0.isClosed = true }
    }

    var count: Int {
        state.withLock(\.count)
    }
}
