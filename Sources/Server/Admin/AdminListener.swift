package import HTTPServer
internal import Network

extension ListenerName {
    /// The listener for administrators' programs on this machine, where `Bearer owner` is enough.
    package static let admin = ListenerName(rawValue: "admin")
}

extension Services {
    /// What the admin listener answers: those calls of everything that name the project in their path, and nothing else.
    ///
    /// Web pages have no part in it: it refuses what a browser, a proxy or a foreign name would bring.
    func adminRouter(from router: Router) -> Router {
        let prefixes = Self.identityToolkitPrefixes.flatMap { prefix in
            ["\(prefix)/v1/projects/{", "\(prefix)/v2/projects/{"]
        }
        var closed = router.closed(behind: AdminListenerGate(configuration).check) { pattern in
            prefixes.contains { pattern.hasPrefix($0) }
        }
        closed.setFallback { _ in throw RequestError.notFound }
        return closed
    }
}

/// Keeps the admin listener to programs that mean it, since it asks for no secret.
struct AdminListenerGate: Sendable {
    private let hosts: Set<String>

    /// Allows the loopback names and the address that the listener has.
    init(_ configuration: Configuration) {
        var hosts: Set = ["localhost", "127.0.0.1", "[::1]"]
        if let address = configuration.adminListen.flatMap(ListenAddress.init), case .ip(let host, _) = address {
            hosts.insert(host.family == .v4 ? "\(host)" : "[\(host)]")
        }
        self.hosts = hosts
    }

    /// Judges a request by its head.
    ///
    /// - Throws: ``RequestError`` `forbidden`, with the reason.
    func check(_ request: Request) throws {
        guard request.header("origin") == nil else {
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
}
