internal import Telemetry

/// Calls of one kind that one closure answers together, in one transaction.
///
/// Calls join while they wait for a connection, so a call that arrives alone waits for no other.
final class SharedJob<Input: Sendable, Value: Sendable>: Job, @unchecked Sendable {
    // Unchecked: one thread has the job at a time, and the queue's lock passes it on.

    /// One of the calls.
    struct Call: Sendable {
        let input: Input
        /// The request that made the call, for log lines of the completion.
        let tag = RequestTag.current
        let completion: @Sendable (Result<Value, any Error>) -> Void
    }

    /// The maximum number of calls in one transaction, so that none waits long for the others.
    static var mostCalls: Int { 64 }

    let mode: JobMode
    let kind: String
    let arrival: Int64
    var repeats = 0
    var needs = TransactionNeeds()
    var roundTrips = 0
    var statements = 0
    private let body: @Sendable ([Input], Transaction) throws -> [Result<Value, any Error>]
    private var calls: [Call]
    private var outcome: Result<[Result<Value, any Error>], any Error>?

    init(
        mode: JobMode,
        kind: String,
        arrival: Int64 = Deadline.now,
        body: @escaping @Sendable ([Input], Transaction) throws -> [Result<Value, any Error>],
        calls: [Call]
    ) {
        self.mode = mode
        self.kind = kind
        self.arrival = arrival
        self.body = body
        self.calls = calls
    }

    var count: Int { calls.count }
    var mayJoin: Bool { true }

    func join(_ other: any Job) -> Bool {
        guard let other = other as? Self, other.kind == kind, calls.count + other.calls.count <= Self.mostCalls else {
            return false
        }
        calls += other.calls
        return true
    }

    func halves() -> [any Job] {
        let middle = calls.count / 2
        return [calls[..<middle], calls[middle...]].map { part in
            SharedJob(mode: mode, kind: kind, arrival: arrival, body: body, calls: Array(part))
        }
    }

    func attempt(_ transaction: Transaction) -> Bool {
        defer { transaction.end() }
        do {
            let values = try body(calls.map(\.input), transaction)
            if let failure = transaction.failure { throw failure }
            guard values.count == calls.count else {
                throw DatabaseError(.misuse, message: "a closure answered \(values.count) of \(calls.count) calls")
            }
            outcome = .success(values)
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
        for (index, call) in calls.enumerated() {
            let result: Result<Value, any Error> =
                switch outcome {
                case .success(let values): values[index]
                case .failure(let error): .failure(error)
                case nil: .failure(DatabaseError(.internal, message: "a closure was answered before it ran"))
                }
            RequestTag.run(call.tag) { call.completion(result) }
        }
    }
}
