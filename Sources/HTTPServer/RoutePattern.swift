/// The parser of route patterns.
enum RoutePattern {
    /// One piece of a pattern between slashes.
    enum Segment: Hashable, Sendable {
        case literal(String)
        case parameter(name: String, suffix: String)

        var parameterName: String? {
            guard case .parameter(let name, _) = self else { return nil }
            return name
        }
    }

    /// Splits a pattern at slashes.
    ///
    /// An empty segment after a final slash counts, so `/a` and `/a/` are different paths.
    static func segments(_ pattern: String) -> [Segment] {
        pattern.utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false).dropFirst().map { bytes in
            let text = Substring(bytes)
            guard text.first == "{", let end = text.firstIndex(of: "}") else { return .literal(String(text)) }
            let name = text[text.index(after: text.startIndex)..<end]
            return .parameter(name: String(name), suffix: String(text[text.index(after: end)...]))
        }
    }
}
