/// Runs an operation, and cancels it when a time limit passes.
///
/// Returns once the operation has ended, so the operation must end soon after its task is cancelled.
///
/// - Parameters:
///   - limit: the longest time for the whole operation.
///   - operation: the operation.
/// - Throws: ``TransportFailure`` when the limit passed; otherwise what the operation throws.
package func withTimeLimit<Value: Sendable>(
    _ limit: Duration,
    _ operation: @escaping @Sendable () async throws -> Value
) async throws -> Value {
    try await withThrowingTaskGroup(of: Value?.self) { group in
        defer { group.cancelAll() }
        group.addTask { try await operation() }
        group.addTask {
            // Throws only if the caller's task was cancelled. The operation then says how it ends.
            guard (try? await Task.sleep(for: limit)) != nil else { return nil }
            throw TransportFailure("the answer was not complete in time")
        }
        while let value = try await group.next() {
            if let value { return value }
        }
        throw CancellationError()
    }
}
