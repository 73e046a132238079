internal import Synchronization

/// A call whose target comes into being later than its callers.
final class WakeUp: Sendable {
    /// Keeps the closure from being the lock's whole value: each access would wrap it once more (Scripts/check-pitfalls).
    private struct Target {
        var call: @Sendable () -> Void = {}
    }

    private let target = Mutex(Target())

    /// Sets what is called from now on.
    func set(_ call: @escaping @Sendable () -> Void) {
        target.withLock { $0.call = call }
    }

    /// Calls the target, if there is one yet.
    @Sendable
    func call() {
        target.withLock(\.call)()
    }
}
