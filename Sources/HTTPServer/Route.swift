/// One handler and what it needs to know before it runs.
final class Route: Sendable {
    let pattern: String
    let parameterNames: [String]
    let maximumBody: Int?
    let beforeBody: HeadCheckpoint?
    let handler: Handler

    init(
        pattern: String,
        parameterNames: [String],
        maximumBody: Int?,
        beforeBody: HeadCheckpoint? = nil,
        handler: @escaping Handler
    ) {
        self.pattern = pattern
        self.parameterNames = parameterNames
        self.maximumBody = maximumBody
        self.beforeBody = beforeBody
        self.handler = handler
    }

    /// Names what the path's segments held.
    func parameters(_ values: [String]) -> [String: String] {
        guard !values.isEmpty else { return [:] }
        return Dictionary(zip(parameterNames, values)) { _, last in last }
    }
}

/// The routes of one path.
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

    /// What `Allow` lists.
    var methods: [Method] {
        var methods = routes.map(\.method)
        if self[.get] != nil, !methods.contains(.head) { methods.append(.head) }
        if !methods.contains(.options) { methods.append(.options) }
        return methods.sorted { $0.rawValue < $1.rawValue }
    }
}

/// What the table knows about a path.
struct RouteMatch: Sendable {
    enum Kind: Sendable {
        /// The path is known.
        case known(RouteSet, values: [String])
        /// The path is not.
        case unknown(Route)
        /// The path's escapes are broken.
        case malformed
    }

    let kind: Kind
    /// Which web pages may call the path.
    let access: WebAccess
    /// The path as a string where it is at hand, that is without parameters.
    let path: String?

    /// Whether pages of other origins may call the path.
    var isShared: Bool { access != .closed }

    /// The body limit of the route that would answer, if it has one.
    func maximumBody(for method: Method) -> Int? {
        switch kind {
        case .known(let set, _): set[method]?.maximumBody
        case .unknown(let route): route.maximumBody
        case .malformed: nil
        }
    }

    /// What the route that would answer asks of a request's head.
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

    /// What OPTIONS lists, where the server answers it: on known paths without an own route for it, and on shared unknown
    /// ones, so that the page then sees their refusal.
    var automaticOptions: [Method]? {
        switch kind {
        case .known(let set, _): set[.options] == nil ? set.methods : nil
        case .unknown: isShared ? [.get, .head, .post, .put, .patch, .delete, .options] : nil
        case .malformed: nil
        }
    }

    /// The route for a method.
    ///
    /// - Throws: `HTTPError` 405 or 400.
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
