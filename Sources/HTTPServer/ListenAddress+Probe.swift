internal import CMicrohttpd
internal import Glibc
internal import Network

extension ListenAddress {
    /// The time in milliseconds after which an address that does not answer counts as unused.
    private static let patience: Int32 = 1000

    /// Returns whether a server accepts connections at the address.
    ///
    /// Connects and says nothing. Blocks the calling thread for up to a second.
    package func isAnswered() -> Bool {
        switch self {
        case .unix(let path):
            var address = UnixAddress(path)
            return address?.isAnswered() ?? false
        case .ip(let address, let port):
            return Self.isAnswered(address, port: port)
        }
    }

    private static func isAnswered(_ address: IPAddress, port: UInt16) -> Bool {
        let type = Int32(SOCK_STREAM.rawValue | SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue)
        let descriptor = socket(address.family == .v4 ? AF_INET : AF_INET6, type, 0)
        guard descriptor >= 0 else { return false }
        defer { close(descriptor) }
        let status = unsafe address.withSocketAddress(port: port) { unsafe connect(descriptor, $0, $1) }
        guard status != 0 else { return true }
        var wait = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
        guard errno == EINPROGRESS, unsafe poll(&wait, 1, patience) == 1 else { return false }
        var reason: Int32 = 0
        var length = socklen_t(MemoryLayout<Int32>.size)
        return unsafe getsockopt(descriptor, SOL_SOCKET, SO_ERROR, &reason, &length) == 0 && reason == 0
    }
}
