internal import CMicrohttpd
internal import Glibc
internal import Synchronization

/// An HTTP/1.1 server on one address.
///
///     let server = Server(configuration: HTTPConfiguration(listen: address), router: router) { error, request in … }
///     let bound = try server.start()
///     …
///     server.stop(within: .seconds(10))
///
/// Handlers run on the library's threads. A server starts once, and the code that started it must stop it.
package final class Server: Sendable {
    struct Running {
        let core: ServerCore
        let entrance: Entrance
        let daemon: Daemon
        let watchThread: WatchThread
    }

    private let configuration: HTTPConfiguration
    private let table: RouteTable
    private let errorResponse: @Sendable (any Error, Request) -> Response
    private let onEvent: @Sendable (ServerEvent) -> Void
    private let onAnswer: (@Sendable (AnsweredRequest) -> Void)?
    let running = Mutex<Running?>(nil)

    /// Creates a server without starting it.
    ///
    /// - Parameters:
    ///   - configuration: its address and limits.
    ///   - router: its routes.
    ///   - errorResponse: creates the response to an error of a handler or an `HTTPError` of the server itself. The
    ///     request may be incomplete then. It runs on the connection's thread.
    ///   - onEvent: receives events for the log, on any thread.
    ///   - onAnswer: receives each response to a request, on the connection's thread; `nil` for none.
    package init(
        configuration: HTTPConfiguration,
        router: Router,
        errorResponse: @escaping @Sendable (any Error, Request) -> Response,
        onEvent: @escaping @Sendable (ServerEvent) -> Void = { _ in },
        onAnswer: (@Sendable (AnsweredRequest) -> Void)? = nil
    ) {
        self.configuration = configuration
        table = RouteTable(router)
        self.errorResponse = errorResponse
        self.onEvent = onEvent
        self.onAnswer = onAnswer
    }

    /// Starts listening and serving.
    ///
    /// Raises the process's limit of open files as far as the system allows.
    ///
    /// - Returns: the address, with the port that the system chose for port 0.
    /// - Throws: `ServerStartError` if the server cannot listen on the address, the certificate or key cannot be used,
    ///   or the system has no thread or file descriptor left.
    package func start() throws(ServerStartError) -> ListenAddress {
        let fileLimit = Int(clamping: latchkey_http_raise_file_limit())
        // Databases, e-mail and logs need files too.
        let available = max(16, fileLimit - min(256, fileLimit / 4))
        let limit = min(configuration.maximumConnections, available)
        let threads = max(1, configuration.threads ?? sysconf(Int32(_SC_NPROCESSORS_ONLN)))
        let core = try ServerCore(
            configuration: configuration,
            table: table,
            threads: threads,
            connectionLimit: limit,
            errorResponse: errorResponse,
            onEvent: onEvent,
            onAnswer: onAnswer
        )
        let socket = try ListeningSocket(configuration.listen)
        let daemon: Daemon
        do {
            daemon = try Daemon(core: core, threads: threads, connectionLimit: limit)
        } catch {
            socket.close()
            throw error
        }
        let entrance = Entrance(core: core, daemon: daemon, socket: socket)
        do {
            let thread = try core.watch.start(socket, admitting: entrance)
            running.withLock { running in
                running = Running(core: core, entrance: entrance, daemon: daemon, watchThread: thread)
            }
        } catch {
            daemon.stop()
            socket.close()
            throw error
        }
        return socket.address
    }

    /// The number of open connections, for metrics; 0 if the server does not run.
    package var connectionCount: Int {
        running.withLock { $0?.core.registry.count ?? 0 }
    }

    /// When the certificate of new connections expires, in seconds since 1970; `nil` without TLS, or if the server does
    /// not run.
    package var certificateExpiry: Int64? {
        running.withLock { $0?.core.certificates.current?.expiry }
    }

    /// Reads the files of the certificate again, for connections that begin after ``NewCertificate/use()``.
    ///
    /// - Returns: the new certificate; `nil` without TLS, if the content of the files is that of the current
    ///   certificate, or if the server does not run.
    /// - Throws: `ServerStartError` if a file cannot be read or parsed, or the key is not the certificate's.
    package func readCertificate(_ tls: HTTPConfiguration.TLS?) throws(ServerStartError) -> NewCertificate? {
        guard let tls, let core = running.withLock({ $0?.core }), let current = core.certificates.current else {
            return nil
        }
        let certificate = try Certificate(tls)
        return certificate.isSame(as: current) ? nil : NewCertificate(certificate: certificate, core: core)
    }

    /// Changes the maximum number of connections of one client, for connections from now on.
    package func limitConnections(perAddress limit: Int) {
        running.withLock { $0?.core.connectionsPerAddress.store(limit, ordering: .relaxed) }
    }

    /// Stops the server: accepts no more connections, finishes running requests, asks streams to end, then closes
    /// everything.
    ///
    /// The call blocks until everything is closed, so do not call it from a handler or the cooperative pool. Later
    /// calls do nothing.
    ///
    /// - Parameter patience: the time limit for running requests and streams. Requests that are still suspended then
    ///   are answered 503.
    package func stop(within patience: Duration) {
        guard let running = running.withLock({ $0.take() }) else { return }
        let core = running.core
        core.isDraining.store(true, ordering: .sequentiallyConsistent)
        drain(running, until: Moment.after(patience))
        core.sleepers.close()
        for record in core.registry.all {
            switch record.current {
            case .nothing: break
            case .request(let suspension): suspension.complete { throw HTTPError.stopping }
            case .stream(let stream): stream.abort()
            }
        }
        // Their threads need a moment to send those responses. No connection may be suspended when the library stops.
        let end = Moment.now + 1000
        while core.sleepers.count > 0 || (Moment.now < end && isBusy(core)) { usleep(1000) }
        running.daemon.stop()
        core.watch.stop()
        running.watchThread.join()
    }

    private func drain(_ running: Running, until deadline: Int64) {
        let core = running.core
        running.entrance.close()
        for record in core.registry.all {
            if case .stream(let stream) = record.current { stream.stop() }
        }
        // A thread registers a connection that it was handed within a second, or never.
        let registered = min(Moment.now + 1000, deadline)
        while Moment.now < deadline,
            core.registry.registeredCount > 0 || (Moment.now < registered && core.registry.count > 0)
        {
            // A client that just got a response may have sent its next request. A third of a second of silence is
            // enough. A client that just connected gets longer: HTTP clients repeat a request on a new connection if an
            // old one closes, and report a failure if a new one does (RFC 9110, section 9.2.2; RFC 9112, section 9.3.1).
            core.registry.endIdle(since: Moment.now - 300, new: Moment.now - 2000)
            usleep(5000)
        }
    }

    private func isBusy(_ core: ServerCore) -> Bool {
        core.registry.all.contains { record in
            if case .stream = record.current { return false }
            return record.isBusy.load(ordering: .acquiring)
        }
    }
}

/// A certificate that was read and checked, and is not used yet.
package struct NewCertificate: Sendable {
    fileprivate let certificate: Certificate
    fileprivate let core: ServerCore

    /// When it expires, in seconds since 1970.
    package var expiry: Int64 { certificate.expiry }

    /// Uses the certificate for connections that begin from now on.
    package func use() {
        core.certificates.replace(certificate)
    }
}
