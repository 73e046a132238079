package import Glibc

extension IPAddress {
    /// Creates an IP address from a socket address, without its port; nil for `nil` and for families other than IPv4
    /// and IPv6.
    ///
    /// An IPv4-mapped IPv6 address becomes the IPv4 address that it contains.
    package init?(_ address: UnsafePointer<sockaddr>?) {
        guard let address = unsafe address else { return nil }
        switch unsafe Int32(address.pointee.sa_family) {
        case AF_INET:
            let bits = unsafe UnsafeRawPointer(address).loadUnaligned(as: sockaddr_in.self).sin_addr.s_addr
            self.init(v4: UInt32(bigEndian: bits))
        case AF_INET6:
            let words = unsafe UnsafeRawPointer(address).loadUnaligned(as: sockaddr_in6.self).sin6_addr
            let bytes = unsafe withUnsafeBytes(of: words) { unsafe [UInt8]($0) }
            self.init(bytes: bytes)
        default:
            return nil
        }
    }

    /// Calls `body` with the socket address for this IP address and a port; the pointer is valid only during the call.
    package func withSocketAddress<Result>(port: UInt16, _ body: (UnsafePointer<sockaddr>, socklen_t) -> Result)
        -> Result
    {
        switch family {
        case .v4:
            var address = sockaddr_in()
            address.sin_family = sa_family_t(AF_INET)
            address.sin_port = port.bigEndian
            address.sin_addr.s_addr = UInt32(truncatingIfNeeded: low).bigEndian
            return unsafe withUnsafePointer(to: address) { pointer in
                unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                    unsafe body(address, socklen_t(MemoryLayout<sockaddr_in>.size))
                }
            }
        case .v6:
            var address = sockaddr_in6()
            address.sin6_family = sa_family_t(AF_INET6)
            address.sin6_port = port.bigEndian
            let bytes = bytes
            unsafe withUnsafeMutableBytes(of: &address.sin6_addr) { unsafe $0.copyBytes(from: bytes) }
            return unsafe withUnsafePointer(to: address) { pointer in
                unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                    unsafe body(address, socklen_t(MemoryLayout<sockaddr_in6>.size))
                }
            }
        }
    }
}

extension AddressGate {
    /// Whether the server may connect to a socket address; `false` for families other than IPv4 and IPv6.
    package func allows(_ address: UnsafePointer<sockaddr>) -> Bool {
        guard let ip = unsafe IPAddress(address) else { return false }
        return unsafe allows(ip, isMapped: ip.family == .v4 && Int32(address.pointee.sa_family) == AF_INET6)
    }
}
