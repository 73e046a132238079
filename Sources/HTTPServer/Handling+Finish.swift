extension Handling {
    /// Returns the response (of a stream, its head) without a socket, as tests do, for handlers that have responded
    /// when their closures return.
    ///
    /// - Throws: what the handler throws; `HTTPError.unanswered` if there is no response yet, and always for
    ///   ``async(_:)``.
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
