import AccountDatabase
import Accounts
import Database
import Foundation
import PostgreSQLHarness
import Testing

extension Trait where Self == ConditionTrait {
    /// Enables a test of transactions that run at the same time, which SQLite's do not.
    static var concurrentTransactions: Self {
        .enabled(if: TestDatabase.Engine.current == .postgreSQL, "SQLite has one writer")
    }
}

/// A transaction that has done its work, and that the test commits later.
final class HeldTransaction: Sendable {
    private let entered = DispatchSemaphore(value: 0)
    private let released = DispatchSemaphore(value: 0)
    private let outcome: Task<Void, any Error>

    /// Returns once the work is done.
    init(
        in scene: Scene,
        isolation: Isolation = .serializable,
        _ body: @escaping @Sendable (AccountFlows, Transaction) throws -> Void
    ) async {
        outcome = Task { [entered, released] in
            try await scene.run(isolation: isolation, kind: "held") { flows, transaction in
                try body(flows, transaction)
                try transaction.flush()
                entered.signal()
                released.wait()
                // A closure that runs again is not held again.
                released.signal()
            }
        }
        await withCheckedContinuation { continuation in
            Thread { [entered] in
                if entered.wait(timeout: .now() + 30) == .timedOut {
                    Issue.record("the transaction did not do its work")
                }
                continuation.resume()
            }.start()
        }
    }

    /// Runs another transaction, and commits this one once the other waits for it.
    ///
    /// A transaction that waits for the lock of a whole table gives up after two seconds. It begins again, in case a busy
    /// machine has not shown its waiting by then.
    ///
    /// - Parameter meanwhile: runs while the other transaction waits.
    /// - Returns: the result of the other transaction.
    func precede<T: Sendable>(
        _ scene: Scene,
        isolation: Isolation = .readCommitted,
        _ body: @escaping @Sendable (AccountFlows, Transaction) throws -> T,
        meanwhile: () async throws -> Void = {}
    ) async throws -> Result<T, any Error> {
        async let other = result {
            while true {
                do {
                    return try await scene.run(isolation: isolation, kind: "other", body)
                } catch let error as DatabaseError where error.kind == .busy {}
            }
        }
        try await waitForWaiter(in: scene)
        // The held transaction ends whatever happened meanwhile.
        defer { released.signal() }
        try await meanwhile()
        try await release()
        return await other
    }

    /// Runs another transaction, which must not wait for this one, and then commits this one.
    func accompany<T: Sendable>(
        _ scene: Scene,
        isolation: Isolation = .serializable,
        _ body: @escaping @Sendable (AccountFlows, Transaction) throws -> T
    ) async throws -> T {
        let waiting = Task { [released] in
            try await Task.sleep(for: .seconds(30))
            Issue.record("the other transaction waited")
            released.signal()
        }
        let other = await result { try await scene.run(isolation: isolation, kind: "other", body) }
        waiting.cancel()
        try await release()
        return try other.get()
    }

    /// Commits this transaction.
    func release() async throws {
        released.signal()
        try await outcome.value
    }

    /// Waits until a transaction waits for a lock.
    private func waitForWaiter(in scene: Scene) async throws {
        let deadline = ContinuousClock.now + .seconds(60)
        while ContinuousClock.now < deadline {
            let waiting = try await scene.database.read { transaction in
                try transaction.first(
                    """
                    SELECT count(*) FROM pg_stat_activity
                    WHERE datname = current_database() AND wait_event_type = 'Lock'
                    """
                ) { try $0.integer(0) }
            }
            if let waiting, waiting > 0 { return }
            try await Task.sleep(for: .milliseconds(2))
        }
        Issue.record("the other transaction did not wait")
    }
}

private func result<T: Sendable>(_ body: () async throws -> T) async -> Result<T, any Error> {
    do { return .success(try await body()) } catch { return .failure(error) }
}

extension Result where Failure == any Error {
    /// The code of the refusal that the transaction threw; `nil` for any other result.
    var refusal: Code? {
        if case .failure(let error as Refusal) = self { error.code } else { nil }
    }
}
