internal import HTTPServer

/// Restricts development mode to direct requests with a known host name, because every caller can act as an
/// administrator there.
struct DevelopmentGuard: Sendable {
    private let hosts: Set<String>

    /// Allows the loopback names, the Android emulator's address of its host, and the host names that the operator
    /// adds.
    init(additionalHosts: [String]) {
        hosts = Set(["localhost", "127.0.0.1", "[::1]", "10.0.2.2"] + additionalHosts.map { $0.lowercased() })
    }

    /// Refuses requests that came through a proxy, and those with an unknown host name, which may be DNS rebinding.
    ///
    /// - Throws: ``RequestError`` `forbidden`, with the reason.
    func check(_ request: Request) throws {
        if let name = request.forwardingHeader {
            throw RequestError.forbidden(
                "Development mode answers direct requests only, and this one came through a proxy (\(name)); "
                    + "run production mode behind a proxy."
            )
        }
        guard hosts.contains(request.hostName) else {
            throw RequestError.forbidden(
                "Development mode answers to localhost, 127.0.0.1, [::1] and 10.0.2.2 only; "
                    + "add other names to the setting developmentHosts."
            )
        }
    }
}

extension Request {
    /// The name of the first header field that only a proxy adds, such as `X-Forwarded-For`; `nil` without one.
    var forwardingHeader: String? {
        headers.map(\.name).first { name in
            let name = name.lowercased()
            return Self.forwardingHeaders.contains(name) || name.hasPrefix("x-forwarded-")
        }
    }

    private static let forwardingHeaders: Set<String> = [
        "forwarded", "x-real-ip", "via", "x-forwarded", "cf-connecting-ip", "true-client-ip", "x-client-ip",
    ]

    /// The host name in the request's `Host`, in lower case and without port.
    var hostName: String {
        let host = host.lowercased()
        guard let colon = host.lastIndex(of: ":"), host.last != "]" else { return host }
        return String(host[..<colon])
    }
}
