internal import Dispatch
internal import Synchronization

/// A result that one thread provides and another thread blocks for, which takes it once.
final class BlockingResult<Value: Sendable>: Sendable {
    private let value = Mutex<Value?>(nil)
    private let isThere = DispatchSemaphore(value: 0)

    /// Provides the value.
    ///
    /// Must be called once.
    func give(_ given: Value) {
        value.withLock { $0 = given }
        isThere.signal()
    }

    /// Blocks until the value is provided, at most for `patience`.
    ///
    /// - Returns: the value; `nil` if the time has passed.
    func take(within patience: Duration) -> Value? {
        let milliseconds = Int(patience / .milliseconds(1))
        guard isThere.wait(timeout: .now() + .milliseconds(milliseconds)) == .success else { return nil }
        return value.withLock { $0 }
    }

    /// Blocks until the value is provided.
    func take() -> Value {
        while true {
            isThere.wait()
            if let given = value.withLock({ $0 }) { return given }
        }
    }
}
