internal import Accounts
internal import Database
internal import HTTPServer
internal import Network

/// One call of the API, as three plain, synchronous steps that read top to bottom in one file: decode, transact, render.
///
/// The HTTP thread decodes; the database runs the transaction, with its neighbours, while the connection is suspended; the
/// HTTP thread renders and answers. The transaction may run again, so everything random is drawn while decoding.
protocol Endpoint: Sendable {
    associatedtype Input: Sendable
    associatedtype Outcome: Sendable

    /// Does the work, inside one transaction.
    func transact(_ input: Input, in transaction: Transaction) throws -> Outcome
    /// Makes the response of the outcome: signing, encoding.
    func render(_ outcome: Outcome) throws -> Response
    /// The refusal that an outcome stands for, where the transaction had something to keep.
    func refusal(of outcome: Outcome) -> Refusal?
    /// Remembers on this node what a committed transaction has found, whether or not the client still waits for the answer.
    func remember(_ outcome: Outcome)
}

extension Endpoint {
    /// What the counters call its transactions.
    static var name: String { "\(Self.self)" }

    func refusal(of outcome: Outcome) -> Refusal? { nil }
    func remember(_ outcome: Outcome) {}
}

/// An outcome that may stand for a refusal.
protocol RefusableOutcome {
    var refusal: Refusal? { get }
}

extension Decision: RefusableOutcome {
    var refusal: Refusal? {
        if case .refused(let refusal) = self { refusal } else { nil }
    }
}

extension Endpoint where Outcome: RefusableOutcome {
    func refusal(of outcome: Outcome) -> Refusal? { outcome.refusal }
}

/// An endpoint whose transaction only reads, and whose statements need not see the same state: where the data is local it runs
/// at once on the HTTP thread.
protocol ReadingEndpoint: Endpoint {
    /// Reads the request and refuses what can be refused without the database.
    func decode(_ request: Request) throws -> Input
}

/// An endpoint whose transaction writes, and whose input the request has.
protocol WritingEndpoint: ChangingEndpoint {
    /// Reads the request and refuses what can be refused without the database.
    func decode(_ request: Request) throws -> Input
}

/// An endpoint whose transaction writes, and whose input may have to wait for others, such as the keys of an issuer.
protocol AwaitingEndpoint: ChangingEndpoint {
    /// Reads the request and refuses what can be refused without the database and those others.
    func decode(_ request: Request) throws -> Decoded<Input>
}

/// What decoding came to.
enum Decoded<Input: Sendable>: Sendable {
    case complete(Input)
    /// The rest has to be waited for.
    case awaiting(@Sendable () async throws -> Input)
}

/// An endpoint whose transaction writes.
protocol ChangingEndpoint: Endpoint {
    /// Whether the transaction shares no commit with others, because it may run SQL that is not ours.
    func runsAlone(_ input: Input) -> Bool
    /// What to do in place of a change that rows, keys or triggers of the operator's own do not allow.
    ///
    /// - Returns: the input of a second and last try; `nil` where the error stands.
    /// - Throws: a ``Refusal`` for the client.
    func inputAfterConstraint(_ input: Input) throws -> Input?
}

extension ChangingEndpoint {
    func runsAlone(_ input: Input) -> Bool { false }
    func inputAfterConstraint(_ input: Input) throws -> Input? { nil }
}

/// Thrown by a transaction that has found its outcome but is to keep nothing of what it did.
struct RolledBack<Outcome: Sendable>: Error {
    let outcome: Outcome
}

extension Services {
    /// The handler of an endpoint that reads.
    ///
    /// - Parameters:
    ///   - endpoint: the endpoint.
    ///   - isGuarded: whether calls that present nothing valid count against the client's address, as guesses.
    func handler<Reading: ReadingEndpoint>(_ endpoint: Reading, guarding isGuarded: Bool = false) -> Handler {
        { request in
            let input = try self.judging(request, guarded: isGuarded) { try endpoint.decode(request) }
            let client = request.clientAddress
            if self.database.isLocal {
                let outcome = Result {
                    try self.database.readNow(snapshot: false) { try endpoint.transact(input, in: $0) }
                }
                self.record(outcome, of: endpoint, from: client)
                return .response(try endpoint.render(try outcome.get()))
            }
            return .suspended { resumption in
                self.database.read(kind: Reading.name, snapshot: false) {
                    try endpoint.transact(input, in: $0)
                } completion: { result in
                    self.record(result, of: endpoint, from: client)
                    resumption.resume { try endpoint.render(try result.get()) }
                }
            }
        }
    }

