internal import Glibc

/// An IPv4 or IPv6 address with a port, in the form of the socket calls.
struct SocketAddress: Sendable {
    private enum Storage: Sendable { case v4(sockaddr_in), v6(sockaddr_in6) }
    private let storage: Storage

    /// Parses an address in digits, such as "127.0.0.1" or "::1"; nil for anything else.
    init?(_ text: String, port: UInt16) {
        var v4 = sockaddr_in()
        if unsafe inet_pton(AF_INET, text, &v4.sin_addr) == 1 {
            v4.sin_family = sa_family_t(AF_INET)
            v4.sin_port = port.bigEndian
            storage = .v4(v4)
            return
        }
        var v6 = sockaddr_in6()
        guard unsafe inet_pton(AF_INET6, text, &v6.sin6_addr) == 1 else { return nil }
        v6.sin6_family = sa_family_t(AF_INET6)
        v6.sin6_port = port.bigEndian
        storage = .v6(v6)
    }

    /// Reads the address that a socket is bound to.
    init(localOf descriptor: Int32) throws(SMTPServerError) {
        var raw = sockaddr_storage()
        var size = socklen_t(MemoryLayout<sockaddr_storage>.size)
        let result = unsafe withUnsafeMutablePointer(to: &raw) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                unsafe getsockname(descriptor, $0, &size)
            }
        }
        guard result == 0, let address = SocketAddress(raw) else { throw .last("getsockname") }
        self = address
    }

    /// Converts the address that `accept` filled in; nil if it is neither IPv4 nor IPv6.
    init?(_ raw: sockaddr_storage) {
        var raw = raw
        switch Int32(raw.ss_family) {
        case AF_INET:
            storage = .v4(
                unsafe withUnsafePointer(to: &raw) { unsafe UnsafeRawPointer($0).load(as: sockaddr_in.self) }
            )
        case AF_INET6:
            storage = .v6(
                unsafe withUnsafePointer(to: &raw) { unsafe UnsafeRawPointer($0).load(as: sockaddr_in6.self) }
            )
        default: return nil
        }
    }

    var family: Int32 {
        switch storage {
        case .v4: AF_INET
        case .v6: AF_INET6
        }
    }

    var port: UInt16 {
        switch storage {
        case .v4(let address): UInt16(bigEndian: address.sin_port)
        case .v6(let address): UInt16(bigEndian: address.sin6_port)
        }
    }

    /// The address without the port.
    var host: String {
        var text = [CChar](repeating: 0, count: Int(INET6_ADDRSTRLEN))
        let size = socklen_t(text.count)
        switch storage {
        case .v4(var address): _ = unsafe inet_ntop(AF_INET, &address.sin_addr, &text, size)
        case .v6(var address): _ = unsafe inet_ntop(AF_INET6, &address.sin6_addr, &text, size)
        }
        return String(decoding: text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    func bind(_ descriptor: Int32) -> Int32 {
        switch storage {
        case .v4(var address):
            unsafe withUnsafePointer(to: &address) { pointer in
                unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    unsafe Glibc.bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
                }
            }
        case .v6(var address):
            unsafe withUnsafePointer(to: &address) { pointer in
                unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    unsafe Glibc.bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in6>.size))
                }
            }
        }
    }
}
