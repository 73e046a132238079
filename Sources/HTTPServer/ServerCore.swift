internal import Network
internal import Synchronization

/// The state that a server's connections share.
final class ServerCore: Sendable {
    let configuration: HTTPConfiguration
    let certificates: Certificates
    /// The maximum number of connections of one client, which may change while the server runs; 0 for no limit.
    let connectionsPerAddress: Atomic<Int>
    let table: RouteTable
    let registry: ConnectionRegistry
    let room: ConnectionRoom
    let sleepers = Sleepers()
    let watch: Watch
    /// The waits of requests for their threads.
    let lag: Mutex<ArrivalLag>
    /// Whether more requests arrive than the server can answer (``ArrivalLag/isStanding``).
    let isLagging = Atomic(false)
    /// Whether the server is about to stop.
    ///
    /// Every response then closes its connection.
    let isDraining = Atomic(false)
    let onEvent: @Sendable (ServerEvent) -> Void
    /// Receives each answered request; `nil` if no caller needs it.
    let onAnswer: (@Sendable (AnsweredRequest) -> Void)?
    /// Makes the tags of this server's requests different from those of others.
    let tagSeed = UInt64.random(in: .min ... .max)
    private let errorResponse: @Sendable (any Error, Request) -> Response

    init(
        configuration: HTTPConfiguration,
        table: RouteTable,
        threads: Int,
        connectionLimit: Int,
        errorResponse: @escaping @Sendable (any Error, Request) -> Response,
        onEvent: @escaping @Sendable (ServerEvent) -> Void,
        onAnswer: (@Sendable (AnsweredRequest) -> Void)? = nil
    ) throws(ServerStartError) {
        self.configuration = configuration
        certificates = Certificates(try configuration.tls.map { tls throws(ServerStartError) in try Certificate(tls) })
        connectionsPerAddress = Atomic(configuration.maximumConnectionsPerAddress ?? 0)
        lag = Mutex(ArrivalLag(configuration.lag))
        self.table = table
        let registry = ConnectionRegistry(shares: configuration.networkShares, threads: threads)
        let room = ConnectionRoom(registry: registry, limit: connectionLimit, onEvent: onEvent)
        self.registry = registry
        self.room = room
        self.errorResponse = errorResponse
        self.onEvent = onEvent
        self.onAnswer = onAnswer
        watch = try Watch(registry: registry, onTick: room.keep) { record in
            switch record.current {
            case .nothing: onEvent(.deadlinePassed(record.address))
            case .request(let suspension): suspension.complete { throw HTTPError.overdue }
            case .stream(let stream): stream.abort()
            }
        }
    }

    /// Whether the server listens on a Unix-domain socket.
    var listensOnFile: Bool {
        if case .unix = configuration.listen { true } else { false }
    }

    /// Whether another connection from this address is accepted: it is that of a trusted proxy or of an exempt client, or
    /// the address and the networks around it are below their limits (if there are limits).
    func admits(_ address: IPAddress) -> Bool {
        let limit = connectionsPerAddress.load(ordering: .relaxed)
        guard limit > 0,
            !ClientAddress.isTrusted(address, configuration.trustedProxies)
        else { return true }
        return registry.hasRoom(for: address, limit: limit) || table.clients?.isExempt(address) ?? false
    }

    /// Returns the configured header fields that a response does not set itself.
    func defaultHeaders(of response: Response) -> [(name: String, value: String)] {
        configuration.defaultHeaders.filter { response.header($0.name) == nil }
    }

    /// Returns the response to an error, with `Allow` if the error lists methods.
    ///
    /// Reports an error other than an `HTTPError` as ``ServerEvent/handlerFailed(_:method:path:)``.
    func response(to error: any Error, _ request: Request) -> Response {
        var response = errorResponse(error, request)
        guard let error = error as? HTTPError else {
            onEvent(.handlerFailed(error, method: request.method, path: request.path))
            return response
        }
        if !error.allowedMethods.isEmpty, response.header("Allow") == nil {
            response.headers.append(("Allow", error.allowedMethods.map(\.rawValue).joined(separator: ", ")))
        }
        return response
    }
}
