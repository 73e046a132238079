internal import Glibc

/// A listening socket that can stop listening and start again without losing its port.
///
/// On Linux `shutdown` takes a listening socket back to the bound state, in which connections are refused, and `listen` brings
/// it to life again; the descriptor stays the same, so a thread may be waiting for it all the while.
struct Listener: ~Copyable {
    let descriptor: Int32
    /// The port in use.
    let port: UInt16

    /// Binds and listens.
    ///
    /// - Parameters:
    ///   - address: IPv4 or IPv6 in digits.
    ///   - port: 0 for any free one.
    /// - Throws: `SMTPServerError` when the address is invalid or the port is not available.
    init(address: String, port: UInt16) throws(SMTPServerError) {
        guard let wanted = SocketAddress(address, port: port) else { throw .badAddress(address) }
        let scout = try Self.bound(to: wanted)
        let found = try SocketAddress(localOf: scout.raw)
        // A port that the system chose is given up when listening stops, one that was asked for is kept: ask for it.
        // Two sockets may be bound to it at once because both say SO_REUSEADDR and none listens yet.
        let socket = try Self.bound(to: found)
        guard Glibc.listen(socket.raw, Self.backlog) == 0 else { throw .last("listen") }
        descriptor = socket.release()
        self.port = found.port
    }

    deinit { _ = Glibc.close(descriptor) }

    /// Stops listening: from now on the operating system refuses connections, and those not yet accepted are reset.
    func refuse() { _ = shutdown(descriptor, Int32(SHUT_RD)) }

    /// Listens again.
    func resume() { _ = Glibc.listen(descriptor, Self.backlog) }

    private static let backlog: Int32 = 512

    private static func bound(to address: SocketAddress) throws(SMTPServerError) -> Descriptor {
        let kind = Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue) | Int32(SOCK_NONBLOCK.rawValue)
        let descriptor = Descriptor(socket(address.family, kind, 0))
        guard descriptor.raw >= 0 else { throw .last("socket") }
        var yes: Int32 = 1
        let size = socklen_t(MemoryLayout<Int32>.size)
        guard unsafe setsockopt(descriptor.raw, SOL_SOCKET, SO_REUSEADDR, &yes, size) == 0 else {
            throw .last("setsockopt")
        }
        guard address.bind(descriptor.raw) == 0 else { throw .last("bind") }
        return descriptor
    }
}

extension SMTPServerError {
    /// Creates an error from `errno` after a failed call.
    static func last(_ call: String) -> SMTPServerError {
        let code = errno
        return .system(call: call, errno: code, reason: unsafe String(cString: strerror(code)))
    }

    /// Whether the port is taken by another process, or not permitted.
    var meansPortUnavailable: Bool {
        guard case .system(_, let code, _) = self else { return false }
        return code == EADDRINUSE || code == EACCES
    }
}
