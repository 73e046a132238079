internal import Accounts
internal import Database
internal import HTTPServer
internal import Network

// The transactions of decoded calls, and what follows from their outcomes.
extension Services {
    /// Runs the transaction of a decoded call that reads, and responds.
    func handling<Reading: ReadingEndpoint>(
        _ endpoint: Reading,
        _ input: Reading.Input,
        _ client: IPAddress
    ) throws -> Handling {
        if database.isLocal {
            // On one snapshot, because SQLite locks and unlocks the log for each, and all readers share a mutex for that.
            let outcome = Result { try database.readNow(snapshot: true) { try endpoint.transact(input, in: $0) } }
            countRefusal(in: outcome, from: client)
            return .response(try endpoint.render(try outcome.get()))
        }
        return .suspended { resumption in
            let completion: @Sendable (Result<Reading.Outcome, any Error>) -> Void = { result in
                self.countRefusal(in: result, from: client)
                resumption.resume { try endpoint.render(try result.get()) }
            }
            if Reading.sharesTransactions {
                self.database.readShared(
                    Reading.name,
                    input,
                    { try endpoint.transact($0, in: $1) },
                    completion: completion
                )
            } else {
                self.database.read(
                    kind: Reading.name,
                    snapshot: Reading.needsSnapshot,
                    { try endpoint.transact(input, in: $0) },
                    completion: completion
                )
            }
        }
    }

    /// Returns the outcome of a decoded call that changes nothing, without the writer; `nil` if the call must write, and
    /// with PostgreSQL, where a read beforehand would be one more round trip.
    ///
    /// - Throws: what the endpoint throws.
    func outcomeWithoutWriting<Writing: WritingEndpoint>(
        _ endpoint: Writing,
        _ input: Writing.Input,
        of request: Request
    ) throws -> Writing.Outcome? {
        guard database.isLocal, endpoint.mayChangeNothing(input, of: request) else { return nil }
        let outcome = Result { try database.readNow(snapshot: true) { try endpoint.read(input, in: $0) } }
        countRefusal(in: outcome, from: request.clientAddress)
        return try outcome.get()
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
                if case .failure(let refusal as Refusal) = result { endpoint.refused(refusal, input, of: call) }
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
        let end: @Sendable (Result<Changing.Outcome, any Error>) -> Void = { result in
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
        let isolation = endpoint.isolation(input)
        if let key = endpoint.sharedKey(input) {
            database.writeShared(
                Changing.name,
                isolation: isolation,
                input,
                key: key,
                together: { try endpoint.transact($0, in: $1) },
                alone: { try endpoint.transact($0, in: $1) },
                completion: end
            )
        } else {
            database.write(Changing.name, alone: endpoint.runsAlone(input), isolation: isolation) { transaction in
                try endpoint.transact(input, in: transaction)
            } completion: {
                end($0)
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
