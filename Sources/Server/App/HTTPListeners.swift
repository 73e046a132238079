internal import HTTPServer

/// The HTTP listeners of an instance: the public one and, if configured, the one for administrators.
struct HTTPListeners: Sendable {
    /// Scheme, host and port of the public listener; `http://unix:PATH` for a Unix socket.
    let url: String
    /// The address of the admin listener, such as `127.0.0.1:9199` or `unix:PATH`; `nil` without one.
    let adminAddress: String?
    private let server: HTTPServer.Server
    private let adminServer: HTTPServer.Server?

    /// Starts to listen.
    ///
    /// - Throws: an error that says which address cannot be listened on, and why. Then neither listener is left.
    init(_ configuration: Configuration, _ services: Services, _ router: Router) throws {
        func server(_ http: HTTPConfiguration, _ router: Router) -> HTTPServer.Server {
            HTTPServer.Server(
                configuration: http,
                router: router,
                errorResponse: services.errorResponse,
                onEvent: { [sampler = services.sampler] event in Self.log(event, to: sampler) }
            )
        }
        let adminRouter = services.adminRouter(from: router)
        adminServer = try configuration.adminHTTP().map { server($0, adminRouter) }
        self.server = server(try configuration.http(), router)
        adminAddress = try adminServer?.start().description
        do {
            let address = try self.server.start()
            url = "\(configuration.tls == nil ? "http" : "https")://\(address)"
        } catch {
            adminServer?.stop(within: .zero)
            throw error
        }
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
