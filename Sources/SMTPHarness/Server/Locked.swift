internal import Glibc

/// State behind a lock.
///
/// A pthread mutex instead of `Synchronization.Mutex`: the thread sanitizer of this toolchain does not see that one's locking and
/// reports every access behind it as a race.
@safe final class Locked<State: ~Copyable>: @unchecked Sendable {
    // Unchecked: `state` is touched in `withLock` only, with `mutex` held.
    private let mutex: UnsafeMutablePointer<pthread_mutex_t>
    private var state: State

    init(_ state: consuming State) {
        unsafe mutex = .allocate(capacity: 1)
        unsafe pthread_mutex_init(mutex, nil)
        self.state = state
    }

    deinit {
        unsafe pthread_mutex_destroy(mutex)
        unsafe mutex.deallocate()
    }

    /// Gives access to the state; not to be entered again from within.
    func withLock<T>(_ body: (inout State) throws -> T) rethrows -> T {
        unsafe pthread_mutex_lock(mutex)
        defer { unsafe pthread_mutex_unlock(mutex) }
        return try body(&state)
    }
}
