internal import CMicrohttpd
internal import Glibc

/// A running libmicrohttpd with its threads, which serve the connections that it is given.
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
    /// The number of serving threads.
    let threads: Int

    /// Starts the threads.
    ///
    /// - Parameters:
    ///   - core: the state that the connections share.
    ///   - threads: the number of serving threads.
    ///   - connectionLimit: the maximum number of connections that are served at a time.
    /// - Throws: `ServerStartError` if threads cannot be created.
    init(core: ServerCore, threads: Int, connectionLimit: Int) throws(ServerStartError) {
        let retained = unsafe Unmanaged.passRetained(core)  // Released by `stop`.
        var settings = unsafe latchkey_http_settings()
        unsafe settings.context = retained.toOpaque()
        unsafe settings.threads = UInt32(clamping: threads)
        // The library's limit is for each thread, and a thread that reaches it stops for ever: the library (0.9.75,
        // new_connection_process_) leaves a mutex locked. So `Entrance` keeps the limit, and the library's is out of reach.
        let unreachable = (connectionLimit &* 2 &+ 4096) &* threads
        unsafe settings.connection_limit = UInt32(clamping: unreachable)
        let idle = Moment.milliseconds(core.configuration.idleTimeout)
        unsafe settings.idle_seconds = UInt32(clamping: max(1, (idle + 999) / 1000))
        unsafe settings.connection_memory = Daemon.connectionMemory
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
        self.threads = threads
    }

    /// Serves a connection, or closes it and returns false if the library rejects it.
    ///
    /// The library offers it first to the thread whose index is the descriptor modulo the number of threads.
    func add(_ socket: Int32, _ address: UnsafePointer<sockaddr>, _ length: socklen_t) -> Bool {
        unsafe MHD_add_connection(pointer, socket, address, length) == .YES
    }

    /// Returns the same socket under a number that leads the library to a thread, or as it is if few tries find none.
    ///
    /// All low numbers of the thread may be in use, as when most connections of the other threads have just ended. So each
    /// try starts twice as far away as the one before.
    static func descriptor(_ socket: Int32, thread: Int, of threads: Int) -> Int32 {
        guard Int(socket) % threads != thread else { return socket }
        let first = Int(socket) + (thread + threads - Int(socket) % threads) % threads
        for attempt in 0..<16 {
            let number = latchkey_http_duplicate(socket, Int32(clamping: first + threads * ((1 << attempt) - 1)))
            // The system has no such number left.
            guard number >= 0 else { break }
            guard Int(number) % threads == thread else {
                close(number)
                continue
            }
            close(socket)
            return number
        }
        return socket
    }

    /// Ends all connections and threads.
    ///
    /// No connection may be suspended, because the library would abort the process.
    func stop() {
        unsafe MHD_stop_daemon(pointer)
        unsafe core.release()
    }
}
