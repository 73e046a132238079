internal import Database

extension Database {
    /// Runs a closure that writes, and returns its result once the commit is durable.
    ///
    /// - Parameters:
    ///   - kind: the name of the closure in the transaction statistics.
    ///   - alone: whether the closure must not share a transaction with others.
    ///   - isolation: the isolation that the transaction needs on PostgreSQL.
    ///   - body: the closure; it may run more than once.
    ///   - committed: called with the result once the commit is durable, before anything else can happen to this task,
    ///     such as a stop of the server. It runs on the database's thread, so it must not wait.
    /// - Throws: what `body` throws, or `DatabaseError`.
    @discardableResult
    func write<Value: Sendable>(
        kind: String = TransactionStatistics.unnamed,
        alone: Bool = false,
        isolation: Isolation = .serializable,
        _ body: @escaping @Sendable (Transaction) throws -> Value,
        committed: @escaping @Sendable (Value) -> Void
    ) async throws -> Value {
        try await withCheckedThrowingContinuation { continuation in
            write(kind, alone: alone, isolation: isolation, body) { result in
                if case .success(let value) = result { committed(value) }
                continuation.resume(with: result)
            }
        }
    }
}
