internal import Synchronization
internal import Telemetry

/// Calling the handler, and waiting for what it suspends the request for.
extension Connection {
    func dispatch() -> Bool {
        record.isReceiving.store(false, ordering: .relaxed)
        prepareRequest()
        if hasWaitedTooLong() { request?.hasWaitedTooLong = true }
        do {
            if let preflight = preflight() { return answer(preflight) }
            let (route, values) = try match.route(for: method)
            if !values.isEmpty { request?.parameters = route.parameters(values) }
            let handling = try call(route.handler)
            return try perform(handling)
        } catch {
            return answer(errorAnswer(error))
        }
    }

    func prepareRequest() {
        request = Request(
            method: method,
            path: path,
            query: query,
            body: body,
            remoteAddress: record.address,
            parameters: [:],
            head: RequestHead(live: handle),
            trustedProxies: core.configuration.trustedProxies,
            authority: authority,
            listener: core.configuration.name,
            peerUser: core.configuration.listen.isUnixDomain ? handle.peerUser : nil
        )
        body = []
    }

    func preflight() -> Response? {
        guard method == .options, let methods = match.automaticOptions, let request else { return nil }
        return CrossOrigin.preflight(request, methods: methods, isShared: match.isShared)
    }

    func call(_ handler: Handler) throws -> Handling {
        guard let request else { throw HTTPError.unanswered }
        return try handler(request)
    }

    /// Runs the continuation of a suspended request.
    func perform(_ next: Continuation) -> Bool {
        record.wait(for: .nothing)
        do {
            return try perform(try next())
        } catch {
            return answer(errorAnswer(error))
        }
    }

    /// Follows the handler's instructions until the request is answered or suspended.
    func perform(_ first: Handling) throws -> Bool {
        var handling = first
        // Other holders of the request need it to be independent of the connection.
        request?.detachIfShared()
        while true {
            switch handling {
            case .response(let response):
                return answer(response)
            case .stream(let head, let start):
                return answer(streaming: head, start)
            case .suspended(let start):
                guard let next = sleep(start) else { return true }
                handling = try next()
            case .async(let work):
                let start: @Sendable (Resumption) -> Void = { resumption in
                    let tag = RequestTag.current
                    Task { await RequestTag.run(tag) { await Connection.run(work, resumption) } }
                }
                guard let next = sleep(start) else { return true }
                handling = try next()
            }
        }
    }

    static func run(_ work: @Sendable () async throws -> Response, _ resumption: Resumption) async {
        do {
            let response = try await work()
            resumption.resume { response }
        } catch {
            resumption.resume { throw error }
        }
    }

    /// Starts the work and suspends until it is done.
    ///
    /// Returns the continuation if the work is done already; `nil` if the connection was suspended.
    func sleep(_ start: @Sendable (Resumption) -> Void) -> Continuation? {
        let suspension = Suspension(core.sleepers)
        record.wait(for: .request(suspension))
        record.deadline.store(Moment.after(core.configuration.handlingDeadline), ordering: .relaxed)
        start(Resumption(suspension))
        switch suspension.sleep(handle) {
        case .asleep:
            phase = .waiting(suspension)
            return nil
        case .completed(let next):
            record.wait(for: .nothing)
            return next
        }
    }
}
