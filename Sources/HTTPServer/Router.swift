/// Which handler answers which path and method.
///
/// Patterns: `/v1/accounts:signUp` is itself, `/v1/usernames/{name}` takes one non-empty segment, and
/// `/v1/tenants/{tenant}:clear` a segment that ends in `:clear`. What is written out goes before what is taken.
package struct Router: Sendable {
    private(set) var fixed: [String: RouteSet] = [:]
    private(set) var tree = RouteNode()
    private(set) var fallback = Fallback()
    private(set) var gate: HeadCheckpoint?
    /// Which web pages may call; `nil` for those of any origin.
    private(set) var webCallers: (any WebCallerRules)?
    private var additions: [Addition] = []
    /// Method and pattern of each addition, because a search of all of them for each new one takes a good part of a start.
    private var known: Set<String> = []

    package init() {}

    /// Adds a route; HEAD comes with GET, OPTIONS with any.
    ///
    /// - Parameters:
    ///   - method: the method.
    ///   - pattern: the path, starting with `/`.
    ///   - cors: whether web pages of other origins may call it, without credentials. True for a path if true for any of its
    ///     methods.
    ///   - isPublished: whether pages of every origin may read it, whatever the rules for web pages say.
    ///   - maximumBody: longest body in bytes; nil for the configured limit.
    ///   - beforeBody: judges requests by their head, so that nobody is sent a long body for nothing; the handler judges anew.
    ///   - handler: what answers.
    package mutating func add(
        _ method: Method,
        _ pattern: String,
        cors: Bool = false,
        isPublished: Bool = false,
        maximumBody: Int? = nil,
        beforeBody: HeadCheckpoint? = nil,
        _ handler: @escaping Handler
    ) {
        let route = Route(
            pattern: pattern,
            parameterNames: RoutePattern.segments(pattern).compactMap(\.parameterName),
            maximumBody: maximumBody,
            beforeBody: beforeBody,
            handler: handler
        )
        let access: WebAccess = isPublished ? .published : cors ? .callable : .closed
        add(Addition(method: method, route: route, access: access))
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
        tree.add(method, route, access, along: RoutePattern.segments(route.pattern)[...])
    }

    /// Every route, in the order of addition; one that was added again stands where it was last.
    package var routes: [(method: Method, pattern: String)] {
        additions.map { ($0.method, $0.route.pattern) }
    }

    /// What was added for a pattern.
    package func route(
        _ method: Method,
        _ pattern: String
    ) -> (maximumBody: Int?, beforeBody: HeadCheckpoint?, handler: Handler)? {
        additions.last { $0.method == method && $0.route.pattern == pattern }.map { addition in
            (addition.route.maximumBody, addition.route.beforeBody, addition.route.handler)
        }
    }

    /// Answers at another place what a route answers; nothing happens where there is no such route.
    ///
    /// - Parameters:
    ///   - pattern: the route's pattern.
    ///   - method: the route's method.
    ///   - others: the methods of the other place.
    ///   - alias: the other place, with the same `{name}` segments.
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

    /// Sets which web pages may call the routes that are open to them; without it those of any origin may.
    package mutating func setWebCallers(_ rules: any WebCallerRules) {
        webCallers = rules
    }

    /// The routes whose patterns pass, none of them open to web pages of other origins, behind a gate.
    ///
    /// - Parameters:
    ///   - gate: judges every request by its head, also those that no route knows.
    ///   - isKept: whether the route of a pattern is kept.
    package func closed(behind gate: @escaping HeadCheckpoint, keeping isKept: (_ pattern: String) -> Bool) -> Router {
        var router = Router()
        router.gate = gate
        for var addition in additions where isKept(addition.route.pattern) {
            addition.access = .closed
            router.add(addition)
        }
        return router
    }

    /// Sets what answers paths that no route knows, whatever the method.
    ///
    /// Without it they throw `HTTPError.notFound`.
    ///
    /// - Parameters:
    ///   - cors: whether web pages of other origins may call a path.
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
        try gate?(request)
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

    /// One call of `add`.
    private struct Addition: Sendable {
        let method: Method
        let route: Route
        var access: WebAccess
    }

    /// What answers unknown paths.
    struct Fallback: Sendable {
        var cors: @Sendable (String) -> Bool = { _ in false }
        var route = Route(pattern: "", parameterNames: [], maximumBody: nil) { _ in throw HTTPError.notFound }

        func access(_ path: String) -> WebAccess { cors(path) ? .callable : .closed }
    }
}
