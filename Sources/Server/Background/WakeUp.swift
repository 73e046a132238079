internal import Synchronization

/// A place for a closure that is made later than the objects that call it, such as the one that wakes up the mail
/// workers.
final class WakeUp: Sendable {
    /// Contains the closure.
    ///
    /// If the closure were the lock's whole value, each access would wrap it once more (Scripts/check-pitfalls).
    private struct Target {
        var call: @Sendable () -> Void = {}
    }

    private let target = Mutex(Target())

    /// Sets the closure to call from now on.
    func set(_ call: @escaping @Sendable () -> Void) {
        target.withLock { $0.call = call }
    }

    /// Calls the closure on the calling thread; does nothing before one is set.
    @Sendable
    func call() {
        target.withLock(\.call)()
    }
}
