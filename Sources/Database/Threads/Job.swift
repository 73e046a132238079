internal import Telemetry

/// What a closure does to the database.
enum JobMode: Sendable {
    /// Reads.
    ///
    /// - Parameters:
    ///   - snapshot: whether all statements of the closure see the same state.
    ///   - mayLag: whether the closure may read a slightly outdated state.
    case reading(snapshot: Bool, mayLag: Bool = false)
    /// Writes.
    ///
    /// - Parameters:
    ///   - alone: whether the closure must not share a transaction with others.
    ///   - isolation: the isolation that the closure needs.
    case writing(alone: Bool, Isolation = .serializable)
    /// Leases rows of a queue to a worker.
    case leasing

    var isReading: Bool {
        if case .reading = self { true } else { false }
    }

    /// Whether the closure is taken from its queue alone: if it reads, or must not share a transaction.
    var isAlone: Bool {
        switch self {
        case .reading, .writing(alone: true, _): true
        case .writing(alone: false, _), .leasing: false
        }
    }

    /// Whether the closure may take far longer than others, because it writes in a transaction of its own, such as a
    /// merge that runs the operator's SQL.
    var mayTakeLong: Bool {
        if case .writing(alone: true, _) = self { true } else { false }
    }
}

/// A closure that waits for a connection, together with the completion that receives its result.
protocol Job: AnyObject, Sendable {
    var mode: JobMode { get }
    /// The closure's purpose, as named in the transaction statistics.
    var kind: String { get }
    /// The time at which the closure was queued, by ``Deadline/now``.
    var arrival: Int64 { get }
    /// The number of retries so far: because of conflicts and locks, with SQLite because another closure broke the shared
    /// batch.
    var repeats: Int { get set }
    /// The number of retries of each call so far, summed.
    var repeatsOfCalls: Int { get }
    /// What earlier runs have shown that the closure needs.
    var needs: TransactionNeeds { get set }
    /// The number of waits for an answer of the server so far; 0 with SQLite.
    var roundTrips: Int { get set }
    /// The number of statements sent to the server so far; 0 with SQLite.
    var statements: Int { get set }
    /// The error that is the outcome; `nil` without one.
    var failure: (any Error)? { get }
    /// The number of calls that the closure answers.
    var count: Int { get }
    /// Whether jobs may join this one, and this one others.
    var mayJoin: Bool { get }
    /// Whether the job runs again after it has waited for a lock for too long, and does not handle that error itself.
    var runsAgainWhenBlocked: Bool { get }
    /// Takes over the calls of another job that waits, if one closure can answer the calls of both.
    ///
    /// - Returns: whether the calls were taken over.
    func join(_ other: any Job) -> Bool
    /// Takes the calls that were made before a time, by ``Deadline/now``, out of this job.
    ///
    /// - Returns: a job of these calls; `nil` if there are none, or no others.
    func removeCalls(before time: Int64) -> (any Job)?
    /// Returns a few jobs with a part of the calls each, in place of this one.
    ///
    /// No other job may join them.
    func parts() -> [any Job]
    /// Whether the last run was in parts that could fail alone, so that dividing the job again needs a transaction for each.
    var ranInParts: Bool { get }
    /// Returns the jobs that have an outcome of their own each, after the last run of this one.
    ///
    /// Called once. What this job counted (retries, round trips, statements) is counted by those jobs from then on.
    func outcomes() -> [any Job]
    /// Takes the calls that the committed transaction did nothing for out of this job.
    ///
    /// - Parameter calls: runs these calls.
    /// - Returns: what hands them over, to be called once this job is answered.
    func postpone(to calls: PostponedCalls) -> () -> Void
    /// Runs the closure in a transaction and stores the outcome, replacing that of an earlier run.
    ///
    /// - Returns: whether the closure succeeded, so that its changes may be committed.
    func attempt(_ transaction: Transaction) -> Bool
    /// Replaces the outcome with an error.
    func fail(_ error: DatabaseError)
    /// Passes the outcome to the completion.
    ///
    /// Called exactly once, last.
    func answer()
}

extension Job {
    var count: Int { 1 }
    var repeatsOfCalls: Int { repeats * count }
    var mayJoin: Bool { false }
    var runsAgainWhenBlocked: Bool { false }
    func join(_ other: any Job) -> Bool { false }
    func removeCalls(before time: Int64) -> (any Job)? { nil }
    func parts() -> [any Job] { [self] }
    var ranInParts: Bool { false }
    func outcomes() -> [any Job] { [self] }
    func postpone(to calls: PostponedCalls) -> () -> Void { {} }

    /// Whether the outcome is an error.
    var hasFailed: Bool { failure != nil }
    /// Whether the outcome is an error of the database, and not one that the closure threw.
    var hasFailedInDatabase: Bool { failure is DatabaseError }
    /// Whether the outcome is an error of that kind.
    func wasRefused(_ kind: DatabaseError.Kind) -> Bool { (failure as? DatabaseError)?.kind == kind }
}

/// One call with a closure of its own.
final class ClosureJob<Value: Sendable>: Job, @unchecked Sendable {
    // Unchecked: one thread has the job at a time, and the queue's lock passes it on.
    let mode: JobMode
    let kind: String
    let arrival: Int64
    var runsAgainWhenBlocked: Bool { true }
    var repeats = 0
    var needs = TransactionNeeds()
    var roundTrips = 0
    var statements = 0
    /// The request that asked for the closure, for log lines of the completion.
    private let tag: RequestTag?
    private let body: @Sendable (Transaction) throws -> Value
    private let completion: @Sendable (Result<Value, any Error>) -> Void
    private var outcome: Result<Value, any Error>?

    init(
        mode: JobMode,
        kind: String,
        arrival: Int64 = Deadline.now,
        tag: RequestTag? = RequestTag.current,
        body: @escaping @Sendable (Transaction) throws -> Value,
        completion: @escaping @Sendable (Result<Value, any Error>) -> Void
    ) {
        self.mode = mode
        self.kind = kind
        self.arrival = arrival
        self.tag = tag
        self.body = body
        self.completion = completion
    }

    func attempt(_ transaction: Transaction) -> Bool {
        defer { transaction.end() }
        do {
            let value = try body(transaction)
            if let failure = transaction.failure { throw failure }
            outcome = .success(value)
            return true
        } catch {
            outcome = .failure(error)
            return false
        }
    }

    func fail(_ error: DatabaseError) {
        outcome = .failure(error)
    }

    var failure: (any Error)? {
        if case .failure(let error)? = outcome { error } else { nil }
    }

    func answer() {
        RequestTag.run(tag) {
            completion(outcome ?? .failure(DatabaseError(.internal, message: "a closure was answered before it ran")))
        }
    }
}
