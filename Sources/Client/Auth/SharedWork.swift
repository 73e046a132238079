internal import Synchronization

/// Work that runs once at a time: whoever asks while it runs gets the result of that run.
///
/// The work has a task of its own, so that a caller who is cancelled does not take it away from the others.
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
