internal import CMicrohttpd
internal import Glibc
internal import Synchronization

/// Runs the server's only thread besides libmicrohttpd's.
///
/// The thread accepts connections, enforces deadlines, calls `onTick` about every 200 ms, notices clients that leave a
/// stream, and lingers on closed connections whose clients may still be sending.
final class Watch: Sendable {
    private struct Lingering {
        let socket: Int32
        let deadline: Int64
    }

    private struct State {
        var lingering: [UInt64: Lingering] = [:]
        /// The last number of a lingering socket; the first is 2.
        var lastID: UInt64 = 1
        var isStopping = false
        /// Where connections come in.
        var entrance: Entrance?
    }

    /// The maximum time for which a closed connection still reads from a client that is sending, in milliseconds.
    ///
    /// The client can then read the response instead of getting a reset.
    private static let lingerTime: Int64 = 2000
    private static let lingerLimit = 512
    private static let tick: Int32 = 200
    /// How long a server that has no room waits before it accepts connections again, in milliseconds.
    private static let fullPause: Int32 = 10
    /// The tag of the wake-up event.
    ///
    /// Tags identify the source of an event: those of streams are even, those of lingering sockets are odd from 5.
    private static let wakeUpTag: UInt64 = 1
    /// The tag of the listening socket.
    private static let entranceTag: UInt64 = 3

    private let epoll: Int32
    private let wakeUp: Int32
    private let state = Mutex(State())
    private let registry: ConnectionRegistry
    private let onTick: @Sendable () -> Void
    private let onDeadline: @Sendable (ConnectionRecord) -> Void

    init(
        registry: ConnectionRegistry,
        onTick: @escaping @Sendable () -> Void,
        onDeadline: @escaping @Sendable (ConnectionRecord) -> Void
    ) throws(ServerStartError) {
        epoll = epoll_create1(Int32(EPOLL_CLOEXEC))
        wakeUp = eventfd(0, Int32(EFD_CLOEXEC | EFD_NONBLOCK))
        self.registry = registry
        self.onTick = onTick
        self.onDeadline = onDeadline
        guard epoll >= 0, wakeUp >= 0,
            latchkey_http_epoll_add(epoll, wakeUp, EPOLLIN.rawValue, Watch.wakeUpTag) == 0
        else { throw ServerStartError("no file descriptor for the server's own use") }
    }

    deinit {
        if epoll >= 0 { close(epoll) }
        if wakeUp >= 0 { close(wakeUp) }
    }

    /// Starts the thread.
    ///
    /// `stop` ends it.
    ///
    /// - Parameters:
    ///   - socket: the listening socket.
    ///   - entrance: accepts the connections that come in through it.
    func start(_ socket: ListeningSocket, admitting entrance: Entrance) throws(ServerStartError) -> WatchThread {
        let events = EPOLLIN.rawValue | EPOLLET.rawValue
        guard latchkey_http_epoll_add(epoll, socket.descriptor, events, Watch.entranceTag) == 0 else {
            throw ServerStartError("no file descriptor for the server's own use")
        }
        state.withLock { $0.entrance = entrance }
        var thread = pthread_t()
        let context = unsafe Unmanaged.passRetained(self)  // Released by `latchkey_http_watch`.
        guard unsafe pthread_create(&thread, nil, latchkey_http_watch, context.toOpaque()) == 0 else {
            unsafe context.release()
            throw ServerStartError("no thread for the server's own use")
        }
        return WatchThread(id: thread)
    }

    /// Ends the thread.
    ///
    /// The caller then joins it.
    func stop() {
        state.withLock { $0.isStopping = true }
        eventfd_write(wakeUp, 1)
    }

    /// Watches for the client of a stream to leave, and then ends the stream.
    ///
    /// Call it only while the connection is registered.
    func add(_ record: ConnectionRecord) {
        _ = latchkey_http_epoll_add(epoll, record.socket, EPOLLRDHUP.rawValue | EPOLLONESHOT.rawValue, record.id << 1)
    }

    func remove(_ record: ConnectionRecord) {
        _ = latchkey_http_epoll_remove(epoll, record.socket)
    }

    /// Sends the end of the response, and discards what the client still sends for up to two seconds.
    ///
    /// Call this method before the socket is closed. While 512 connections linger, it only sends the end.
    func linger(_ socket: Int32) {
        shutdown(socket, Int32(SHUT_WR))
        state.withLock { state in
            guard !state.isStopping, state.lingering.count < Watch.lingerLimit else { return }
            let copy = latchkey_http_duplicate(socket, 0)
            guard copy >= 0 else { return }
            state.lastID += 1
            let tag = state.lastID << 1 | 1
            guard latchkey_http_epoll_add(epoll, copy, EPOLLIN.rawValue | EPOLLRDHUP.rawValue, tag) == 0 else {
                close(copy)
                return
            }
            state.lingering[state.lastID] = Lingering(socket: copy, deadline: Moment.now + Watch.lingerTime)
        }
    }

    fileprivate func run() {
        let entrance = state.withLock(\.entrance)
        var nextTick = Moment.now
        var admission = Entrance.Admission.done
        while !state.withLock(\.isStopping) {
            let patience =
                switch admission {
                case .done: Watch.tick
                case .more: Int32(0)
                case .full: Watch.fullPause
                }
            let tag = latchkey_http_epoll_wait(epoll, patience)
            // The system reports each new connection once, so what was left over is accepted without a report.
            if let entrance, tag == Watch.entranceTag || admission != .done { admission = entrance.admit() }
            switch tag {
            case 0, Watch.wakeUpTag, Watch.entranceTag: break
            case _ where tag & 1 == 1: drain(tag >> 1)
            default: if case .stream(let stream)? = registry[tag >> 1]?.current { stream.hangUp() }
            }
            let now = Moment.now
            guard now >= nextTick else { continue }
            nextTick = now + Int64(Watch.tick)
            endLingering(before: now)
            for record in registry.overdue(at: now) { onDeadline(record) }
            onTick()
        }
        endLingering(before: .max)
        // The entrance has the server's state, to which this watch belongs.
        state.withLock { $0.entrance = nil }
    }

    private func drain(_ id: UInt64) {
        state.withLock { state in
            guard let lingering = state.lingering[id] else { return }
            var buffer = [UInt8](repeating: 0, count: 16 << 10)
            let count = unsafe recv(lingering.socket, &buffer, buffer.count, Int32(MSG_DONTWAIT))
            guard count <= 0, !(count < 0 && (errno == EAGAIN || errno == EINTR)) else { return }
            close(lingering.socket)
            state.lingering[id] = nil
        }
    }

    private func endLingering(before now: Int64) {
        state.withLock { state in
            for (id, lingering) in state.lingering where lingering.deadline <= now {
                close(lingering.socket)
                state.lingering[id] = nil
            }
        }
    }
}

/// The watch's thread, to be joined.
struct WatchThread: Sendable {
    fileprivate let id: pthread_t

    func join() {
        pthread_join(id, nil)
    }
}

@c private func latchkey_http_watch(_ context: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
    guard let context = unsafe context else { return nil }
    unsafe Unmanaged<Watch>.fromOpaque(context).takeRetainedValue().run()  // Retained by `Watch.start`.
    return nil
}