    /// The handler of an endpoint that writes.
    ///
    /// - Parameters:
    ///   - endpoint: the endpoint.
    ///   - isGuarded: whether calls that present nothing valid count against the client's address, as guesses.
    func handler(_ endpoint: some WritingEndpoint, guarding isGuarded: Bool = false) -> Handler {
        { request in
            let input = try self.judging(request, guarded: isGuarded) { try endpoint.decode(request) }
            return self.handling(endpoint, input, request.clientAddress)
        }
    }

    /// The handler of an endpoint that may have to wait for others before it writes.
    func handler(_ endpoint: some AwaitingEndpoint, guarding isGuarded: Bool = false) -> Handler {
        { request in
            switch try self.judging(request, guarded: isGuarded, { try endpoint.decode(request) }) {
            case .complete(let input): return self.handling(endpoint, input, request.clientAddress)
            case .awaiting(let rest):
                return .awaiting {
                    let client = request.clientAddress
                    do {
                        let input = try await rest()
                        return { self.handling(endpoint, input, client) }
                    } catch let refusal as Refusal {
                        throw self.judge(refusal, of: request, guarded: isGuarded)
                    }
                }
            }
        }
    }

    /// Runs the transaction of a decoded call, and answers.
    private func handling<Changing: ChangingEndpoint>(
        _ endpoint: Changing,
        _ input: Changing.Input,
        _ client: IPAddress
    ) -> Handling {
        .suspended { resumption in
            self.write(input, endpoint) { result in
                if case .failure(let error) = result, let merge = error as? MergeAwaitsHooks {
                    return resumption.proceed {
                        .async { try await self.merge(merge, endpoint, input, client) }
                    }
                }
                self.record(result, of: endpoint, from: client)
                // A refusal that has something to keep comes out of `render`.
                resumption.resume { try endpoint.render(try outcome(result)) }
            }
        }
    }

    /// Goes on with a call that wants a merge which hooks have to agree to.
    private func merge<Changing: ChangingEndpoint>(
        _ merge: MergeAwaitsHooks,
        _ endpoint: Changing,
        _ input: Changing.Input,
        _ client: IPAddress
    ) async throws -> Response {
        let result: Result<Changing.Outcome, any Error>
        do {
            result = .success(
                try await settle(merge, alone: endpoint.runsAlone(input)) { try endpoint.transact(input, in: $0) }
            )
        } catch {
            result = .failure(error)
        }
        record(result, of: endpoint, from: client)
        if case .failure(let error as DatabaseError) = result, case .constraint = error.kind {
            // For what it throws: there is no second try, since everyone has been told the outcome.
            _ = try endpoint.inputAfterConstraint(input)
        }
        return try endpoint.render(try result.get())
    }

    /// Records the refusal that a transaction came to, in the log's counts.
    ///
    /// At once and not while the answer is made, since a client that has hung up gets no answer.
    private func record<Answering: Endpoint>(
        _ result: Result<Answering.Outcome, any Error>,
        of endpoint: Answering,
        from client: IPAddress
    ) {
        switch result {
        case .success(let outcome):
            endpoint.remember(outcome)
            if let refusal = endpoint.refusal(of: outcome) { failureTrace.record(refusal, from: client, at: clock()) }
        case .failure(let error):
            if let refusal = error as? Refusal { failureTrace.record(refusal, from: client, at: clock()) }
        }
    }

    /// Runs the transaction of an endpoint, and a second one if that breaks a constraint and the endpoint has another idea.
    private func write<Changing: ChangingEndpoint>(
        _ input: Changing.Input,
        _ endpoint: Changing,
        isSecond: Bool = false,
        completion: @escaping @Sendable (Result<Changing.Outcome, any Error>) -> Void
    ) {
        database.write(Changing.name, alone: endpoint.runsAlone(input)) { transaction in
            try endpoint.transact(input, in: transaction)
        } completion: { result in
            guard case .failure(let error as DatabaseError) = result, case .constraint = error.kind, !isSecond else {
                return completion(result)
            }
            do {
                guard let other = try endpoint.inputAfterConstraint(input) else { return completion(result) }
                self.write(other, endpoint, isSecond: true, completion: completion)
            } catch {
                completion(.failure(error))
            }
        }
    }
}

/// What a transaction came to, whether or not it was kept.
private func outcome<Outcome: Sendable>(_ result: Result<Outcome, any Error>) throws -> Outcome {
    do { return try result.get() } catch let rolledBack as RolledBack<Outcome> { return rolledBack.outcome }
}
