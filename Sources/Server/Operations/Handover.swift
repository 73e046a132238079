internal import Dispatch
internal import Synchronization

/// Hands one value from one thread to another that waits for it.
final class Handover<Value: Sendable>: Sendable {
    private let value = Mutex<Value?>(nil)
    private let isThere = DispatchSemaphore(value: 0)

    /// Gives the value, once.
    func give(_ given: Value) {
        value.withLock { $0 = given }
        isThere.signal()
    }

    /// Waits for the value, or for so long.
    func take(within patience: Duration) -> Value? {
        let milliseconds = Int(patience / .milliseconds(1))
        guard isThere.wait(timeout: .now() + .milliseconds(milliseconds)) == .success else { return nil }
        return value.withLock { $0 }
    }

    /// Waits for the value.
    func take() -> Value {
        while true {
            isThere.wait()
            if let given = value.withLock({ $0 }) { return given }
        }
    }
}
