/// A store of rows, independent of the engine.
///
/// A unit of work is one closure and runs in one transaction. The closure is synchronous, has no side effects except
/// through its transaction, and **may run more than once**: when another closure broke the batch that it shared, after
/// a conflict with another transaction, after a lost connection, or after it failed on a replica. It must not catch an
/// SQL error and continue. Data that must survive a rejection (a counted wrong guess) is a returned value. A thrown
/// error rolls back everything the closure did, and nothing of other closures.
///
/// Completions are called exactly once, on one of the database's own threads, or on the caller's if the work is
/// rejected at once (database closed, too much work waiting, server away). They must be short, because other work waits
/// behind them. The completion of a write is called only after its COMMIT is durable.
package protocol Database: Sendable {
    /// The time by the clock that all nodes share, in milliseconds since 1970.
    var now: Int64 { get }

    /// Whether the data is in a file that this process opens (SQLite), not behind a connection to a server.
    ///
    /// Reads of such a file take microseconds, so they may block the calling thread.
    var isLocal: Bool { get }

    /// The database's known state, without a query.
    var health: DatabaseHealth { get }

    /// Why the primary server cannot be used now, as far as is known without a query; `nil` if it can, and always with
    /// SQLite.
    ///
    /// While the primary cannot be used, a replica may still serve the reads that may lag.
    var absence: DatabaseError? { get }

    /// Whether so much work waits that a further call would wait for too long.
    ///
    /// Calls of clients are refused then. With SQLite that concerns calls that write, because reads do not wait.
    /// Nothing is refused by the database itself, up to the limit of its queue, so that work in the background goes on.
    var isCongested: Bool { get }

    /// The free bytes on the file system that holds a SQLite file; `nil` with PostgreSQL, or if the system does not
    /// tell.
    var freeSpace: Int64? { get }

    /// What the closures that ended since the database was opened have cost, one entry for each kind.
    ///
    /// Closures of ``readNow(snapshot:_:)`` are not counted. Round trips and statements are counted with PostgreSQL only.
    var transactionStatistics: [TransactionStatistics] { get }

    /// What the database does at the moment, known without a query.
    var load: DatabaseLoad { get }

    /// Runs a closure that reads, on one of the database's own threads.
    ///
    /// - Parameters:
    ///   - kind: the closure's purpose, as named in the transaction statistics.
    ///   - snapshot: whether all statements see the same state; a closure with a single statement needs none.
    ///   - mayLag: whether a slightly outdated state is acceptable, such as a replica's.
    ///   - body: the closure.
    ///   - completion: receives the result.
    func read<T: Sendable>(
        _ kind: String,
        snapshot: Bool,
        mayLag: Bool,
        _ body: @escaping @Sendable (Transaction) throws -> T,
        completion: @escaping @Sendable (Result<T, any Error>) -> Void
    )

    /// Runs a closure that writes, in a durable transaction that it may share with other waiting closures.
    ///
    /// - Parameters:
    ///   - kind: the closure's purpose, as named in the transaction statistics.
    ///   - alone: whether the closure must not share a transaction with others, because it takes long or runs SQL that
    ///     is not Latchkey's own.
    ///   - isolation: the isolation that the closure needs.
    ///   - body: the closure; it may run more than once.
    ///   - completion: receives the result once the commit is durable, or the error.
    func write<T: Sendable>(
        _ kind: String,
        alone: Bool,
        isolation: Isolation,
        _ body: @escaping @Sendable (Transaction) throws -> T,
        completion: @escaping @Sendable (Result<T, any Error>) -> Void
    )

    /// Runs a closure that reads for several calls of a kind, on one of the database's own threads.
    ///
    /// Calls that wait for a connection share the closure, the statements of which see the newest state each. A call
    /// that arrives alone does not wait for others.
    ///
    /// - Parameters:
    ///   - kind: the calls' purpose, as named in the transaction statistics. All calls of a kind must pass the same
    ///     closure.
    ///   - input: what the closure needs for this call.
    ///   - body: the closure, which returns one result for each input, in order.
    ///   - completion: receives the result of this call.
    func readShared<Input: Sendable, T: Sendable>(
        _ kind: String,
        _ input: Input,
        _ body: @escaping @Sendable ([Input], Transaction) throws -> [Result<T, any Error>],
        completion: @escaping @Sendable (Result<T, any Error>) -> Void
    )

    /// Runs a closure that writes for several calls of a kind, in one durable transaction.
    ///
    /// As with ``readShared(_:_:_:completion:)``, calls that wait for a connection share the closure. It must not wait
    /// for other transactions. If it throws, nothing is kept, and it runs again with fewer inputs, until each call has
    /// an outcome of its own. A call that it postpones runs alone.
    ///
    /// - Parameters:
    ///   - kind: the calls' purpose, as named in the transaction statistics. All calls of a kind must pass the same
    ///     closures.
    ///   - isolation: the isolation that the closures need.
    ///   - input: what the closures need for this call.
    ///   - key: names what the call may have to wait for when it runs alone. Calls with one key wait on one connection, so
    ///     that the others stay free.
    ///   - together: the closure for several calls, which returns one outcome for each input, in order.
    ///   - alone: the closure for one call, which may wait for other transactions.
    ///   - completion: receives the result of this call once the commit is durable, or the error.
    func writeShared<Input: Sendable, T: Sendable>(
        _ kind: String,
        isolation: Isolation,
        _ input: Input,
        key: String,
        together: @escaping @Sendable ([Input], Transaction) throws -> [SharedOutcome<T>],
        alone: @escaping @Sendable (Input, Transaction) throws -> T,
        completion: @escaping @Sendable (Result<T, any Error>) -> Void
    )

    /// Runs a closure that leases rows of a queue to a worker, without waiting for other workers that lease rows.
    ///
    /// The closure's statements are those of ``Dialect/lease(from:setting:where:orderedBy:limit:returning:)`` and
    /// changes to the leased rows. The closure sees what other transactions commit meanwhile.
    ///
    /// - Parameters:
    ///   - kind: the closure's purpose, as named in the transaction statistics.
    ///   - body: the closure; it may run more than once.
    ///   - completion: receives the result once the commit is durable, or the error.
    func lease<T: Sendable>(
        _ kind: String,
        _ body: @escaping @Sendable (Transaction) throws -> T,
        completion: @escaping @Sendable (Result<T, any Error>) -> Void
    )

    /// Runs a closure that reads, synchronously on the calling thread and on its own connection.
    ///
    /// Blocks the thread while the closure runs: microseconds for a look-up by key in SQLite, at least a round trip
    /// with PostgreSQL.
    ///
    /// - Parameters:
    ///   - snapshot: whether all statements see the same state. A closure with a single statement needs no snapshot.
    ///   - body: the closure.
    /// - Returns: what the closure returns.
    /// - Throws: ``DatabaseError``, or what the closure throws.
    func readNow<T>(snapshot: Bool, _ body: (Transaction) throws -> T) throws -> T

    /// Notifies the other nodes of a committed change. Cheap, and callable from any thread.
    func announce(_ news: NodeNotification)

    /// Subscribes to the notifications of other nodes.
    ///
    /// Must be called at most once. With SQLite, which has no other nodes, the call does nothing.
    ///
    /// - Parameter body: receives all new notifications together, on a thread that must not be blocked.
    /// - Throws: ``DatabaseError/Kind/internal`` if no thread can be started.
    func subscribe(_ body: @escaping @Sendable ([NodeNotification]) -> Void) throws

    /// Writes a consistent, checked copy of a SQLite database to a file while serving continues.
    ///
    /// Blocks the calling thread.
    ///
    /// - Parameter replacing: whether an existing file may be replaced.
    /// - Throws: ``DatabaseError``, and then the copy does not appear at the path; `misuse` with PostgreSQL.
    func backup(to path: String, replacing: Bool) throws

    /// Finishes waiting work and closes the database. All later reads, writes and leases fail with `closed`.
    func close()
}

