internal import Accounts
internal import Database
internal import HTTPServer
internal import Network

/// One call of the API, as plain, synchronous steps in one file: decode, transact, committed, render.
///
/// The HTTP thread decodes. The database runs the transaction, perhaps in a batch with others, while the connection is
/// suspended. If a writing transaction is committed, the database's thread runs `committed`. Then the HTTP thread
/// renders the response. The transaction may run again, so all random values are drawn while decoding.
protocol Endpoint: Sendable {
    associatedtype Input: Sendable
    associatedtype Outcome: Sendable

    /// Does the work inside one transaction.
    ///
    /// May run more than once, so it changes nothing but the database. What it throws rolls the transaction back.
    func transact(_ input: Input, in transaction: Transaction) throws -> Outcome
    /// Makes the response from the outcome of the finished transaction, including signing and encoding.
    ///
    /// Runs on the HTTP thread; after a merge that waited for hooks, in a task. It changes nothing that other calls
    /// share, because it may never run: at a stop, or after the call's deadline, the client gets another response.
    func render(_ outcome: Outcome) throws -> Response
}

extension Endpoint {
    /// The name of the endpoint's transactions in the transaction statistics.
    static var name: String { "\(Self.self)" }
}

/// What an endpoint decodes: a plain `Request`, or an ``AuthorizedRequest``, whose caller is determined first.
protocol EndpointRequest: Sendable {
    /// Prepares a request for decoding, and passes the result to `next` on the HTTP thread.
    ///
    /// - Parameters:
    ///   - request: the request.
    ///   - services: the services that determine the caller.
    ///   - isGuarded: as in ``Services/judging(_:guarded:_:)``.
    ///   - next: decodes and handles the call.
    /// - Throws: what `next` throws, and the errors of ``Services/authorize(_:guarded:then:)`` if the caller must be
    ///   determined.
    static func prepare(
        _ request: Request,
        by services: Services,
        guarded isGuarded: Bool,
        then next: @escaping @Sendable (Self) throws -> Handling
    ) throws -> Handling
}

extension Request: EndpointRequest {
    static func prepare(
        _ request: Request,
        by services: Services,
        guarded isGuarded: Bool,
        then next: @escaping @Sendable (Request) throws -> Handling
    ) throws -> Handling {
        try next(request)
    }
}

extension AuthorizedRequest: EndpointRequest {
    static func prepare(
        _ request: Request,
        by services: Services,
        guarded isGuarded: Bool,
        then next: @escaping @Sendable (AuthorizedRequest) throws -> Handling
    ) throws -> Handling {
        try services.authorize(request, guarded: isGuarded, then: next)
    }
}

/// The values of a call that ``ChangingEndpoint/committed(_:of:)`` may use beside the outcome.
struct CallContext: Sendable {
    /// The address of the client.
    let client: IPAddress
}

/// An endpoint whose transaction only reads, and whose statements need not see the same state of the database.
///
/// With SQLite, the transaction runs at once on the HTTP thread.
protocol ReadingEndpoint: Endpoint {
    /// `AuthorizedRequest` for a call that requires an API key or an administrator; otherwise `Request`.
    associatedtype Call: EndpointRequest

    /// Decodes the request and refuses what can be refused without the database. Runs on the HTTP thread.
    ///
    /// - Throws: ``Refusal`` or ``RequestError`` for the client.
    func decode(_ call: Call) throws -> Input
}

/// An endpoint whose transaction writes, and whose input comes from the request alone.
protocol WritingEndpoint: ChangingEndpoint {
    /// `AuthorizedRequest` for a call that requires an API key or an administrator; otherwise `Request`.
    associatedtype Call: EndpointRequest

    /// Decodes the request and refuses what can be refused without the database. Runs on the HTTP thread.
    ///
    /// - Throws: ``Refusal`` or ``RequestError`` for the client.
    func decode(_ call: Call) throws -> Input
}

