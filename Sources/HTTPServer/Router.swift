/// Maps paths and methods to handlers.
///
/// The pattern `/v1/accounts:signUp` matches itself, `/v1/usernames/{name}` matches one non-empty segment, and
/// `/v1/tenants/{tenant}:clear` a segment that ends in `:clear`. Literal segments take precedence over parameters.
package struct Router: Sendable {
    private(set) var fixed: [String: RouteSet] = [:]
    private(set) var tree = RouteNode()
    private(set) var fallback = Fallback()
    private(set) var gate: HeadCheckpoint?
    /// The rules for calls of web pages; `nil` admits any origin.
    private(set) var webCallers: (any WebCallerRules)?
    /// The rules for clients; `nil` admits any.
    private(set) var clients: (any ClientRules)?
    private var additions: [Addition] = []
    /// The method and pattern of every route so far, as one text, to notice a route that replaces an earlier one.
    ///
    /// Searching `additions` for each new route would slow down the start.
    private var known: Set<String> = []
    private let meter: RouteMeter?

    /// Makes a router without routes.
    ///
    /// - Parameter meter: measures the requests of the routes that are added; `nil` for nothing.
    package init(meter: RouteMeter? = nil) {
        self.meter = meter
        if let meter { fallback.route = Route(unmatched: meter.metrics(of: "")) }
    }

    /// Adds a route.
    ///
    /// HEAD is included in GET, and OPTIONS in any method.
    ///
    /// - Parameters:
    ///   - method: the method.
    ///   - pattern: the path, starting with `/`.
    ///   - cors: whether web pages of other origins may call it, without credentials. True for a path if true for any
    ///     of its methods.
    ///   - isPublished: whether pages of every origin may read it, whatever the rules for web pages say.
    ///   - maximumBody: the maximum body in bytes; nil for the configured limit.
    ///   - beforeBody: checks requests by their head, so that clients need not send a long body in vain. The handler
    ///     checks again.
    ///   - handler: handles the requests.
    package mutating func add(
        _ method: Method,
        _ pattern: String,
        cors: Bool = false,
        isPublished: Bool = false,
        maximumBody: Int? = nil,
        beforeBody: HeadCheckpoint? = nil,
        _ handler: @escaping Handler
    ) {
        let segments = RoutePattern.segments(pattern)
        let route = Route(
            pattern: pattern,
            parameterNames: segments.compactMap(\.parameterName),
            maximumBody: maximumBody,
            beforeBody: beforeBody,
            metrics: meter?.metrics(of: pattern),
            handler: handler
        )
        let access: WebAccess = isPublished ? .published : cors ? .callable : .closed
        add(Addition(method: method, segments: segments, route: route, access: access))
    }

    private mutating func add(_ addition: Addition) {
        if !known.insert("\(addition.method) \(addition.route.pattern)").inserted {
            additions.removeAll { $0.method == addition.method && $0.route.pattern == addition.route.pattern }
        }
        additions.append(addition)
        let (method, route, access) = (addition.method, addition.route, addition.access)
        if route.parameterNames.isEmpty {
            fixed[route.pattern, default: RouteSet()].add(method, route, access)
        }
        tree.add(method, route, access, along: addition.segments[...])
    }

    /// All routes in the order of addition, where a route that was added again is listed at its last position.
    package var routes: [(method: Method, pattern: String)] {
        additions.map { ($0.method, $0.route.pattern) }
    }

    /// Returns the settings and the handler of the route with this method and pattern; nil if there is none.
    package func route(
        _ method: Method,
        _ pattern: String
    ) -> (maximumBody: Int?, beforeBody: HeadCheckpoint?, handler: Handler)? {
        additions.last { $0.method == method && $0.route.pattern == pattern }.map { addition in
            (addition.route.maximumBody, addition.route.beforeBody, addition.route.handler)
        }
    }

    /// Adds an alias for a route.
    ///
    /// Does nothing if the route does not exist.
    ///
    /// - Parameters:
    ///   - pattern: the route's pattern.
    ///   - method: the route's method.
    ///   - others: the methods of the alias.
    ///   - alias: the pattern of the alias, with the same `{name}` segments.
    package mutating func alias(_ pattern: String, _ method: Method, as others: [Method], at alias: String) {
        guard let known = additions.last(where: { $0.method == method && $0.route.pattern == pattern }) else { return }
        for other in others {
            add(
                other,
                alias,
                cors: known.access == .callable,
                isPublished: known.access == .published,
                maximumBody: known.route.maximumBody,
                beforeBody: known.route.beforeBody,
                known.route.handler
            )
        }
    }

    /// Sets the rules for web pages that call shared routes.
    ///
    /// Without rules, pages of any origin may call them.
    package mutating func setWebCallers(_ rules: any WebCallerRules) {
        webCallers = rules
    }

    /// Sets the rules for clients, which apply to all routes and to unknown paths.
    package mutating func setClients(_ rules: any ClientRules) {
        clients = rules
    }

    /// Returns a router with some of the routes, behind a gate, and closed to web pages of other origins.
    ///
    /// The handler for unknown paths and the rules for web pages and clients are not kept.
    ///
    /// - Parameters:
    ///   - gate: checks every request by its head, including those for unknown paths.
    ///   - isKept: whether to keep the route of a pattern.
    package func closed(behind gate: @escaping HeadCheckpoint, keeping isKept: (_ pattern: String) -> Bool) -> Router {
        var router = Router(meter: meter)
        router.gate = gate
        for var addition in additions where isKept(addition.route.pattern) {
            addition.access = .closed
            router.add(addition)
        }
        return router
    }

    /// Sets the handler for unknown paths, for all methods.
    ///
    /// Without such a handler, requests for unknown paths throw `HTTPError.notFound`.
    ///
    /// - Parameters:
    ///   - cors: whether web pages of other origins may call a path.
    ///   - maximumBody: the maximum body in bytes; nil for the configured limit.
    ///   - handler: handles the requests.
    package mutating func setFallback(
        cors: @escaping @Sendable (_ path: String) -> Bool = { _ in false },
        maximumBody: Int? = nil,
        _ handler: @escaping Handler
    ) {
        fallback = Fallback(
            cors: cors,
            route: Route(
                pattern: "",
                parameterNames: [],
                maximumBody: maximumBody,
                metrics: meter?.metrics(of: ""),
                handler: handler
            )
        )
    }

    /// Handles a request without a socket, as tests do: finds the route, runs its checks, sets the parameters and calls
    /// the handler.
    ///
    /// - Throws: `HTTPError` if no route matches, and what the checks and the handler throw.
    package func handle(_ request: Request) throws -> Handling {
        let match = RouteTable(self).find(Array(request.path.utf8))
        try gate?(request)
        if let clients, clients.isActive { try clients.check(request) }
        if match.access == .callable { try webCallers?.check(request, hasBody: !request.body.isEmpty) }
        try match.beforeBody(for: request.method)?(request)
        let (route, values) = try match.route(for: request.method)
        return try route.handler(
            request.moved(
                request.method,
                to: request.path,
                query: request.query,
                parameters: route.parameters(values)
            )
        )
    }

    /// A route as it was added, so that it can be listed, aliased and copied to another router.
    private struct Addition: Sendable {
        let method: Method
        let segments: [RoutePattern.Segment]
        let route: Route
        var access: WebAccess
    }

    /// The handler of unknown paths, and which of these paths web pages of other origins may call.
    struct Fallback: Sendable {
        var cors: @Sendable (String) -> Bool = { _ in false }
        var route = Route(unmatched: nil)

        func access(_ path: String) -> WebAccess { cors(path) ? .callable : .closed }
    }
}

extension Route {
    /// The route of unknown paths, which responds with 404.
    fileprivate convenience init(unmatched metrics: RequestMetrics?) {
        self.init(pattern: "", parameterNames: [], maximumBody: nil, metrics: metrics) { _ in throw HTTPError.notFound }
    }
}