extension Database {
    package var absence: DatabaseError? { nil }
    package var isCongested: Bool { false }
    package var freeSpace: Int64? { nil }
    package var transactionStatistics: [TransactionStatistics] { [] }
    package var load: DatabaseLoad { DatabaseLoad() }

    /// Does nothing, because there are no other nodes.
    package func announce(_ news: NodeNotification) {}

    /// Does nothing, because there are no other nodes.
    package func subscribe(_ body: @escaping @Sendable ([NodeNotification]) -> Void) throws {}

    /// Runs the closure for this call alone, because local calls have nothing to share.
    package func readShared<Input: Sendable, T: Sendable>(
        _ kind: String,
        _ input: Input,
        _ body: @escaping @Sendable ([Input], Transaction) throws -> [Result<T, any Error>],
        completion: @escaping @Sendable (Result<T, any Error>) -> Void
    ) {
        read(kind, snapshot: false, mayLag: false, { try only(body([input], $0)).get() }, completion: completion)
    }

    /// Runs the closure for this call alone; the database may commit it together with others.
    package func writeShared<Input: Sendable, T: Sendable>(
        _ kind: String,
        isolation: Isolation,
        _ input: Input,
        key: String,
        together: @escaping @Sendable ([Input], Transaction) throws -> [SharedOutcome<T>],
        alone: @escaping @Sendable (Input, Transaction) throws -> T,
        completion: @escaping @Sendable (Result<T, any Error>) -> Void
    ) {
        write(kind, alone: false, isolation: isolation, { try alone(input, $0) }, completion: completion)
    }

