extension Handling {
    /// The response without any socket, as tests do: of handlers that have answered by the time their closures return.
    ///
    /// - Throws: what the handler throws; `HTTPError.unanswered` where there is no answer yet.
    package func finish() throws -> Response {
        switch self {
        case .response(let response), .stream(let response, _):
            return response
        case .suspended(let start):
            let suspension = Suspension(Sleepers())
            start(Resumption(suspension))
            guard let next = suspension.take() else { throw HTTPError.unanswered }
            return try next().finish()
        case .async:
            throw HTTPError.unanswered
        }
    }
}
