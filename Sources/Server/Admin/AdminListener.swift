package import HTTPServer
internal import Network

extension ListenerName {
    /// The listener for administrators' programs on this machine, where `Bearer owner` suffices.
    package static let admin = ListenerName(rawValue: "admin")
    /// The listener for Prometheus.
    package static let metrics = ListenerName(rawValue: "metrics")
}

extension Services {
    /// The routes of the admin listener: only the calls that name the project in their path, the console with the logo of
    /// its pages, and `/metrics`.
    ///
    /// The listener refuses requests of web pages, through a proxy, or with an unknown host name.
    func adminRouter(from router: Router, _ page: MetricsPage) -> Router {
        let prefixes = Self.identityToolkitPrefixes.flatMap { prefix in
            ["\(prefix)/v1/projects/{", "\(prefix)/v2/projects/{"]
        }
        var closed = router.closed(behind: AdminListenerGate(configuration).check) { pattern in
            prefixes.contains { pattern.hasPrefix($0) } || ConsolePath.contains(pattern)
                || pattern.hasPrefix("/auth/logo.")
        }
        add(page, to: &closed)
        closed.setFallback { _ in throw RequestError.notFound }
        return closed
    }
}

/// Restricts the admin listener to local programs and to the console in a browser, because it requires no secret.
struct AdminListenerGate: Sendable {
    private let hosts: Set<String>

    /// Allows the host names `localhost`, `127.0.0.1` and `[::1]`, and the IP address in the setting `adminListen`.
    init(_ configuration: Configuration) {
        var hosts: Set = ["localhost", "127.0.0.1", "[::1]"]
        if let address = configuration.adminListen.flatMap(ListenAddress.init), case .ip(let host, _) = address {
            hosts.insert(host.family == .v4 ? "\(host)" : "[\(host)]")
        }
        self.hosts = hosts
    }

    /// Refuses a request of a web page other than the console, through a proxy, or with an unknown host name.
    ///
    /// - Throws: ``RequestError`` `forbidden`, with the reason.
    func check(_ request: Request) throws {
        let origins = request.headers("origin")
        guard origins.isEmpty || isOfConsole(request, origins) else {
            throw RequestError.forbidden("The admin listener does not answer web pages.")
        }
        if let name = request.forwardingHeader {
            throw RequestError.forbidden(
                "The admin listener answers direct requests only, and this one came through a proxy (\(name))."
            )
        }
        guard hosts.contains(request.hostName) else {
            throw RequestError.forbidden("The admin listener answers to the names of this machine only.")
        }
    }

    /// Whether a request is for the console and from a page of this listener.
    ///
    /// Its host name is checked apart.
    private func isOfConsole(_ request: Request, _ origins: [String]) -> Bool {
        ConsolePath.contains(request.path) && origins == ["http://\(request.host.lowercased())"]
    }
}