/// An endpoint whose transaction writes, and whose decoding may have to wait, such as for the keys of an issuer.
protocol AwaitingEndpoint: ChangingEndpoint {
    /// `AuthorizedRequest` for a call that requires an API key or an administrator; otherwise `Request`.
    associatedtype Call: EndpointRequest

    /// Decodes the request and refuses what can be refused without the database and without fetching. Runs on the HTTP
    /// thread.
    ///
    /// - Throws: ``Refusal`` or ``RequestError`` for the client.
    func decode(_ call: Call) throws -> Decoded<Input>
}

/// The result of decoding the request of an ``AwaitingEndpoint``.
enum Decoded<Input: Sendable>: Sendable {
    case complete(Input)
    /// The input depends on something that must be fetched first; the closure fetches it and completes the input.
    case awaiting(@Sendable () async throws -> Input)
    /// The call is refused. If its ID token is refused as well, such as because its session has ended, that refusal is
    /// reported instead (contract, 3.3).
    case refused(Refusal, after: PresentedToken)

    /// Decodes the part of a request that stands beside an ID token.
    ///
    /// A refusal by `step` becomes ``refused(_:after:)`` if there is an ID token.
    ///
    /// - Parameters:
    ///   - token: the ID token, verified except against the database; `nil` without one.
    ///   - step: decodes the input.
    /// - Throws: what `step` throws, except a refusal if there is an ID token.
    static func after(_ token: PresentedToken?, _ step: () throws -> Input) throws -> Decoded {
        do { return .complete(try step()) } catch let refusal as Refusal {
            guard let token else { throw refusal }
            return .refused(refusal, after: token)
        }
    }

    /// Makes another input from this one with a closure, at once or when this input has been fetched; a refused call
    /// stays refused.
    func map<Other>(_ step: @escaping @Sendable (Input) throws -> Other) throws -> Decoded<Other> {
        switch self {
        case .complete(let input): .complete(try step(input))
        case .awaiting(let rest): .awaiting { try step(try await rest()) }
        case .refused(let refusal, let token): .refused(refusal, after: token)
        }
    }
}

/// An endpoint whose transaction writes.
protocol ChangingEndpoint: Endpoint {
    /// Does what follows from a committed transaction: enqueues log entries, wakes up workers, notifies change streams,
    /// and counts for the log a refusal that is the transaction's outcome, such as that of a wrong code, which is
    /// stored.
    ///
    /// This method runs once for each committed transaction, whether or not the client still waits for the response,
    /// and before the response is rendered. It does not run if the transaction threw, was rolled back on purpose
    /// (``RolledBack``), or has an unknown outcome. It runs on the database's thread, so it must not wait.
    ///
    /// - Parameters:
    ///   - outcome: what the transaction returned.
    ///   - call: the other values of the call that this method may need.
    func committed(_ outcome: Outcome, of call: CallContext)
    /// Whether the transaction must not share a commit with others, because it may run SQL of the operator's.
    func runsAlone(_ input: Input) -> Bool
    /// Handles a transaction that violated a constraint: of the operator's tables, by a foreign key or trigger, or of
    /// Latchkey's own.
    ///
    /// After a merge that waited for hooks there is no second attempt, and only the thrown refusal matters.
    ///
    /// - Returns: the input for a second and last attempt; `nil` if the error stands.
    /// - Throws: a ``Refusal`` for the client in place of the error.
    func inputAfterConstraint(_ input: Input) throws -> Input?
}

extension ChangingEndpoint {
    func runsAlone(_ input: Input) -> Bool { false }
    func inputAfterConstraint(_ input: Input) throws -> Input? { nil }
}

/// Thrown by a transaction that has determined its outcome but must be rolled back.
struct RolledBack<Outcome: Sendable>: Error {
    let outcome: Outcome
}

extension Services {
    /// Returns the handler of an endpoint that reads.
    ///
    /// - Parameters:
    ///   - endpoint: the endpoint.
    ///   - isGuarded: whether credentials with a bad signature count against the client's address, as guesses
    ///     (``judging(_:guarded:_:)``).
    func handler<Reading: ReadingEndpoint>(_ endpoint: Reading, guarding isGuarded: Bool = false) -> Handler {
        decoding(guarded: isGuarded, endpoint.decode) { input, request in
            try self.handling(endpoint, input, request.clientAddress)
        }
    }

