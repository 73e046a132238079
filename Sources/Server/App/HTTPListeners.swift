internal import HTTPServer
internal import JSON
internal import Synchronization

/// The HTTP listeners of an instance: the public one and, if configured, those for administrators and Prometheus.
struct HTTPListeners: Sendable {
    /// Scheme, host and port of the public listener; `http://unix:PATH` for a Unix socket.
    let url: String
    /// The address of the admin listener, such as `127.0.0.1:9199` or `unix:PATH`; `nil` without one.
    let adminAddress: String?
    /// The address of the metrics listener; `nil` without one.
    let metricsAddress: String?
    private let server: HTTPServer.Server
    private let adminServer: HTTPServer.Server?
    private let metricsServer: HTTPServer.Server?

    /// Starts to listen.
    ///
    /// - Parameters:
    ///   - configuration: the addresses and limits.
    ///   - services: the node's services.
    ///   - router: the routes of the public listener.
    ///   - idleTimeout: the maximum time without data on a connection of the public listener; `nil` for the default.
    /// - Throws: an error that says which address cannot be listened on, and why. Then no listener is left.
    init(_ configuration: Configuration, _ services: Services, _ router: Router, idleTimeout: Duration?) throws {
        func server(_ http: HTTPConfiguration, _ router: Router) -> HTTPServer.Server {
            HTTPServer.Server(
                configuration: http,
                router: router,
                errorResponse: services.errorResponse,
                onEvent: { [sampler = services.sampler] event in Self.log(event, to: sampler) },
                onAnswer: { [logger = services.logger] answer in
                    if logger.logsRequests { Self.log(answer, to: logger) }
                }
            )
        }
        var http = try configuration.http()
        if let idleTimeout { http.idleTimeout = idleTimeout }
        let main = server(http, router)
        let others = Mutex<[(listener: ListenerName, server: HTTPServer.Server)]>([])
        let page = MetricsPage(
            services: services,
            connections: {
                [("main", main.connectionCount)]
                    + others.withLock(\.self).map { ($0.listener.rawValue, $0.server.connectionCount) }
            },
            certificateExpiry: { main.certificateExpiry }
        )
        let admin = try configuration.adminHTTP().map { server($0, services.adminRouter(from: router, page)) }
        let metrics = try configuration.metricsHTTP().map { server($0, services.metricsRouter(page, from: router)) }
        (self.server, adminServer, metricsServer) = (main, admin, metrics)
        var started: [HTTPServer.Server] = []
        do {
            adminAddress = try admin?.start().description
            if let admin { started.append(admin) }
            metricsAddress = try metrics?.start().description
            if let metrics { started.append(metrics) }
            let address = try main.start()
            url = "\(configuration.tls == nil ? "http" : "https")://\(address)"
        } catch {
            for server in started { server.stop(within: .zero) }
            throw error
        }
        let running = [(ListenerName.admin, admin), (.metrics, metrics)].compactMap { name, server in
            server.map { (listener: name, server: $0) }
        }
        others.withLock { $0 = running }
    }

    /// Reads the certificate of the public listener again; `nil` without TLS, or if it has not changed.
    ///
    /// - Throws: an error that says what is wrong with the files.
    func readCertificate(_ configuration: Configuration) throws -> NewCertificate? {
        try server.readCertificate(
            configuration.tls.map { HTTPConfiguration.TLS(certificateFile: $0.certificate, keyFile: $0.key) }
        )
    }

    /// Uses the limits of another configuration from now on.
    func use(_ configuration: Configuration) {
        server.limitConnections(perAddress: configuration.clientLimits.connections)
    }

    /// Whether every thread of both listeners answers within the given time.
    func answers(within patience: Duration) -> Bool {
        let deadline = ContinuousClock.now + patience
        guard server.answers(within: patience) else { return false }
        return adminServer?.answers(within: max(.milliseconds(1), deadline - .now)) ?? true
    }

    /// Accepts no more connections, and waits for running requests, in total at most for `patience`.
    func stop(within patience: Duration) {
        let deadline = ContinuousClock.now + patience
        adminServer?.stop(within: patience)
        server.stop(within: max(.zero, deadline - .now))
        // Last, so that the stop can be watched.
        metricsServer?.stop(within: max(.zero, deadline - .now))
    }

    /// Logs a request by the name of its route, which contains nothing that the client chose.
    private static func log(_ answer: AnsweredRequest, to logger: Log) {
        logger(
            "request",
            ("method", .string(answer.method.rawValue)),
            ("route", .string(answer.route)),
            ("status", .number(JSONNumber(Int64(answer.status)))),
            ("microseconds", .number(JSONNumber(Int64(answer.nanoseconds / 1000))))
        )
    }

    /// Logs an event of a listener, without client addresses, because they are personal data.
    private static func log(_ event: ServerEvent, to sampler: LogSampler) {
        switch event {
        case .handlerFailed: break  // `errorResponse` logs what matters.
        case .responseRefused(let method, let path):
            sampler("http.response-refused", detail: "\(method.rawValue) \(path)")
        case .deadlinePassed: sampler("http.deadline-passed")
        case .addressRefused: sampler("http.address-refused", detail: "limits.connectionsPerClient")
        case .connectionsEvicted: sampler("http.connections-evicted")
        case .library(let text): sampler("http.library", detail: text)
        }
    }
}
