/// A store of rows, whatever its engine.
///
/// A unit of work is one closure and runs in one transaction. The closure is synchronous, has no side effects but through its
/// transaction, and **may run more than once**: when a neighbour broke the batch it shared, or on a conflict between nodes.
/// It never catches an SQL error to go on. What must survive a refusal (a counted wrong guess) is a returned value; a thrown
/// error rolls back everything the closure did, and nothing of other closures.
///
/// Completions are called exactly once, on the database's own thread (or on the caller's, when the work is refused at once:
/// closed, overloaded), and must be short: other work waits behind them. They are called for a write only after its COMMIT
/// is durable.
package protocol Database: Sendable {
    /// The clock that everything goes by which nodes must agree on, in milliseconds since 1970.
    var now: Int64 { get }

    /// Whether the data is on this machine: reads take microseconds, so that they may hold up the thread they are needed on.
    var isLocal: Bool { get }

    /// What is known of its state without asking it.
    var health: DatabaseHealth { get }

    /// Why no call can be served now, as far as is known without asking; `nil` when calls can be served.
    var absence: DatabaseError? { get }

    /// The free space in bytes on the file system that holds the data; `nil` where that is another machine's concern.
    var freeSpace: Int64? { get }

    /// Runs a closure that reads on one of a few threads.
    ///
    /// - Parameters:
    ///   - kind: what it is for, as the counters name it.
    ///   - snapshot: whether all statements see the same state; a closure with a single statement needs none.
    ///   - mayLag: whether a state of a moment ago will do, such as a replica has.
    ///   - body: the closure.
    ///   - completion: gets the result.
    func read<T: Sendable>(
        _ kind: String,
        snapshot: Bool,
        mayLag: Bool,
        _ body: @escaping @Sendable (Transaction) throws -> T,
        completion: @escaping @Sendable (Result<T, any Error>) -> Void
    )

    /// Runs a closure that writes, together with others that wait, in one durable commit.
    ///
    /// - Parameters:
    ///   - kind: what it is for, as the counters of repetitions name it.
    ///   - alone: never share a transaction with other closures: for work that is long, or that runs SQL which is not ours.
    ///   - body: the closure; it may run more than once.
    ///   - completion: gets the result once it is durable.
    func write<T: Sendable>(
        _ kind: String,
        alone: Bool,
        _ body: @escaping @Sendable (Transaction) throws -> T,
        completion: @escaping @Sendable (Result<T, any Error>) -> Void
    )

    /// Runs a closure that takes rows of a queue for a worker, which others that take some do not hold up.
    ///
    /// Its statements are those of ``Dialect/lease(from:setting:where:orderedBy:limit:returning:)``, and what becomes of the
    /// rows that they took: it sees what others commit meanwhile.
    ///
    /// - Parameters:
    ///   - kind: what it is for, as the counters of repetitions name it.
    ///   - body: the closure; it may run more than once.
    ///   - completion: gets the result once it is durable.
    func lease<T: Sendable>(
        _ kind: String,
        _ body: @escaping @Sendable (Transaction) throws -> T,
        completion: @escaping @Sendable (Result<T, any Error>) -> Void
    )

    /// Runs a closure that reads, at once on the calling thread, on a connection of its own.
    ///
    /// Blocks the thread for as long as the closure takes: microseconds, for point lookups where the data is local.
    ///
    /// - Parameters:
    ///   - snapshot: whether all statements see the same state. A closure with a single statement has nothing to gain from
    ///     it, and little to lose (a few hundredths of its time).
    ///   - body: the closure.
    /// - Returns: what the closure returns.
    /// - Throws: ``DatabaseError``, or what the closure throws.
    func readNow<T>(snapshot: Bool, _ body: (Transaction) throws -> T) throws -> T

    /// Tells the other nodes on this database something, which must be committed already; cheap, from any thread.
    func announce(_ news: News)

    /// Hears from now on what other nodes announce.
    ///
    /// Once only.
    ///
    /// - Parameter body: called with what came in at once on a thread that must not be held up.
    func hear(_ body: @escaping @Sendable ([News]) -> Void) throws

    /// Writes a consistent, checked copy to a new file while serving goes on. Blocks the calling thread.
    ///
    /// - Parameter replacing: whether a file that is there already may go.
    /// - Throws: ``DatabaseError``; nothing is left behind at the path then.
    func backup(to path: String, replacing: Bool) throws

    /// Finishes the work that waits, makes the file whole and lets it go. Everything afterwards answers `closed`.
    func close()
}

extension Database {
    package var absence: DatabaseError? { nil }
    package var freeSpace: Int64? { nil }

    /// Without other nodes there is nobody to tell.
    package func announce(_ news: News) {}

    /// Without other nodes there is nothing to hear.
    package func hear(_ body: @escaping @Sendable ([News]) -> Void) throws {}

    /// Runs a closure that reads on one of a few threads.
    package func read<T: Sendable>(
        kind: String = #fileID,
        snapshot: Bool = true,
        mayLag: Bool = false,
        _ body: @escaping @Sendable (Transaction) throws -> T,
        completion: @escaping @Sendable (Result<T, any Error>) -> Void
    ) {
        read(kind, snapshot: snapshot, mayLag: mayLag, body, completion: completion)
    }

    /// Runs a closure that writes, together with others that wait, in one durable commit.
    package func write<T: Sendable>(
        kind: String = #fileID,
        _ body: @escaping @Sendable (Transaction) throws -> T,
        completion: @escaping @Sendable (Result<T, any Error>) -> Void
    ) {
        write(kind, alone: false, body, completion: completion)
    }

    /// Runs a closure that reads, at once on the calling thread, on one consistent snapshot.
    package func readNow<T>(_ body: (Transaction) throws -> T) throws -> T {
        try readNow(snapshot: true, body)
    }

    /// Runs a closure that reads on one of a few threads, on one consistent snapshot.
    package func read<T: Sendable>(
        kind: String = #fileID,
        mayLag: Bool = false,
        _ body: @escaping @Sendable (Transaction) throws -> T
    ) async throws -> T {
        try await withCheckedThrowingContinuation { continuation in
            read(kind, snapshot: true, mayLag: mayLag, body) { continuation.resume(with: $0) }
        }
    }

    /// Runs a closure that writes; returns once it is durable.
    ///
    /// Cancelling the task does not stop it: the write happens, or fails, as a whole.
    @discardableResult
    package func write<T: Sendable>(
        kind: String = #fileID,
        alone: Bool = false,
        _ body: @escaping @Sendable (Transaction) throws -> T
    ) async throws -> T {
        try await withCheckedThrowingContinuation { continuation in
            write(kind, alone: alone, body) { continuation.resume(with: $0) }
        }
    }

    /// Runs a closure that takes rows of a queue for a worker; returns once they are taken for good.
    package func lease<T: Sendable>(
        kind: String = #fileID,
        _ body: @escaping @Sendable (Transaction) throws -> T
    ) async throws -> T {
        try await withCheckedThrowingContinuation { continuation in
            lease(kind, body) { continuation.resume(with: $0) }
        }
    }
}
