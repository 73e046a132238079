/// A node of the tree in which paths with parameters are looked up, segment by segment.
struct RouteNode: Sendable {
    private var literals: [String: RouteNode] = [:]
    /// The nodes after a parameter, ordered by descending length of the suffix, so that `{id}:clear` takes precedence
    /// over `{id}`.
    private var parameters: [(suffix: String, node: RouteNode)] = []
    private var set = RouteSet()

    mutating func add(
        _ method: Method,
        _ route: Route,
        _ access: WebAccess,
        along segments: ArraySlice<RoutePattern.Segment>
    ) {
        guard let segment = segments.first else {
            set.add(method, route, access)
            return
        }
        switch segment {
        case .literal(let text):
            literals[text, default: RouteNode()].add(method, route, access, along: segments.dropFirst())
        case .parameter(_, let suffix):
            // In place, because a copy of the node would be one of all nodes after it.
            if let index = parameters.firstIndex(where: { $0.suffix == suffix }) {
                parameters[index].node.add(method, route, access, along: segments.dropFirst())
                return
            }
            var node = RouteNode()
            node.add(method, route, access, along: segments.dropFirst())
            parameters.append((suffix, node))
            parameters.sort { $0.suffix.utf8.count > $1.suffix.utf8.count }
        }
    }

    /// Finds the routes of a path.
    ///
    /// Literal segments take precedence over parameters.
    ///
    /// The recursion depth is that of the patterns.
    ///
    /// - Parameters:
    ///   - segments: the path's segments, decoded.
    ///   - values: the parameter values so far; complete when routes are found.
    /// - Returns: the routes, or nil without any.
    func find(_ segments: ArraySlice<String>, _ values: inout [String]) -> RouteSet? {
        guard let segment = segments.first else { return set.routes.isEmpty ? nil : set }
        if let found = literals[segment]?.find(segments.dropFirst(), &values) { return found }
        for (suffix, node) in parameters {
            guard segment.utf8.count > suffix.utf8.count, segment.hasSuffix(suffix) else { continue }
            values.append(String(segment.dropLast(suffix.count)))
            if let found = node.find(segments.dropFirst(), &values) { return found }
            values.removeLast()
        }
        return nil
    }
}