    /// Runs a closure that reads, on one of the database's own threads.
    package func read<T: Sendable>(
        kind: String = TransactionStatistics.unnamed,
        snapshot: Bool = true,
        mayLag: Bool = false,
        _ body: @escaping @Sendable (Transaction) throws -> T,
        completion: @escaping @Sendable (Result<T, any Error>) -> Void
    ) {
        read(kind, snapshot: snapshot, mayLag: mayLag, body, completion: completion)
    }

    /// Runs a closure that writes, in a durable, serializable transaction.
    package func write<T: Sendable>(
        _ kind: String,
        alone: Bool,
        _ body: @escaping @Sendable (Transaction) throws -> T,
        completion: @escaping @Sendable (Result<T, any Error>) -> Void
    ) {
        write(kind, alone: alone, isolation: .serializable, body, completion: completion)
    }

    /// Runs a closure that writes, in a durable transaction that it may share with other waiting closures.
    package func write<T: Sendable>(
        kind: String = TransactionStatistics.unnamed,
        _ body: @escaping @Sendable (Transaction) throws -> T,
        completion: @escaping @Sendable (Result<T, any Error>) -> Void
    ) {
        write(kind, alone: false, body, completion: completion)
    }

    /// Runs a closure that reads, synchronously on the calling thread and on one consistent snapshot.
    package func readNow<T>(_ body: (Transaction) throws -> T) throws -> T {
        try readNow(snapshot: true, body)
    }

    /// Runs a closure that reads, on one of the database's own threads, on one consistent snapshot.
    package func read<T: Sendable>(
        kind: String = TransactionStatistics.unnamed,
        mayLag: Bool = false,
        _ body: @escaping @Sendable (Transaction) throws -> T
    ) async throws -> T {
        try await withCheckedThrowingContinuation { continuation in
            read(kind, snapshot: true, mayLag: mayLag, body) { continuation.resume(with: $0) }
        }
    }

    /// Runs a closure that writes, and returns its result once the commit is durable.
    ///
    /// Cancelling the task does not stop the write, which happens, or fails, as a whole.
    ///
    /// - Throws: ``DatabaseError``, or what the closure throws.
    @discardableResult
    package func write<T: Sendable>(
        kind: String = TransactionStatistics.unnamed,
        alone: Bool = false,
        isolation: Isolation = .serializable,
        _ body: @escaping @Sendable (Transaction) throws -> T
    ) async throws -> T {
        try await withCheckedThrowingContinuation { continuation in
            write(kind, alone: alone, isolation: isolation, body) { continuation.resume(with: $0) }
        }
    }

    /// Runs a closure that leases rows of a queue to a worker, and returns once the leases are durable.
    package func lease<T: Sendable>(
        kind: String = TransactionStatistics.unnamed,
        _ body: @escaping @Sendable (Transaction) throws -> T
    ) async throws -> T {
        try await withCheckedThrowingContinuation { continuation in
            lease(kind, body) { continuation.resume(with: $0) }
        }
    }
}

/// Returns the only result of a closure that had one input.
private func only<T>(_ results: [T]) throws -> T {
    guard let result = results.first, results.count == 1 else {
        throw DatabaseError(.misuse, message: "a closure answered \(results.count) of 1 calls")
    }
    return result
}
