internal import Synchronization

/// Counts suspended connections, because libmicrohttpd aborts the process if it is stopped with any.
final class Sleepers: Sendable {
    private struct State {
        var count = 0
        var isClosed = false
    }

    private let state = Mutex(State())

    /// Counts one more suspension.
    ///
    /// Call it before suspending a connection. Returns false after ``close()``: the connection must not be suspended
    /// then.
    func enter() -> Bool {
        state.withLock { state in
            guard !state.isClosed else { return false }
            state.count += 1
            return true
        }
    }

    /// Resumes a connection, at once or with others (``Resumptions``).
    func wake(_ handle: ConnectionHandle) {
        if !Resumptions.keep(handle, of: self) { resume(handle) }
    }

    /// Resumes a connection at once.
    ///
    /// The connection counts as suspended until the library's call returns, because the library uses its daemon until
    /// then.
    func resume(_ handle: ConnectionHandle) {
        handle.resume()
        state.withLock { $0.count -= 1 }
    }

    /// Prevents further suspensions.
    func close() {
        state.withLock { $0.isClosed = true }
    }

    var count: Int {
        state.withLock(\.count)
    }
}