    /// Returns the handler of an endpoint that writes.
    ///
    /// - Parameters:
    ///   - endpoint: the endpoint.
    ///   - isGuarded: whether credentials with a bad signature count against the client's address, as guesses
    ///     (``judging(_:guarded:_:)``).
    func handler<Writing: WritingEndpoint>(_ endpoint: Writing, guarding isGuarded: Bool = false) -> Handler {
        decoding(guarded: isGuarded, endpoint.decode) { input, request in
            self.handling(endpoint, input, CallContext(client: request.clientAddress))
        }
    }

    /// Returns the handler of an endpoint that may have to fetch something before it writes.
    ///
    /// - Parameters:
    ///   - endpoint: the endpoint.
    ///   - isGuarded: whether credentials with a bad signature count against the client's address, as guesses
    ///     (``judging(_:guarded:_:)``).
    func handler<Awaiting: AwaitingEndpoint>(_ endpoint: Awaiting, guarding isGuarded: Bool = false) -> Handler {
        decoding(guarded: isGuarded, endpoint.decode) { decoded, request in
            let context = CallContext(client: request.clientAddress)
            switch decoded {
            case .complete(let input): return self.handling(endpoint, input, context)
            case .awaiting(let rest):
                return .awaiting {
                    do {
                        let input = try await rest()
                        return { self.handling(endpoint, input, context) }
                    } catch let refusal as Refusal {
                        throw self.judge(refusal, of: request, guarded: isGuarded)
                    }
                }
            case .refused(let refusal, let token):
                return try self.reading("Session") { [flows = self.flows] in
                    _ = try flows.authenticate(token, in: $0)
                } then: { result in
                    try self.judging(request, guarded: isGuarded) {
                        try result.get()
                        throw refusal
                    }
                }
            }
        }
    }

    /// Returns a handler that decodes a call and passes the input to a closure.
    ///
    /// A call with a token of the project at Firebase moves the token's session here, and is decoded again with a token
    /// of this server's (``adopting(_:_:guarded:_:)``).
    ///
    /// - Parameters:
    ///   - isGuarded: as in ``judging(_:guarded:_:)``.
    ///   - decode: decodes the prepared call.
    ///   - next: handles the input, on the HTTP thread.
    private func decoding<Call: EndpointRequest, Input>(
        guarded isGuarded: Bool,
        _ decode: @escaping @Sendable (Call) throws -> Input,
        then next: @escaping @Sendable (Input, Request) throws -> Handling
    ) -> Handler {
        @Sendable
        func handle(_ request: Request) throws -> Handling {
            try Call.prepare(request, by: self, guarded: isGuarded) { call in
                let input: Input
                do { input = try decode(call) } catch let refusal as Refusal {
                    if let handling = self.adopting(refusal, request, guarded: isGuarded, handle) { return handling }
                    throw self.judge(refusal, of: request, guarded: isGuarded)
                }
                return try next(input, request)
            }
        }
        return handle
    }

    /// Reads the database, and passes the result to a closure.
    ///
    /// SQLite is read at once, on the calling thread. With PostgreSQL, the connection is suspended until the result
    /// arrives.
    ///
    /// - Parameters:
    ///   - kind: the name of the read in the transaction statistics.
    ///   - question: reads in one transaction; its statements may see different states.
    ///   - next: handles the result, on the HTTP thread.
    func reading<Value: Sendable>(
        _ kind: String,
        _ question: @escaping @Sendable (Transaction) throws -> Value,
        then next: @escaping @Sendable (Result<Value, any Error>) throws -> Handling
    ) throws -> Handling {
        if database.isLocal {
            return try next(Result { try database.readNow(snapshot: false, question) })
        }
        return .suspended { resumption in
            self.database.read(kind: kind, snapshot: false, question) { result in
                resumption.proceed { try next(result) }
            }
        }
    }

