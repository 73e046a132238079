internal import Glibc
internal import Synchronization

/// A dedicated thread for work that blocks, so that this work never occupies a thread of Swift's cooperative pool.
final class WorkerThread: Sendable {
    private final class Start: Sendable {
        let body: @Sendable () -> Void
        init(_ body: @escaping @Sendable () -> Void) { self.body = body }
    }

    private let thread: pthread_t
    private let joined = Atomic(false)

    /// Starts a thread.
    ///
    /// - Throws: `internal` when the system cannot create another thread.
    init(_ body: @escaping @Sendable () -> Void) throws(DatabaseError) {
        var thread = pthread_t()
        let start = unsafe Unmanaged.passRetained(Start(body))
        let code = unsafe pthread_create(
            &thread,
            nil,
            { context in
                // Balances passRetained.
                if let context = unsafe context {
                    unsafe Unmanaged<Start>.fromOpaque(context).takeRetainedValue().body()
                }
                return nil
            },
            unsafe start.toOpaque()
        )
        guard code == 0 else {
            unsafe start.release()
            throw DatabaseError(.internal, code: Int(code), message: "no thread could be started")
        }
        self.thread = thread
    }

    deinit {
        if !joined.load(ordering: .acquiring) { pthread_detach(thread) }
    }

    /// Whether the caller runs on this thread.
    var isCurrent: Bool { pthread_equal(pthread_self(), thread) != 0 }

    /// Waits until the thread has ended, if this is the first call.
    ///
    /// Later calls return at once, also while the thread still runs.
    func join() {
        guard joined.compareExchange(expected: false, desired: true, ordering: .acquiringAndReleasing).exchanged else {
            return
        }
        pthread_join(thread, nil)
    }
}
