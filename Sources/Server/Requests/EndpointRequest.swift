internal import HTTPServer

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
