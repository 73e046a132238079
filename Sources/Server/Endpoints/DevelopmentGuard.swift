internal import HTTPServer

/// Keeps development mode to this machine: everyone who reaches it is an administrator.
struct DevelopmentGuard: Sendable {
    private let hosts: Set<String>

    /// Allows the loopback names, the Android emulator's name for its host, and what the operator adds.
    init(additionalHosts: [String]) {
        hosts = Set(["localhost", "127.0.0.1", "[::1]", "10.0.2.2"] + additionalHosts.map { $0.lowercased() })
    }

    /// Refuses what came through a proxy or by a strange name, as DNS rebinding would.
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
    /// The name of a header field that only a proxy adds.
    var forwardingHeader: String? {
        headers.map(\.name).first { name in
            let name = name.lowercased()
            return Self.forwardingHeaders.contains(name) || name.hasPrefix("x-forwarded-")
        }
    }

    private static let forwardingHeaders: Set<String> = [
        "forwarded", "x-real-ip", "via", "x-forwarded", "cf-connecting-ip", "true-client-ip", "x-client-ip",
    ]

    /// The host that the client meant, in lower case and without port.
    var hostName: String {
        let host = host.lowercased()
        guard let colon = host.lastIndex(of: ":"), host.last != "]" else { return host }
        return String(host[..<colon])
    }
}
