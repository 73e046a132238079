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
/// Handlers run in the library's threads. A server starts once; whoever starts it stops it.
package final class Server: Sendable {
    private struct Running {
        let core: ServerCore
        let socket: ListeningSocket
        let daemon: Daemon
        let watchThread: WatchThread
        /// With fewer connections than this none of the threads is near its limit.
        let roomyCount: Int
    }

    private let configuration: HTTPConfiguration
    private let table: RouteTable
    private let errorResponse: @Sendable (any Error, Request) -> Response
    private let onEvent: @Sendable (ServerEvent) -> Void
    private let running = Mutex<Running?>(nil)

    /// Makes a server that does not run yet.
    ///
    /// - Parameters:
    ///   - configuration: where it listens and what it bears.
    ///   - router: what it answers.
    ///   - errorResponse: the answer to what a handler threw and to an `HTTPError` of the server's own; the request may be
    ///     incomplete then. It runs in the connection's thread.
    ///   - onEvent: takes what belongs into a log, from any thread.
    package init(
        configuration: HTTPConfiguration,
        router: Router,
        errorResponse: @escaping @Sendable (any Error, Request) -> Response,
        onEvent: @escaping @Sendable (ServerEvent) -> Void = { _ in }
    ) {
        self.configuration = configuration
        table = RouteTable(router)
        self.errorResponse = errorResponse
        self.onEvent = onEvent
    }

    /// Starts to listen and to serve.
    ///
    /// Raises the process's limit of open files as far as the system lets it.
    ///
    /// - Returns: the address, with the port that the system chose for port 0.
    /// - Throws: `ServerStartError` when the address is taken or a certificate cannot be used.
    package func start() throws(ServerStartError) -> ListenAddress {
        let fileLimit = Int(clamping: latchkey_http_raise_file_limit())
        // Databases, mail and logs need files too.
        let available = max(16, fileLimit - min(256, fileLimit / 4))
        let limit = min(configuration.maximumConnections, available)
        let core = try ServerCore(
            configuration: configuration,
            table: table,
            connectionLimit: limit,
            errorResponse: errorResponse,
            onEvent: onEvent
        )
        let threads = max(1, configuration.threads ?? sysconf(Int32(_SC_NPROCESSORS_ONLN)))
        let socket = try ListeningSocket(configuration.listen)
        let daemon: Daemon
        do {
            daemon = try Daemon(core: core, socket: socket, threads: threads, connectionLimit: limit)
        } catch {
            socket.closeIfOpen()
            throw error
        }
        do {
            let thread = try core.watch.start()
            running.withLock { running in
                running = Running(
                    core: core,
                    socket: socket,
                    daemon: daemon,
                    watchThread: thread,
                    roomyCount: limit / threads - 32
                )
            }
        } catch {
            daemon.stop()
            socket.removeFile()
            throw error
        }
        return socket.address
    }

    /// Open connections, for metrics.
    package var connectionCount: Int {
        running.withLock { $0?.core.registry.count ?? 0 }
    }

    /// Stops: takes no more connections, finishes what runs, asks streams to end, then closes everything.
    ///
    /// Returns when all is closed; waits, so not from a handler or the cooperative pool. Later calls do nothing.
    ///
    /// - Parameter patience: how long running requests and streams may take. What is suspended then is answered 503.
    package func stop(within patience: Duration) {
        guard let running = running.withLock({ $0.take() }) else { return }
        let core = running.core
        core.isDraining.store(true, ordering: .sequentiallyConsistent)
        drain(running, until: Moment.after(patience))
        core.sleepers.close()
        for record in core.registry.all {
            switch record.current {
            case .nobody: break
            case .request(let suspension): suspension.complete { throw HTTPError.stopping }
            case .stream(let stream): stream.abort()
            }
        }
        // Their threads need a moment to send those answers; nobody may be asleep when the library stops.
        let end = Moment.now + 1000
        while core.sleepers.count > 0 || (Moment.now < end && isBusy(core)) { usleep(1000) }
        running.daemon.stop()
        running.socket.removeFile()
        core.watch.stop()
        running.watchThread.join()
    }

    private func drain(_ running: Running, until deadline: Int64) {
        let core = running.core
        var isSilent = closeEntrance(running)
        for record in core.registry.all {
            if case .stream(let stream) = record.current { stream.stop() }
        }
        while Moment.now < deadline, core.registry.count > 0 {
            if !isSilent { isSilent = closeEntrance(running) }
            // A client that was just answered may have its next request on the way; a third of a second of silence is enough.
            core.registry.endIdle(since: Moment.now - 300)
            usleep(5000)
        }
    }

    /// Takes no more connections; false when there are too many for doing it in silence.
    private func closeEntrance(_ running: Running) -> Bool {
        let core = running.core
        running.socket.dropNew()
        // Clients that the system already greeted are served.
        while core.registry.count < running.roomyCount,
            unsafe running.socket.acceptWaiting({ unsafe running.daemon.add($0, $1, $2) })
        {}
        guard core.registry.count < running.roomyCount else {
            core.isClosed.store(true, ordering: .sequentiallyConsistent)
            return false
        }
        running.socket.silence()
        return true
    }

    private func isBusy(_ core: ServerCore) -> Bool {
        core.registry.all.contains { record in
            if case .stream = record.current { return false }
            return record.isBusy.load(ordering: .acquiring)
        }
    }
}
