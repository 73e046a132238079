internal import CMicrohttpd
internal import Glibc

/// A running libmicrohttpd with its threads.
///
/// `stop` ends it.
@safe struct Daemon: @unchecked Sendable {  // Two pointers; the library lets any one thread use its daemon.
    /// The library's memory for one connection: request head, response head and reading buffer.
    ///
    /// The size is more than twice the longest head, so that there is always room for the response. Above 32 KiB, the
    /// library maps the memory from the system and returns it. The heap had kept most of the memory of 10 000
    /// connections after their end.
    private static let connectionMemory = 36 << 10

    private let pointer: OpaquePointer
    private let core: Unmanaged<ServerCore>

    /// Starts the threads.
    ///
    /// - Parameters:
    ///   - core: the state that the connections share.
    ///   - socket: the listening socket.
    ///   - threads: the number of serving threads.
    ///   - connectionLimit: the maximum number of connections.
    /// - Throws: `ServerStartError` if threads cannot be created.
    init(core: ServerCore, socket: ListeningSocket, threads: Int, connectionLimit: Int) throws(ServerStartError) {
        let retained = unsafe Unmanaged.passRetained(core)  // Released by `stop`.
        var settings = unsafe latchkey_http_settings()
        unsafe settings.context = retained.toOpaque()
        unsafe settings.listening_socket = socket.descriptor
        unsafe settings.threads = UInt32(clamping: threads)
        unsafe settings.connection_limit = UInt32(clamping: connectionLimit)
        let idle = Moment.milliseconds(core.configuration.idleTimeout)
        unsafe settings.idle_seconds = UInt32(clamping: max(1, (idle + 999) / 1000))
        unsafe settings.connection_memory = Daemon.connectionMemory
        unsafe settings.accept = latchkey_http_accept
        unsafe settings.handle = latchkey_http_handle
        unsafe settings.begin = latchkey_http_begin
        unsafe settings.complete = latchkey_http_complete
        unsafe settings.notify = latchkey_http_notify
        unsafe settings.log = latchkeyHTTPLog
        if core.certificates.current != nil { unsafe settings.retrieve = latchkey_http_retrieve }
        let started = unsafe latchkey_http_start(&settings)
        guard let pointer = unsafe started else {
            unsafe retained.release()
            throw ServerStartError("cannot start the HTTP library")
        }
        unsafe self.pointer = unsafe pointer
        unsafe self.core = unsafe retained
    }

    /// Serves a connection that was accepted elsewhere, or closes it and returns false if the library rejects it.
    func add(_ socket: Int32, _ address: UnsafePointer<sockaddr>, _ length: socklen_t) -> Bool {
        unsafe MHD_add_connection(pointer, socket, address, length) == .YES
    }

    /// Ends all connections and threads, and closes the listening socket.
    ///
    /// No connection may be suspended, because the library would abort the process.
    func stop() {
        unsafe MHD_stop_daemon(pointer)
        unsafe core.release()
    }
}
