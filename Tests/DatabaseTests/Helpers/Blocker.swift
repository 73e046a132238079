import Database
import Foundation
import Synchronization

/// Holds the writer's thread inside a closure, so that what is queued meanwhile becomes one batch.
final class Blocker: Sendable {
    private let entered = DispatchSemaphore(value: 0)
    private let released = DispatchSemaphore(value: 0)

    /// Returns once the writer is held.
    init(_ database: any Database) {
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

    func release() {
        released.signal()
    }
}

/// Collects what completions answer.
final class Answers<Value: Sendable>: @unchecked Sendable {
    // Unchecked: `results` is only reached with the lock held.
    private let condition = NSCondition()
    private var results: [Int: [Result<Value, any Error>]] = [:]
    private var total = 0

    func completion(_ number: Int) -> @Sendable (Result<Value, any Error>) -> Void {
        { result in
            self.condition.withLock {
                self.results[number, default: []].append(result)
                self.total += 1
                self.condition.broadcast()
            }
        }
    }

    /// Waits for as many answers, at most half a minute; all of them by number.
    func wait(for count: Int) -> [Int: [Result<Value, any Error>]] {
        let deadline = Date(timeIntervalSinceNow: 30)
        return condition.withLock {
            while total < count, condition.wait(until: deadline) {}
            return results
        }
    }
}

/// Blocks a thread of its own, not one of the cooperative pool.
func onThread<Value: Sendable>(_ body: @escaping @Sendable () throws -> Value) async throws -> Value {
    try await withCheckedThrowingContinuation { continuation in
        Thread { continuation.resume(with: Result { try body() }) }.start()
    }
}

/// A flag that threads share.
final class Flag: Sendable {
    private let value = Atomic(false)

    var isSet: Bool { value.load(ordering: .acquiring) }

    func set() {
        value.store(true, ordering: .releasing)
    }
}

/// Counts up to a number that somebody waits for.
final class Counter: Sendable {
    private let semaphore = DispatchSemaphore(value: 0)

    func add() {
        semaphore.signal()
    }

    func wait(for count: Int) {
        for _ in 0..<count { _ = semaphore.wait(timeout: .now() + 30) }
    }
}