    /// Runs the transaction of a decoded call that reads, and responds.
    private func handling<Reading: ReadingEndpoint>(
        _ endpoint: Reading,
        _ input: Reading.Input,
        _ client: IPAddress
    ) throws -> Handling {
        if database.isLocal {
            let outcome = Result { try database.readNow(snapshot: false) { try endpoint.transact(input, in: $0) } }
            countRefusal(in: outcome, from: client)
            return .response(try endpoint.render(try outcome.get()))
        }
        return .suspended { resumption in
            self.database.read(kind: Reading.name, snapshot: false) {
                try endpoint.transact(input, in: $0)
            } completion: { result in
                self.countRefusal(in: result, from: client)
                resumption.resume { try endpoint.render(try result.get()) }
            }
        }
    }

    /// Runs the transaction of a decoded call that writes, and responds.
    ///
    /// - Parameters:
    ///   - endpoint: the endpoint.
    ///   - input: the decoded call.
    ///   - call: the other values of the call.
    ///   - next: decides by the outcome of a committed transaction how to continue in place of responding; `nil` to
    ///     respond. Runs on the database's thread, so it must not wait.
    func handling<Changing: ChangingEndpoint>(
        _ endpoint: Changing,
        _ input: Changing.Input,
        _ call: CallContext,
        then next: @escaping @Sendable (Changing.Outcome) -> Handling? = { _ in nil }
    ) -> Handling {
        .suspended { resumption in
            self.write(input, endpoint) { result in
                if case .failure(let error) = result, let merge = error as? MergeAwaitsHooks {
                    return resumption.proceed {
                        .async { try await self.merge(merge, endpoint, input, call) }
                    }
                }
                if case .success(let outcome) = result {
                    endpoint.committed(outcome, of: call)
                    if let handling = next(outcome) { return resumption.proceed { handling } }
                }
                self.countRefusal(in: result, from: call.client)
                // `render` throws the refusal of an outcome that had something to store.
                resumption.resume { try endpoint.render(try outcome(result)) }
            }
        }
    }

    /// Finishes a call whose merge needs the consent of hooks: asks them, runs the transaction again and renders the
    /// response.
    private func merge<Changing: ChangingEndpoint>(
        _ merge: MergeAwaitsHooks,
        _ endpoint: Changing,
        _ input: Changing.Input,
        _ call: CallContext
    ) async throws -> Response {
        let outcome: Changing.Outcome
        do {
            outcome = try await resolve(merge, alone: endpoint.runsAlone(input)) {
                try endpoint.transact(input, in: $0)
            } committed: { outcome in
                endpoint.committed(outcome, of: call)
            }
        } catch {
            if let refusal = error as? Refusal { count(refusal, from: call.client) }
            if let error = error as? DatabaseError, case .constraint = error.kind {
                // Called for what it throws. There is no second attempt, because the hooks have been told the outcome.
                _ = try endpoint.inputAfterConstraint(input)
            }
            throw error
        }
        return try endpoint.render(outcome)
    }

    /// Counts the refusal that a transaction threw, for the log; does nothing for another result.
    ///
    /// This happens at once and not while rendering, because the response may never be rendered.
    private func countRefusal<Outcome>(in result: Result<Outcome, any Error>, from client: IPAddress) {
        if case .failure(let refusal as Refusal) = result { count(refusal, from: client) }
    }

    /// Counts a refusal for the log.
    func count(_ refusal: Refusal, from client: IPAddress) {
        failureTrace.record(refusal, from: client, at: clock())
    }

    /// Runs the transaction of an endpoint, and a second one if the first breaks a constraint and the endpoint has
    /// another input.
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

/// Returns the outcome of a transaction that was committed, or rolled back on purpose (``RolledBack``).
///
/// - Throws: any other error of the transaction.
private func outcome<Outcome: Sendable>(_ result: Result<Outcome, any Error>) throws -> Outcome {
    do { return try result.get() } catch let rolledBack as RolledBack<Outcome> { return rolledBack.outcome }
}
