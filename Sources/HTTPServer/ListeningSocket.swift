internal import CMicrohttpd
internal import Glibc
internal import Network

/// A listening socket.
struct ListeningSocket: Sendable {
    let descriptor: Int32
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
    }

    /// Drops new TCP connections silently from now on.
    ///
    /// Otherwise a connection could arrive between the last accept and ``close()``, and would be reset after it had sent
    /// its request. Dropped clients retry after a second and are refused then.
    func dropNew() {
        if file == nil { _ = latchkey_http_drop_new(descriptor) }
    }

    /// Closes the socket, and removes its file if it has one.
    func close() {
        Glibc.close(descriptor)
        file?.remove()
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
        var storage = sockaddr_storage()
        var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
        let status = unsafe withUnsafeMutablePointer(to: &storage) { storage in
            unsafe storage.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                unsafe getsockname(descriptor, address, &length)
            }
        }
        guard status == 0 else { return 0 }
        // The port has the same offset in both families.
        return unsafe withUnsafeBytes(of: &storage) { bytes in unsafe UInt16(bytes[2]) << 8 | UInt16(bytes[3]) }
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
