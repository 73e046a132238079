internal import CMicrohttpd
internal import Glibc
internal import Network

/// A socket that takes connections.
///
/// libmicrohttpd closes it when it stops.
struct ListeningSocket: Sendable {
    let descriptor: Int32
    private let identity: UInt64
    /// The address with the port that the system chose.
    let address: ListenAddress
    private let file: SocketFile?

    init(_ listen: ListenAddress) throws(ServerStartError) {
        switch listen {
        case .ip(let address, let port):
            descriptor = try ListeningSocket.open(address, port)
            self.address = .ip(address, port: port == 0 ? ListeningSocket.port(of: descriptor) : port)
            file = nil
        case .unix(let path):
            let descriptor = socket(AF_UNIX, ListeningSocket.type, 0)
            guard descriptor >= 0 else { throw ListeningSocket.failure(listen) }
            do {
                file = try SocketFile(binding: descriptor, to: path)
            } catch {
                Glibc.close(descriptor)
                throw error
            }
            self.descriptor = descriptor
            address = listen
        }
        identity = latchkey_http_identity(descriptor)
    }

    /// Removes what the socket has left in the file system.
    func removeFile() {
        file?.remove()
    }

    /// From now on TCP clients that connect are neither greeted nor refused, so that none comes between the last connection that
    /// is taken and ``silence()``: it would be reset after it had sent its request.
    ///
    /// They try again after a second, and are refused then.
    func dropNew() {
        if file == nil { _ = latchkey_http_drop_new(descriptor) }
    }

    /// Takes a connection that already waits; nil when none does.
    func acceptWaiting(_ body: (Int32, UnsafePointer<sockaddr>, socklen_t) -> Void) -> Bool {
        var storage = sockaddr_storage()
        return unsafe withUnsafeMutablePointer(to: &storage) { storage in
            unsafe storage.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
                let socket = unsafe accept(descriptor, address, &length)
                guard socket >= 0 else { return false }
                _ = fcntl(socket, F_SETFD, FD_CLOEXEC)
                unsafe body(socket, address, length)
                return true
            }
        }
    }

    /// From now on the system refuses connections, and the library hears nothing more from the socket: a file that never has
    /// anything to say takes its number.
    ///
    /// MHD_quiesce_daemon would be the way, but it takes the socket out of each thread's epoll set while that thread may be
    /// doing the same, and whoever comes second ends the process ("Failed to remove listen FD from epoll set"). No thread
    /// may be at its connection limit, where the library takes the socket out of the set as well.
    func silence() {
        let silent = eventfd(0, Int32(EFD_CLOEXEC | EFD_NONBLOCK))
        guard silent >= 0 else { return }
        _ = dup2(silent, descriptor)
        _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
        Glibc.close(silent)
    }

    /// Closes the socket after the library failed to start, which closes it in some cases and not in others.
    func closeIfOpen() {
        if identity != 0, latchkey_http_identity(descriptor) == identity { Glibc.close(descriptor) }
        removeFile()
    }

    private static func open(_ address: IPAddress, _ port: UInt16) throws(ServerStartError) -> Int32 {
        let descriptor = socket(address.family == .v4 ? AF_INET : AF_INET6, type, 0)
        guard descriptor >= 0 else { throw failure(.ip(address, port: port)) }
        set(descriptor, Int32(SOL_SOCKET), SO_REUSEADDR)
        // An IPv6 address means itself; whoever wants both listens on both.
        if address.family == .v6 { set(descriptor, Int32(IPPROTO_IPV6), IPV6_V6ONLY) }
        let isBound = unsafe address.withSocketAddress(port: port) { unsafe bind(descriptor, $0, $1) } == 0
        guard isBound, listen(descriptor, 4096) == 0 else {
            let failure = failure(.ip(address, port: port))
            Glibc.close(descriptor)
            throw failure
        }
        return descriptor
    }

    private static func set(_ descriptor: Int32, _ level: Int32, _ option: Int32) {
        var on: Int32 = 1
        unsafe setsockopt(descriptor, level, option, &on, socklen_t(MemoryLayout<Int32>.size))
    }

    private static func port(of descriptor: Int32) -> UInt16 {
        var address = sockaddr_in6()
        var length = socklen_t(MemoryLayout<sockaddr_in6>.size)
        _ = unsafe withUnsafeMutablePointer(to: &address) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                unsafe getsockname(descriptor, address, &length)
            }
        }
        // The port lies at the same place in both families.
        return UInt16(bigEndian: address.sin6_port)
    }

    private static let type = Int32(SOCK_STREAM.rawValue | SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue)

    private static func failure(_ address: ListenAddress) -> ServerStartError {
        let isTaken = errno == EADDRINUSE
        let reason =
            isTaken
            ? "another program listens there already; end it, or choose another address"
            : unsafe String(cString: strerror(errno))
        return ServerStartError("cannot listen on \(address): \(reason)")
    }
}
