internal import Synchronization

/// A value that many threads read and that is replaced seldom, such as settings that can be reloaded.
package final class Current<Value: Sendable>: Sendable {
    private final class Box: Sendable {
        let value: Value

        init(_ value: Value) {
            self.value = value
        }
    }

    /// A reference, so that the lock is held for a few instructions whatever the size of the value.
    private let box: Mutex<Box>

    /// Makes a holder with its first value.
    package init(_ value: Value) {
        box = Mutex(Box(value))
    }

    /// The value, without a copy of it.
    package var value: Value {
        _read {
            let box = box.withLock(\.self)
            yield box.value
        }
    }

    /// Replaces the value.
    package func replace(_ value: Value) {
        let new = Box(value)
        box.withLock { $0 = new }
    }
}
