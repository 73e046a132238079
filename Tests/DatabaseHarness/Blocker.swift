package import Database
internal import Foundation
internal import Synchronization

/// Blocks the writer's thread inside a closure, so that closures queued meanwhile become one batch.
package final class Blocker: Sendable {
    private let entered = DispatchSemaphore(value: 0)
    private let released = DispatchSemaphore(value: 0)

    /// Returns once the writer is blocked.
    package init(_ database: any Database) {
        database.write(
            "test",
            alone: true,
            { [entered, released] _ in
                entered.signal()
                released.wait()
            },
            completion: { _ in }
        )
        entered.wait()
    }

    package func release() {
        released.signal()
    }
}

/// Collects the results of completions.
package final class Answers<Value: Sendable>: @unchecked Sendable {
    // Unchecked: `results` is only accessed with the lock held.
    private let condition = NSCondition()
    private var results: [Int: [Result<Value, any Error>]] = [:]
    private var total = 0

    package init() {}

    package func completion(_ number: Int) -> @Sendable (Result<Value, any Error>) -> Void {
        { result in
            self.condition.withLock {
                self.results[number, default: []].append(result)
                self.total += 1
                self.condition.broadcast()
            }
        }
    }

    /// Waits for this many results, for at most half a minute, and returns all of them by number.
    package func wait(for count: Int) -> [Int: [Result<Value, any Error>]] {
        let deadline = Date(timeIntervalSinceNow: 30)
        return condition.withLock {
            while total < count, condition.wait(until: deadline) {}
            return results
        }
    }
}

/// Blocks a new thread, not one of the cooperative pool.
package func onThread<Value: Sendable>(_ body: @escaping @Sendable () throws -> Value) async throws -> Value {
    try await withCheckedThrowingContinuation { continuation in
        Thread { continuation.resume(with: Result { try body() }) }.start()
    }
}

/// A flag that threads share.
package final class Flag: Sendable {
    private let value = Atomic(false)

    package init() {}

    package var isSet: Bool { value.load(ordering: .acquiring) }

    package func set() {
        value.store(true, ordering: .releasing)
    }
}

/// Counts up to a number that another thread waits for.
package final class Counter: Sendable {
    private let semaphore = DispatchSemaphore(value: 0)

    package init() {}

    package func add() {
        semaphore.signal()
    }

    package func wait(for count: Int) {
        for _ in 0..<count { _ = semaphore.wait(timeout: .now() + 30) }
    }
}
