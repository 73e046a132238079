internal import CMicrohttpd
internal import Glibc
internal import Network

/// A listening socket.
///
/// libmicrohttpd closes it when it stops.
struct ListeningSocket: Sendable {
    let descriptor: Int32
    private let identity: UInt64
    private let endpoint: [UInt8]
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
        endpoint = ListeningSocket.endpoint(of: descriptor)
    }

    /// Removes the socket's file, if it has one.
    func removeFile() {
        file?.remove()
    }

    /// Drops new TCP connections silently from now on.
    ///
    /// Otherwise a connection could arrive between the last accept and ``silence()``, and would be reset after it had
    /// sent its request. Dropped clients retry after a second and are refused then.
    func dropNew() {
        if file == nil { _ = latchkey_http_drop_new(descriptor) }
    }

    /// Whether a connection that came in through this socket is open.
    ///
    /// The answer comes from the system, because a thread of the library may have accepted a connection and not
    /// reported it yet. Read the property after ``silence()``: before, the listening socket itself counts as such a
    /// connection.
    var hasConnections: Bool {
        guard let folder = unsafe opendir("/proc/self/fd") else { return false }
        defer { unsafe closedir(folder) }
        while let entry = unsafe readdir(folder) {
            let name = unsafe withUnsafePointer(to: &entry.pointee.d_name) {
                unsafe String(cString: UnsafeRawPointer($0).assumingMemoryBound(to: CChar.self))
            }
            if let descriptor = Int32(name), ListeningSocket.endpoint(of: descriptor) == endpoint { return true }
        }
        return false
    }

    /// Accepts one connection that already waits, and passes its socket and its client's address to the closure.
    ///
    /// Returns false, without calling the closure, if no connection waits.
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

    /// Makes the system refuse connections, and the library receive no more events from the socket.
    ///
    /// The descriptor is replaced by a file that is never readable.
    ///
    /// MHD_quiesce_daemon would be the regular way. But it removes the socket from each thread's epoll set while that
    /// thread may be doing the same, and the second removal aborts the process ("Failed to remove listen FD from epoll
    /// set"). No thread may be at its connection limit, where the library removes the socket from the set as well.
    func silence() {
        let silent = eventfd(0, Int32(EFD_CLOEXEC | EFD_NONBLOCK))
        guard silent >= 0 else { return }
        _ = dup2(silent, descriptor)
        _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
        Glibc.close(silent)
    }

    /// Closes the socket after the library failed to start, unless the library has closed it, and removes the socket's
    /// file.
    func closeIfOpen() {
        if identity != 0, latchkey_http_identity(descriptor) == identity { Glibc.close(descriptor) }
        removeFile()
    }

    private static func open(_ address: IPAddress, _ port: UInt16) throws(ServerStartError) -> Int32 {
        let descriptor = socket(address.family == .v4 ? AF_INET : AF_INET6, type, 0)
        guard descriptor >= 0 else { throw failure(.ip(address, port: port)) }
        set(descriptor, Int32(SOL_SOCKET), SO_REUSEADDR)
        // An IPv6 address does not include IPv4. To use both, configure both.
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
        let endpoint = endpoint(of: descriptor)
        guard endpoint.count == 4 else { return 0 }
        return UInt16(endpoint[2]) << 8 | UInt16(endpoint[3])
    }

    /// Returns the part of a socket's local address that a listening socket shares with the connections accepted from it.
    ///
    /// For an IP socket these are the address family and the port. The address is left out, because a socket that listens on
    /// all addresses has another one than its connections. For a Unix-domain socket they are the family and the path. The array
    /// is empty for a descriptor that is not a socket.
    private static func endpoint(of descriptor: Int32) -> [UInt8] {
        var storage = sockaddr_storage()
        var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
        let status = unsafe withUnsafeMutablePointer(to: &storage) { storage in
            unsafe storage.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                unsafe getsockname(descriptor, address, &length)
            }
        }
        guard status == 0 else { return [] }
        // The port has the same offset in both families. A connection has another address than a socket that listens on
        // all of them.
        let count = Int32(storage.ss_family) == AF_UNIX ? Int(length) : 4
        return unsafe withUnsafeBytes(of: &storage) { unsafe Array($0.prefix(count)) }
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
