internal import Synchronization

/// A call whose target comes into being later than its callers.
final class WakeUp: Sendable {
    private let target = Mutex<(@Sendable () -> Void)?>(nil)

    /// Sets what is called from now on.
    func set(_ call: @escaping @Sendable () -> Void) {
        target.withLock { $0 = call }
    }

    /// Calls the target, if there is one yet.
    @Sendable
    func call() {
        target.withLock { $0 }?()
    }
}
