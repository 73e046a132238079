/// A router prepared for look-ups.
///
/// Paths without parameters are found by a hash of their bytes, without creating a string.
final class RouteTable: Sendable {
    private struct Entry: Sendable {
        let path: [UInt8]
        let match: RouteMatch
    }

    private let slots: [Entry?]
    private let tree: RouteNode
    private let fallback: Router.Fallback
    /// Measures requests without a route; `nil` if nothing does.
    var unmatched: RequestMetrics? { fallback.route.metrics }
    let gate: HeadCheckpoint?
    let webCallers: (any WebCallerRules)?
    let clients: (any ClientRules)?

    init(_ router: Router) {
        tree = router.tree
        fallback = router.fallback
        gate = router.gate
        webCallers = router.webCallers
        clients = router.clients
        var size = 8
        while size < router.fixed.count * 4 { size *= 2 }
        var slots = [Entry?](repeating: nil, count: size)
        for (text, set) in router.fixed {
            let path = Array(text.utf8)
            var slot = RouteTable.hash(path.span) & (size - 1)
            while slots[slot] != nil { slot = (slot + 1) & (size - 1) }
            let match = RouteMatch(kind: .known(set, values: []), access: set.access, path: text)
            slots[slot] = Entry(path: path, match: match)
        }
        self.slots = slots
    }

    /// Returns the match for a path as the client wrote it.
    func find(_ path: [UInt8]) -> RouteMatch {
        find(path.span)
    }

    func find(_ path: Span<UInt8>) -> RouteMatch {
        var slot = RouteTable.hash(path) & (slots.count - 1)
        // At most a quarter of the slots are taken, so an empty one ends the search.
        while let entry = slots[slot] {
            if RouteTable.areSame(entry.path.span, path) { return entry.match }
            slot = (slot + 1) & (slots.count - 1)
        }
        return findInTree(path)
    }

    private func findInTree(_ path: Span<UInt8>) -> RouteMatch {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(path.count)
        for index in path.indices { bytes.append(path[index]) }
        let text = String(decoding: bytes, as: UTF8.self)
        let decoded = bytes.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false).map {
            PercentEncoding.decode($0)
        }
        let segments = decoded.compactMap(\.self)
        guard segments.count == decoded.count else {
            return RouteMatch(kind: .malformed, access: fallback.access(text), path: text)
        }
        var values: [String] = []
        if let set = tree.find(segments.dropFirst(), &values) {
            return RouteMatch(kind: .known(set, values: values), access: set.access, path: text)
        }
        return RouteMatch(kind: .unknown(fallback.route), access: fallback.access(text), path: text)
    }

    /// Returns the FNV-1a hash of a path.
    ///
    /// The table contains only the server's own paths, so clients cannot cause collisions in it.
    private static func hash(_ path: Span<UInt8>) -> Int {
        var hash: UInt64 = 0xCBF2_9CE4_8422_2325
        for index in path.indices { hash = (hash ^ UInt64(path[index])) &* 0x0000_0100_0000_01B3 }
        return Int(truncatingIfNeeded: (hash ^ hash >> 32) & 0x7FFF_FFFF)
    }

    private static func areSame(_ one: Span<UInt8>, _ other: Span<UInt8>) -> Bool {
        guard one.count == other.count else { return false }
        for index in one.indices where one[index] != other[index] { return false }
        return true
    }
}
