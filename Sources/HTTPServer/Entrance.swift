internal import CMicrohttpd
internal import Glibc
internal import Network
internal import Synchronization

/// Accepts connections, and gives each to the serving thread with the fewest.
///
/// If every thread accepted for itself, the one that wakes first would take most connections of a burst, and serve
/// them alone while the others sleep.
final class Entrance: Sendable {
    /// The maximum number of connections accepted at a time, so that the caller's other work is not delayed.
    private static let burst = 64

    /// What ``admit()`` has left.
    enum Admission {
        /// Nothing.
        case done
        /// Connections may wait.
        case more
        /// Connections may wait, and the server has no room for them, so that the system keeps them waiting.
        case full
    }

    private struct State {
        /// The listening socket; `nil` once it is closed.
        var socket: ListeningSocket?
        /// Whether a failure of the system was reported since the last connection.
        var hasReported = false
    }

    private let core: ServerCore
    private let daemon: Daemon
    private let state: Mutex<State>

    init(core: ServerCore, daemon: Daemon, socket: ListeningSocket) {
        self.core = core
        self.daemon = daemon
        state = Mutex(State(socket: socket))
    }

    /// Accepts connections that wait.
    func admit() -> Admission {
        state.withLock { state in
            guard let socket = state.socket else { return .done }
            for _ in 0..<Self.burst {
                guard core.registry.count < core.room.limit else { return .full }
                switch accept(socket) {
                case .connection: state.hasReported = false
                case .nothing: return .done
                case .failure(let code):
                    if !state.hasReported {
                        core.onEvent(.library("cannot accept a connection: \(unsafe String(cString: strerror(code)))"))
                    }
                    state.hasReported = true
                    return .full
                }
            }
            return .more
        }
    }

    /// Serves the connections that the system has already accepted, as far as there is room, and closes the listening
    /// socket.
    func close() {
        state.withLock { state in
            guard let socket = state.socket else { return }
            socket.dropNew()
            while core.registry.count < core.room.limit, case .connection = accept(socket) {}
            socket.close()
            state.socket = nil
        }
    }

    private enum Acceptance {
        case connection
        case nothing
        /// The number of the system's error.
        case failure(Int32)
    }

    private func accept(_ socket: ListeningSocket) -> Acceptance {
        var storage = sockaddr_storage()
        var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
        return unsafe withUnsafeMutablePointer(to: &storage) { storage in
            unsafe storage.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                let connection = unsafe latchkey_http_accept_connection(socket.descriptor, address, &length)
                guard connection >= 0 else {
                    switch errno {
                    case EAGAIN: return .nothing
                    // The client has left, or a signal arrived (accept(2)).
                    case ECONNABORTED, EINTR, EPROTO, EPERM, ENETDOWN, ENETUNREACH, EHOSTDOWN, EHOSTUNREACH:
                        return .connection
                    default: return .failure(errno)
                    }
                }
                unsafe serve(connection, address, length)
                return .connection
            }
        }
    }

    /// Gives a connection to a thread, or closes it if its client has too many.
    private func serve(_ connection: Int32, _ address: UnsafePointer<sockaddr>, _ length: socklen_t) {
        let client = unsafe IPAddress(address) ?? .loopback
        guard core.admits(client) else {
            Glibc.close(connection)
            core.onEvent(.addressRefused(client))
            return
        }
        core.room.keep()
        let thread = core.registry.thread(for: connection)
        let connection = Daemon.descriptor(connection, thread: thread, of: daemon.threads)
        core.registry.expect(connection, from: client)
        if unsafe !daemon.add(connection, address, length) { core.registry.abandon(connection) }
    }
}
