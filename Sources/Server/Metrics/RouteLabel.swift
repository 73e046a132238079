internal import Glibc

/// The names of routes in metrics.
enum RouteLabel {
    /// The name of requests for unknown paths.
    static let unmatched = "unmatched"
    /// The name of all calls of Identity Toolkit that Latchkey does not implement.
    static let notBuilt = "not-built"

    /// Parts of the patterns of calls that Latchkey does not implement.
    private static let unsupported = [
        "/tenants", "IdpConfigs", "SamlConfigs", "identityPlatform", ":queryAccounts", "mfa", "passkey",
    ]

    /// Returns the name of the route with a pattern.
    ///
    /// The calls of the API keep their patterns, without the host that SDKs put before them. Other routes share the
    /// first segment of their patterns, so that the number of names stays small.
    static func of(_ pattern: String) -> String {
        guard !pattern.isEmpty else { return unmatched }
        var path = pattern[...]
        for host in hosts where path.utf8.starts(with: host.utf8) {
            path = path[path.utf8.index(path.startIndex, offsetBy: host.utf8.count)...]
        }
        if isUnsupported(path) { return notBuilt }
        let segments = path.utf8.split(separator: UInt8(ascii: "/"))
        guard let first = segments.first.map({ Substring($0) }) else { return "/" }
        if first == "v1" || first == "auth" { return String(path) }
        return first == "v2" && segments.count > 2 ? String(path) : "/\(first)"
    }

    private static let hosts = ["/identitytoolkit.googleapis.com", "/securetoken.googleapis.com"]

    /// Each start calls this for every route, and Swift's own `contains` took a tenth of a start.
    private static func isUnsupported(_ path: Substring) -> Bool {
        unsafe path.withCString { path in unsupported.contains { unsafe strstr(path, $0) != nil } }
    }
}
