/// Which handler answers which path and method.
///
/// Patterns: `/v1/accounts:signUp` is itself, `/v1/usernames/{name}` takes one non-empty segment, and
/// `/v1/tenants/{tenant}:clear` a segment that ends in `:clear`. What is written out goes before what is taken.
package struct Router: Sendable {
    private(set) var fixed: [String: RouteSet] = [:]
    private(set) var tree = RouteNode()
    private(set) var fallback = Fallback()

    package init() {}

    /// Adds a route; HEAD comes with GET, OPTIONS with any.
    ///
    /// - Parameters:
    ///   - method: the method.
    ///   - pattern: the path, starting with `/`.
    ///   - cors: whether web pages of any origin may call it, without credentials. True for a path if true for any of its methods.
    ///   - maximumBody: longest body in bytes; nil for the configured limit.
    ///   - handler: what answers.
    package mutating func add(
        _ method: Method,
        _ pattern: String,
        cors: Bool = false,
        maximumBody: Int? = nil,
        _ handler: @escaping Handler
    ) {
        let segments = RoutePattern.segments(pattern)
        let route = Route(
            pattern: pattern,
            parameterNames: segments.compactMap(\.parameterName),
            maximumBody: maximumBody,
            handler: handler
        )
        if route.parameterNames.isEmpty {
            fixed[pattern, default: RouteSet()].add(method, route, cors: cors)
        }
        tree.add(method, route, cors: cors, along: segments[...])
    }

    /// Sets what answers paths that no route knows, whatever the method.
    ///
    /// Without it they throw `HTTPError.notFound`.
    ///
    /// - Parameters:
    ///   - cors: whether web pages of any origin may read the answers at a path.
    ///   - maximumBody: longest body in bytes; nil for the configured limit.
    ///   - handler: what answers.
    package mutating func setFallback(
        cors: @escaping @Sendable (_ path: String) -> Bool = { _ in false },
        maximumBody: Int? = nil,
        _ handler: @escaping Handler
    ) {
        fallback = Fallback(
            cors: cors,
            route: Route(pattern: "", parameterNames: [], maximumBody: maximumBody, handler: handler)
        )
    }

    /// Answers a request without any socket, as tests do: finds the route, fills in its parameters and calls its handler.
    ///
    /// - Throws: `HTTPError` when no route answers, and what the handler throws.
    package func handle(_ request: Request) throws -> Handling {
        let match = RouteTable(self).find(Array(request.path.utf8))
        let (route, values) = try match.route(for: request.method)
        return try route.handler(
            Request(
                method: request.method,
                path: request.path,
                query: request.query,
                body: request.body,
                remoteAddress: request.remoteAddress,
                parameters: route.parameters(values),
                head: request.head,
                trustedProxies: request.trustedProxies,
                authority: request.authority
            )
        )
    }

    /// What answers unknown paths.
    struct Fallback: Sendable {
        var cors: @Sendable (String) -> Bool = { _ in false }
        var route = Route(pattern: "", parameterNames: [], maximumBody: nil) { _ in throw HTTPError.notFound }
    }
}
