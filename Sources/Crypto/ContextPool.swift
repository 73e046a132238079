internal import Synchronization

/// Idle OpenSSL contexts of one key.
///
/// Creating a context costs more than using it. A thread takes a context, uses it alone and returns it. The pool keeps
/// at most 64 idle contexts and drops further ones.
final class ContextPool<Context: Sendable>: Sendable {
    private let limit = 64
    private let idle = Mutex<[Context]>([])

    /// Removes and returns an idle context; `nil` if there is none, so that the caller must create one.
    func take() -> Context? {
        idle.withLock { $0.popLast() }
    }

    /// Gives a context back after a successful use; drops it if the pool is full.
    ///
    /// After a failure, the caller must drop the context instead.
    func put(_ context: Context) {
        idle.withLock { if $0.count < limit { $0.append(context) } }
    }
}
