/// What a closure does to the database.
enum JobMode: Sendable {
    /// Snapshot: all its statements see the same state.
    /// May lag: it may see a state of a moment ago.
    case reading(snapshot: Bool, mayLag: Bool = false)
    /// Alone: it must share a transaction with no other closure.
    case writing(alone: Bool)
    /// Takes rows of a queue.
    case leasing

    var isReading: Bool {
        if case .reading = self { true } else { false }
    }

    /// Whether the closure must not share a transaction.
    var isAlone: Bool {
        switch self {
        case .reading, .writing(alone: true): true
        case .writing(alone: false), .leasing: false
        }
    }
}

/// A closure that waits for a connection, and whoever waits for its result.
protocol Job: AnyObject, Sendable {
    var mode: JobMode { get }
    /// What it is for, as the counters name it.
    var kind: String { get }
    /// When it came, by ``Deadline/now``.
    var arrival: Int64 { get }
    /// How often it ran again because others got in its way.
    var repeats: Int { get set }
    /// What it cost so far.
    var roundTrips: Int { get set }
    var statements: Int { get set }
    /// Whether the outcome is an error.
    var hasFailed: Bool { get }
    /// Runs the closure in a transaction and keeps the outcome, replacing that of an earlier run.
    ///
    /// - Returns: whether what it did is to be kept.
    func attempt(_ transaction: Transaction) -> Bool
    /// Replaces the outcome by an error.
    func fail(_ error: DatabaseError)
    /// Whether the outcome is an error of that kind.
    func wasRefused(_ kind: DatabaseError.Kind) -> Bool
    /// Hands the outcome to whoever waits. Called exactly once, last.
    func answer()
}

final class ClosureJob<Value: Sendable>: Job, @unchecked Sendable {
    // Unchecked: one thread has the job at a time; the queue's lock hands it over.
    let mode: JobMode
    let kind: String
    let arrival = Deadline.now
    var repeats = 0
    var roundTrips = 0
    var statements = 0
    private let body: @Sendable (Transaction) throws -> Value
    private let completion: @Sendable (Result<Value, any Error>) -> Void
    private var outcome: Result<Value, any Error>?

    init(
        mode: JobMode,
        kind: String,
        body: @escaping @Sendable (Transaction) throws -> Value,
        completion: @escaping @Sendable (Result<Value, any Error>) -> Void
    ) {
        self.mode = mode
        self.kind = kind
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

    var hasFailed: Bool {
        if case .failure? = outcome { true } else { false }
    }

    func wasRefused(_ kind: DatabaseError.Kind) -> Bool {
        guard case .failure(let error as DatabaseError) = outcome else { return false }
        return error.kind == kind
    }

    func answer() {
        completion(outcome ?? .failure(DatabaseError(.internal, message: "a closure was answered before it ran")))
    }
}
