internal import Synchronization

/// Runs work once for all callers that ask for it at the same time.
///
/// A caller that arrives during a run gets the result of that run; its own work does not run.
///
/// The work has a separate task, so that a cancelled caller does not cancel it for the others.
final class SharedWork<Value: Sendable>: Sendable {
    private let running = Mutex<Task<Result<Value, AuthError>, Never>?>(nil)

    func run(_ work: @escaping @Sendable () async -> Result<Value, AuthError>) async throws(AuthError) -> Value {
        let task = running.withLock { running in
            if let running { return running }
            let task = Task {
                let result = await work()
                self.running.withLock { $0 = nil }
                return result
            }
            running = task
            return task
        }
        return try await task.value.get()
    }
}
