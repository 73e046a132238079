internal import Synchronization

/// One client's connection and the request that it is about.
///
/// Used in its libmicrohttpd thread only; what other threads may know is in `record`.
final class Connection {
    private enum Phase {
        /// Between requests, or while the head arrives.
        case idle
        /// The body arrives.
        case receiving
        /// Other threads work.
        case waiting(Suspension)
        /// libmicrohttpd has the answer.
        case answered
    }

    /// The most parameters that a query may have.
    private static let maximumParameters = 128

    let record: ConnectionRecord
    private let handle: ConnectionHandle
    private let core: ServerCore
    private var phase = Phase.idle
    private var method = Method.get
    private var path = ""
    private var query = ""
    private var hasTooManyParameters = false
    private var authority: String?
    private var match = RouteMatch(kind: .malformed, access: .closed, path: nil)
    private var originCount = 0
    private var bodyLimit = 0
    private var body: [UInt8] = []
    private var request: Request?
    private var stream: StreamWriter?
    /// The client may still be sending what we will not read.
    private var lingers = false

    init(handle: ConnectionHandle, record: ConnectionRecord, core: ServerCore) {
        self.handle = handle
        self.record = record
        self.core = core
    }

    // MARK: What libmicrohttpd tells

    /// A request line arrived.
    ///
    /// - Parameter query: what follows the `?`.
    func begin(query: String) {
        record.isBusy.store(true, ordering: .releasing)
        record.deadline.store(Moment.after(core.configuration.requestDeadline), ordering: .relaxed)
        self.query = query
        hasTooManyParameters = query.utf8.count { $0 == UInt8(ascii: "&") } >= Self.maximumParameters
    }

    /// The library wants to know something: after the head, for each piece of the body, at its end, and after each sleep.
    ///
    /// - Parameters:
    ///   - target: the request target before its query.
    ///   - method: the method's name.
    ///   - piece: a piece of the body, or empty.
    /// - Returns: false to break the connection.
    func handle(
        target: UnsafeBufferPointer<UInt8>,
        method: UnsafePointer<CChar>,
        piece: UnsafeRawBufferPointer
    ) -> Bool {
        switch phase {
        case .idle:
            return unsafe receiveHead(target, method)
        case .receiving:
            return unsafe piece.isEmpty ? dispatch() : receive(piece)
        case .waiting(let suspension):
            return perform(suspension.take() ?? { throw HTTPError.unanswered })
        case .answered:
            return true
        }
    }

    /// The request is over, well or not.
    func complete() {
        if let stream {
            core.watch.remove(record)
            stream.close()
        }
        record.wait(for: .nobody)
        stream = nil
        request?.detachIfShared()
        request = nil
        body = []
        authority = nil
        phase = .idle
        let now = Moment.now
        record.idleSince.store(now, ordering: .relaxed)
        // A silent connection ends by the idle time-out; this ends one that drips.
        let patience = core.configuration.idleTimeout + core.configuration.requestDeadline
        record.deadline.store(now + Moment.milliseconds(patience), ordering: .relaxed)
        record.isBusy.store(false, ordering: .releasing)
        record.isReceiving.store(true, ordering: .relaxed)
    }

    /// The connection is over; its socket is closed next.
    func close() {
        if lingers || handle.unread > 0 { core.watch.linger(record.socket) }
        core.registry.remove(record)
    }

    // MARK: Receiving

    private func receiveHead(_ target: UnsafeBufferPointer<UInt8>, _ method: UnsafePointer<CChar>) -> Bool {
        phase = .receiving
        let check = handle.checkHead()
        originCount = check.originCount
        self.method = unsafe Method(method)
        guard let parsed = unsafe RequestTarget(target) else {
            path = ""
            match = RouteMatch(kind: .malformed, access: .closed, path: nil)
            return refuse(HTTPError.malformed("The request target is not one."))
        }
        let bytes = unsafe UnsafeBufferPointer(rebasing: target[parsed.path])
        match = unsafe core.table.find(bytes.span)
        path = unsafe match.path ?? String(decoding: bytes, as: UTF8.self)
        authority = parsed.authority
        if let failure = check.failure { return refuse(failure) }
        guard handle.headSize <= core.configuration.maximumHead else { return refuse(HTTPError.headTooLarge) }
        guard !hasTooManyParameters else {
            return refuse(HTTPError.malformed("A query has at most \(Self.maximumParameters) parameters."))
        }
        if let refusal = refusalBeforeBody(check) { return refuse(refusal) }
        bodyLimit = match.maximumBody(for: self.method) ?? usualBodyLimit(hasBearer: check.hasBearer)
        guard let length = check.length, length > 0 else { return true }
        guard length <= bodyLimit else { return refuse(HTTPError.bodyTooLarge(limit: bodyLimit)) }
        // Memory follows what arrives, not what was announced.
        body.reserveCapacity(min(length, 16 << 10))
        return true
    }

    private func usualBodyLimit(hasBearer: Bool) -> Int {
        let limit = core.configuration.maximumBody
        return hasBearer ? limit : min(limit, core.configuration.maximumBodyWithoutBearer ?? limit)
    }

    /// What those say who judge a request by its head.
    private func refusalBeforeBody(_ head: HeadCheck) -> (any Error)? {
        let check = match.beforeBody(for: method)
        let webCallers = head.isFromBrowser && match.access == .callable ? core.table.webCallers : nil
        guard core.table.gate != nil || webCallers != nil || check != nil else { return nil }
        prepareRequest()
        defer {
            request?.detachIfShared()
            request = nil
        }
        guard let request else { return nil }
        do {
            try core.table.gate?(request)
            try webCallers?.check(request, hasBody: head.announcesBody)
            try check?(request)
            return nil
        } catch {
            return error
        }
    }

