package import Network

/// The address at which a server listens.
package enum ListenAddress: Hashable, Sendable, CustomStringConvertible {
    case ip(IPAddress, port: UInt16)
    /// A Unix-domain socket: a file that only its owner may connect to.
    case unix(path: String)

    /// Parses `127.0.0.1:9099`, `[::1]:9099`, `localhost:9099` (which means 127.0.0.1) or
    /// `unix:/run/latchkey/admin.sock`; nil for other texts.
    ///
    /// Port 0 lets the system choose.
    package init?(_ text: String) {
        if text.hasPrefix("unix:") {
            let path = text.dropFirst("unix:".count)
            guard !path.isEmpty, !path.utf8.contains(0) else { return nil }
            self = .unix(path: String(path))
            return
        }
        guard let colon = text.lastIndex(of: ":") else { return nil }
        let digits = text[text.index(after: colon)...]
        guard (1...5).contains(digits.utf8.count), digits.utf8.allSatisfy({ (0x30...0x39).contains($0) }),
            let port = UInt16(digits)
        else { return nil }
        var host = text[..<colon]
        if host == "localhost" {
            self = .ip(.loopback, port: port)
            return
        }
        let isBracketed = host.first == "[" && host.last == "]"
        if isBracketed { host = host.dropFirst().dropLast() }
        // An IPv6 address without brackets cannot be separated from its port.
        guard let address = IPAddress(String(host)), isBracketed || !host.contains(":") else { return nil }
        self = .ip(address, port: port)
    }

    /// Whether the address is reachable only from this machine.
    package var isLoopback: Bool {
        switch self {
        case .ip(let address, _): address.isLoopback
        case .unix: true
        }
    }

    /// Whether the address is a Unix-domain socket.
    package var isUnixDomain: Bool {
        if case .unix = self { true } else { false }
    }

    /// The port; 0 for a Unix-domain socket, which has none.
    package var port: UInt16 {
        switch self {
        case .ip(_, let port): port
        case .unix: 0
        }
    }

    /// The text that `init(_:)` parses.
    ///
    /// For an IP address, it is also the host and port of a URL.
    package var description: String {
        switch self {
        case .ip(let address, let port): address.family == .v4 ? "\(address):\(port)" : "[\(address)]:\(port)"
        case .unix(let path): "unix:\(path)"
        }
    }
}
