internal import Accounts
internal import Database
internal import HTTPServer

// The handlers of endpoints, as the router calls them: they decode, and hand the call over to its transaction.
extension Services {
    /// Returns the handler of an endpoint that reads.
    ///
    /// - Parameters:
    ///   - endpoint: the endpoint.
    ///   - isGuarded: whether credentials with a bad signature count against the client's address, as guesses
    ///     (``judging(_:guarded:_:)``).
    func handler<Reading: ReadingEndpoint>(_ endpoint: Reading, guarding isGuarded: Bool = false) -> Handler {
        decoding(guarded: isGuarded, waits: !database.isLocal, endpoint.decode) { input, request in
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
        decoding(guarded: isGuarded, waits: true, endpoint.decode) { input, request in
            if let outcome = try self.outcomeWithoutWriting(endpoint, input, of: request) {
                return .response(try endpoint.render(outcome))
            }
            return self.handling(endpoint, input, CallContext(client: request.clientAddress))
        }
    }

    /// Returns the handler of an endpoint that may have to fetch something before it writes.
    ///
    /// - Parameters:
    ///   - endpoint: the endpoint.
    ///   - isGuarded: whether credentials with a bad signature count against the client's address, as guesses
    ///     (``judging(_:guarded:_:)``).
    func handler<Awaiting: AwaitingEndpoint>(_ endpoint: Awaiting, guarding isGuarded: Bool = false) -> Handler {
        decoding(guarded: isGuarded, waits: true, endpoint.decode) { decoded, request in
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
    /// While too much work waits, the call is refused before it costs more than reading it: its body is not decoded, no
    /// signature is checked, and no limit is counted.
    ///
    /// A call with a token of the project at Firebase moves the token's session here, and is decoded again with a token
    /// of this server's (``adopting(_:_:guarded:_:)``).
    ///
    /// - Parameters:
    ///   - isGuarded: as in ``judging(_:guarded:_:)``.
    ///   - waits: whether the call waits in the database's queue.
    ///   - decode: decodes the prepared call.
    ///   - next: handles the input, on the HTTP thread.
    private func decoding<Call: EndpointRequest, Input>(
        guarded isGuarded: Bool,
        waits: Bool,
        _ decode: @escaping @Sendable (Call) throws -> Input,
        then next: @escaping @Sendable (Input, Request) throws -> Handling
    ) -> Handler {
        @Sendable
        func handle(_ request: Request) throws -> Handling {
            guard !request.hasWaitedTooLong, !waits || !database.isCongested else { throw DatabaseError.overloaded }
            return try Call.prepare(request, by: self, guarded: isGuarded) { call in
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
            return try next(Result { try database.readNow(snapshot: true, question) })
        }
        return .suspended { resumption in
            self.database.read(kind: kind, snapshot: false, question) { result in
                resumption.proceed { try next(result) }
            }
        }
    }
}