    private func receive(_ piece: UnsafeRawBufferPointer) -> Bool {
        guard piece.count <= bodyLimit - body.count else {
            body = []
            prepareRequest()
            lingers = true
            // The library takes no answer while a body arrives; ours goes past it, and then the connection ends.
            let answer = errorAnswer(HTTPError.bodyTooLarge(limit: bodyLimit))
            let bytes = RawAnswer.bytes(answer, extra: extraHeaders(of: answer))
            _ = handle.send(bytes, isEncrypted: core.configuration.tls != nil)
            return false
        }
        unsafe body.append(contentsOf: piece)
        return true
    }

    /// Answers before the request was read; the library then closes the connection.
    private func refuse(_ error: any Error) -> Bool {
        lingers = true
        record.isReceiving.store(false, ordering: .relaxed)
        prepareRequest()
        return answer(errorAnswer(error))
    }

    // MARK: Handling

    private func dispatch() -> Bool {
        record.isReceiving.store(false, ordering: .relaxed)
        prepareRequest()
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

    private func prepareRequest() {
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
            listener: core.configuration.name
        )
        body = []
    }

    private func preflight() -> Response? {
        guard method == .options, let methods = match.automaticOptions, let request else { return nil }
        return CrossOrigin.preflight(request, methods: methods, isShared: match.isShared)
    }

    private func call(_ handler: Handler) throws -> Handling {
        guard let request else { throw HTTPError.unanswered }
        return try handler(request)
    }

    /// Runs what a suspended request goes on with.
    private func perform(_ next: Continuation) -> Bool {
        record.wait(for: .nobody)
        do {
            return try perform(try next())
        } catch {
            return answer(errorAnswer(error))
        }
    }

    /// Does as the handler said, until the request is answered or asleep.
    private func perform(_ first: Handling) throws -> Bool {
        var handling = first
        // Whoever still holds the request needs it to be independent of the connection.
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
                    Task { await Connection.run(work, resumption) }
                }
                guard let next = sleep(start) else { return true }
                handling = try next()
            }
        }
    }

    private static func run(_ work: @Sendable () async throws -> Response, _ resumption: Resumption) async {
        do {
            let response = try await work()
            resumption.resume { response }
        } catch {
            resumption.resume { throw error }
        }
    }

    /// Starts the work and sleeps until it is done; when it already is, gives what comes next.
    private func sleep(_ start: @Sendable (Resumption) -> Void) -> Continuation? {
        let suspension = Suspension(core.sleepers)
        record.wait(for: .request(suspension))
        record.deadline.store(Moment.after(core.configuration.handlingDeadline), ordering: .relaxed)
        start(Resumption(suspension))
        switch suspension.sleep(handle) {
        case .asleep:
            phase = .waiting(suspension)
            return nil
        case .completed(let next):
            record.wait(for: .nobody)
            return next
        }
    }

    // MARK: Answering

    private func errorAnswer(_ error: any Error) -> Response {
        guard let request else { return Response(status: 500) }
        let response = core.response(to: error, request)
        self.request?.detachIfShared()
        return response
    }

    /// What the server adds to every answer of this request.
    private func extraHeaders(of response: Response) -> [(name: String, value: String)] {
        var extra = core.defaultHeaders(of: response)
        if match.isShared { extra += CrossOrigin.headers(origin: readingOrigin) }
        if isLast { extra.append(("Connection", "close")) }
        return extra
    }

    /// The origin whose pages may read the answer; `nil` without one.
    private var readingOrigin: String? {
        guard originCount == 1, let origin = handle.header("Origin") else { return nil }
        guard match.access == .callable, let webCallers = core.table.webCallers else { return origin }
        return webCallers.admits(origin) ? origin : nil
    }

    private var isLast: Bool { core.isDraining.load(ordering: .relaxed) }

    private func answer(_ response: Response) -> Bool {
        phase = .answered
        record.deadline.store(Moment.after(core.configuration.responseDeadline), ordering: .relaxed)
        if let constant = response.constant, !isLast, !(match.isShared && originCount > 0),
            let isQueued = constant.queue(
                response,
                defaults: core.defaultHeaders(of: response),
                varying: match.isShared,
                on: handle
            )
        {
            return isQueued
        }
        if let made = try? ResponseHandle(response, extra: extraHeaders(of: response)) {
            return handle.queue(made, status: response.status)
        }
        core.onEvent(.responseRefused(method: method, path: path))
        let substitute = errorAnswer(HTTPError.unsendable)
        if let made = try? ResponseHandle(substitute, extra: extraHeaders(of: substitute)) {
            return handle.queue(made, status: substitute.status)
        }
        guard let empty = try? ResponseHandle(Response()) else { return false }
        return handle.queue(empty, status: 500)
    }

    private func answer(streaming head: Response, _ start: @Sendable (StreamWriter) -> Void) -> Bool {
        let stream = StreamWriter(
            handle: handle,
            sleepers: core.sleepers,
            capacity: core.configuration.streamBuffer
        )
        guard
            let made = try? ResponseHandle(
                streaming: stream,
                head: head,
                extra: extraHeaders(of: head),
                isHeadOnly: method == .head
            )
        else {
            core.onEvent(.responseRefused(method: method, path: path))
            return answer(errorAnswer(HTTPError.unsendable))
        }
        phase = .answered
        record.deadline.store(
            method == .head ? Moment.after(core.configuration.responseDeadline) : Moment.never,
            ordering: .relaxed
        )
        guard handle.queue(made, status: head.status) else { return false }
        guard method != .head else { return true }
        self.stream = stream
        record.wait(for: .stream(stream))
        core.watch.add(record)
        start(stream)
        if isLast { stream.stop() }
        return true
    }
}
