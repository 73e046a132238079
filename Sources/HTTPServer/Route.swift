/// The handler of one method of a path, with its settings.
final class Route: Sendable {
    let pattern: String
    let parameterNames: [String]
    let maximumBody: Int?
    let beforeBody: HeadCheckpoint?
    let handler: Handler
    /// Measures the requests of the route; `nil` if nothing does.
    let metrics: RequestMetrics?

    init(
        pattern: String,
        parameterNames: [String],
        maximumBody: Int?,
        beforeBody: HeadCheckpoint? = nil,
        metrics: RequestMetrics? = nil,
        handler: @escaping Handler
    ) {
        self.pattern = pattern
        self.parameterNames = parameterNames
        self.maximumBody = maximumBody
        self.beforeBody = beforeBody
        self.metrics = metrics
        self.handler = handler
    }

    /// Returns the given values of the `{name}` segments by their names.
    func parameters(_ values: [String]) -> [String: String] {
        guard !values.isEmpty else { return [:] }
        return Dictionary(zip(parameterNames, values)) { _, last in last }
    }
}

/// The routes of one path, by method.
struct RouteSet: Sendable {
    private(set) var routes: [(method: Method, route: Route)] = []
    private(set) var access = WebAccess.closed

    mutating func add(_ method: Method, _ route: Route, _ access: WebAccess) {
        routes.removeAll { $0.method == method }
        routes.append((method, route))
        self.access = max(self.access, access)
    }

    subscript(_ method: Method) -> Route? {
        for entry in routes where entry.method == method { return entry.route }
        return method == .head ? self[.get] : nil
    }

    /// The methods for the `Allow` field, sorted: those of the routes, HEAD if there is GET, and OPTIONS.
    var methods: [Method] {
        var methods = routes.map(\.method)
        if self[.get] != nil, !methods.contains(.head) { methods.append(.head) }
        if !methods.contains(.options) { methods.append(.options) }
        return methods.sorted { $0.rawValue < $1.rawValue }
    }
}

/// The route table's result for a path.
struct RouteMatch: Sendable {
    enum Kind: Sendable {
        /// The path has routes, for this or other methods; `values` are those of its `{name}` segments, decoded.
        case known(RouteSet, values: [String])
        /// The path has no route, so the fallback handles the request.
        case unknown(Route)
        /// The path has invalid percent-encoding.
        case malformed
    }

    let kind: Kind
    /// Which web pages may call the path.
    let access: WebAccess
    /// The path as the client wrote it; nil if the request target could not be parsed.
    let path: String?

    /// Whether pages of other origins may call the path.
    var isShared: Bool { access != .closed }

    /// Returns the body limit of the matching route or fallback, in bytes; nil if it has none of its own.
    func maximumBody(for method: Method) -> Int? {
        switch kind {
        case .known(let set, _): set[method]?.maximumBody
        case .unknown(let route): route.maximumBody
        case .malformed: nil
        }
    }

    /// Returns the head check of the matching route; nil if it has none.
    func beforeBody(for method: Method) -> HeadCheckpoint? {
        guard case .known(let set, let values) = kind, let route = set[method], let check = route.beforeBody else {
            return nil
        }
        return { request in
            var request = request
            request.parameters = route.parameters(values)
            try check(request)
        }
    }

    /// Returns what measures requests with this method: the matching route, or another one of the path if the path has
    /// none for the method; `nil` for a malformed path.
    func metrics(for method: Method) -> RequestMetrics? {
        switch kind {
        case .known(let set, _): (set[method] ?? set.routes.first?.route)?.metrics
        case .unknown(let route): route.metrics
        case .malformed: nil
        }
    }

    /// The methods for OPTIONS where the server answers it itself.
    ///
    /// The server answers OPTIONS itself on known paths without their own OPTIONS route, and on shared unknown paths,
    /// so that a page can read the rejection of its call. Otherwise the value is nil.
    var automaticOptions: [Method]? {
        switch kind {
        case .known(let set, _): set[.options] == nil ? set.methods : nil
        case .unknown: isShared ? [.get, .head, .post, .put, .patch, .delete, .options] : nil
        case .malformed: nil
        }
    }

    /// Returns the route for a method with the values of its `{name}` segments; for an unknown path, the fallback.
    ///
    /// - Throws: `HTTPError` 405 if the path has routes for other methods only, 400 if its percent-encoding is invalid.
    func route(for method: Method) throws(HTTPError) -> (Route, values: [String]) {
        switch kind {
        case .known(let set, let values):
            guard let route = set[method] else { throw .methodNotAllowed(set.methods) }
            return (route, values)
        case .unknown(let route):
            return (route, [])
        case .malformed:
            throw .malformed("The path's percent-encoding is broken.")
        }
    }
}
