internal import Synchronization
internal import Telemetry

/// Sending the response to a request, complete or as a stream.
extension Connection {
    func errorAnswer(_ error: any Error) -> Response {
        guard let request else { return Response(status: 500) }
        let response = core.response(to: error, request)
        self.request?.detachIfShared()
        return response
    }

    /// Returns the header fields that the server adds to the response: the configured ones that it does not set itself,
    /// the request's id, those of CORS on shared paths, and `Connection: close` while the server stops.
    func extraHeaders(of response: Response) -> [(name: String, value: String)] {
        var extra = core.defaultHeaders(of: response)
        extra.append(("X-Request-Id", tag.id))
        if match.isShared { extra += CrossOrigin.headers(origin: readingOrigin) }
        if isLast { extra.append(("Connection", "close")) }
        return extra
    }

    /// The origin whose pages may read the response.
    ///
    /// The value is `nil` if the request does not have exactly one `Origin` field, or the rules for web pages reject
    /// the origin. It has a meaning only on paths that pages of other origins may call.
    var readingOrigin: String? {
        guard originCount == 1, let origin = handle.header("Origin") else { return nil }
        guard match.access == .callable, let webCallers = core.table.webCallers else { return origin }
        return webCallers.admits(origin) ? origin : nil
    }

    var isLast: Bool { core.isDraining.load(ordering: .relaxed) }

    /// Counts the request, whose response has this status.
    func measure(status: Int) {
        let metrics = match.metrics(for: method) ?? core.table.unmatched
        guard let metrics else { return }
        let nanoseconds = Moment.nanoseconds - began
        metrics.record(status: status, nanoseconds: nanoseconds)
        core.onAnswer?(
            AnsweredRequest(method: method, route: metrics.route, status: status, nanoseconds: nanoseconds)
        )
    }

    func answer(_ response: Response) -> Bool {
        phase = .answered
        measure(status: response.status)
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

    func answer(streaming head: Response, _ start: @Sendable (StreamWriter) -> Void) -> Bool {
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
        measure(status: head.status)
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
