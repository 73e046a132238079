internal import Telemetry

/// Calls of one kind that one closure answers together, in one transaction.
///
/// Calls join while they wait for a connection, so a call that arrives alone waits for no other.
final class SharedJob<Input: Sendable, Value: Sendable>: Job, @unchecked Sendable {
    // Unchecked: one thread has the job at a time, and the queue's lock passes it on.

    /// One of the calls.
    struct Call: Sendable {
        let input: Input
        /// The name of what the call may have to wait for.
        ///
        /// Of the calls with one key that run alone, one at a time runs.
        let key: String
        /// When the call was made, by ``Deadline/now``.
        let arrival = Deadline.now
        /// The number of transactions that postponed the call.
        var repeats = 0
        /// The request that made the call, for log lines of the completion.
        let tag = RequestTag.current
        let completion: @Sendable (Result<Value, any Error>) -> Void
    }

    /// The maximum number of calls in one transaction, so that none waits long for the others.
    static var mostCalls: Int { 64 }
    /// The number of parts into which a transaction that failed is divided, to find the call that made it fail.
    ///
    /// Eight parts find that call among ``mostCalls`` in two transactions (``DividedJob``).
    private static var mostParts: Int { 8 }

    let mode: JobMode
    let kind: String
    let mayJoin: Bool
    var repeats = 0
    var needs = TransactionNeeds()
    var roundTrips = 0
    var statements = 0
    private let together: @Sendable ([Input], Transaction) throws -> [SharedOutcome<Value>]
    /// The closure for a call that was postponed; `nil` for calls that never are.
    private let alone: (@Sendable (Input, Transaction) throws -> Value)?
    private var calls: [Call]
    private var outcome: Result<[SharedOutcome<Value>], any Error>?

    init(
        mode: JobMode,
        kind: String,
        together: @escaping @Sendable ([Input], Transaction) throws -> [SharedOutcome<Value>],
        alone: (@Sendable (Input, Transaction) throws -> Value)?,
        calls: [Call],
        mayJoin: Bool = true
    ) {
        self.mode = mode
        self.kind = kind
        self.mayJoin = mayJoin
        self.together = together
        self.alone = alone
        self.calls = calls
        // Key paths of a generic type are made anew at each use.
        arrival = calls.reduce(0) { max($0, $1.arrival) }
    }

    var count: Int { calls.count }
    /// The newest call's, because older calls are given up alone (``removeCalls(before:)``).
    private(set) var arrival: Int64
    var repeatsOfCalls: Int { calls.reduce(repeats * calls.count) { $0 + $1.repeats } }

    func join(_ other: any Job) -> Bool {
        guard other.kind == kind, other.mayJoin, let other = other as? Self,
            calls.count + other.calls.count <= Self.mostCalls
        else { return false }
        calls += other.calls
        arrival = max(arrival, other.arrival)
        return true
    }

    func removeCalls(before time: Int64) -> (any Job)? {
        let old = calls.filter { $0.arrival < time }
        guard !old.isEmpty, old.count < calls.count else { return nil }
        calls.removeAll { $0.arrival < time }
        return SharedJob(mode: mode, kind: kind, together: together, alone: alone, calls: old, mayJoin: false)
    }

    func parts() -> [any Job] {
        let count = min(Self.mostParts, calls.count)
        return (0..<count).map { number in
            let part = calls[(calls.count * number / count)..<(calls.count * (number + 1) / count)]
            return SharedJob(
                mode: mode,
                kind: kind,
                together: together,
                alone: alone,
                calls: Array(part),
                mayJoin: false
            )
        }
    }

    func postpone(to postponed: PostponedCalls) -> () -> Void {
        guard let alone else { return {} }
        let outcomes = outcomesOfCalls
        guard outcomes.contains(where: { $0.isPostponed }) else { return {} }
        let lone = zip(calls, outcomes).filter { $1.isPostponed }.map { call, _ in
            var call = call
            // What was done so far was in vain for the call.
            if roundTrips > 0 { call.repeats += 1 }
            return call
        }
        calls = zip(calls, outcomes).filter { !$1.isPostponed }.map { call, _ in call }
        outcome = .success(outcomes.filter { !$0.isPostponed })
        return { [self] in
            for call in lone where !postponed.add(postponedCall(call, alone, in: postponed)) {
                RequestTag.run(call.tag) { call.completion(.failure(DatabaseError.overloaded)) }
            }
        }
    }

    /// The outcome of each call, as far as the transaction was kept.
    private var outcomesOfCalls: [SharedOutcome<Value>] {
        switch outcome {
        case .success(let outcomes): outcomes
        // The transaction waited for longer than a shared one may, and was rolled back.
        case .failure where wasRefused(.busy): calls.map { _ in .postponed }
        case .failure, nil: []
        }
    }

    /// Runs the calls alone, if others with their key have been waiting for some time.
    ///
    /// - Returns: whether they do.
    func evade(to postponed: PostponedCalls) -> Bool {
        guard alone != nil, calls.count == 1, let key = calls.first?.key, postponed.isStuck(key: key) else {
            return false
        }
        outcome = .success(calls.map { _ in .postponed })
        postpone(to: postponed)()
        return true
    }

    private func postponedCall(
        _ call: Call,
        _ alone: @escaping @Sendable (Input, Transaction) throws -> Value,
        in postponed: PostponedCalls
    ) -> PostponedCall {
        PostponedCall(key: call.key) { [mode, kind, together] in
            SharedJob(mode: mode, kind: kind, together: together, alone: alone, calls: [call])
        } alone: { [mode, kind] in
            let job = ClosureJob<Value>(
                mode: mode,
                kind: kind,
                arrival: call.arrival,
                tag: call.tag,
                body: { try alone(call.input, $0) },
                completion: { result in
                    call.completion(result)
                    postponed.finish(key: call.key)
                }
            )
            job.repeats = call.repeats
            return job
        }
    }

    func attempt(_ transaction: Transaction) -> Bool {
        defer { transaction.end() }
        do {
            let values = try together(calls.map { $0.input }, transaction)
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
                case .success(let outcomes): outcomes[index].result
                case .failure(let error): .failure(error)
                case nil: .failure(DatabaseError(.internal, message: "a closure was answered before it ran"))
                }
            RequestTag.run(call.tag) { call.completion(result) }
        }
    }
}
