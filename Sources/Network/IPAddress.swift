internal import Glibc

/// An IPv4 or IPv6 address as a value.
///
/// An IPv4-mapped IPv6 address (`::ffff:192.0.2.1`) becomes the IPv4 address that it contains, so that a client has the
/// same address on every socket.
package struct IPAddress: Hashable, Sendable, CustomStringConvertible {
    /// The protocol of the address.
    package enum Family: Hashable, Sendable {
        case v4, v6
    }

    package let family: Family
    /// The upper half of an IPv6 address; 0 for IPv4.
    let high: UInt64
    /// The lower half of an IPv6 address; the 32 bits of an IPv4 one.
    let low: UInt64

    /// The IPv4 address of the machine itself, 127.0.0.1.
    package static let loopback = IPAddress(v4: 0x7F00_0001)

    init(v4 bits: UInt32) {
        family = .v4
        high = 0
        low = UInt64(bits)
    }

    init(high: UInt64, low: UInt64) {
        let isMapped = high == 0 && low >> 32 == 0xFFFF
        family = isMapped ? .v4 : .v6
        self.high = high
        self.low = isMapped ? low & 0xFFFF_FFFF : low
    }

    /// Creates an IPv4 address from four bytes, or an IPv6 address from sixteen (an IPv4 address if they are
    /// IPv4-mapped), in network order; nil for other counts.
    package init?(bytes: [UInt8]) {
        switch bytes.count {
        case 4:
            self.init(v4: UInt32(truncatingIfNeeded: IPAddress.number(bytes[...])))
        case 16:
            self.init(high: IPAddress.number(bytes[..<8]), low: IPAddress.number(bytes[8...]))
        default:
            return nil
        }
    }

    /// Parses `192.0.2.1` or `2001:db8::1`; nil for other texts, including those with brackets, a port or a zone, and
    /// short or octal IPv4 forms.
    package init?(_ text: String) {
        guard text.utf8.count <= 45, !text.utf8.contains(0) else { return nil }
        var bytes = [UInt8](repeating: 0, count: 16)
        if unsafe text.withCString({ unsafe inet_pton(AF_INET, $0, &bytes) }) == 1 {
            self.init(bytes: Array(bytes[..<4]))
        } else if unsafe text.withCString({ unsafe inet_pton(AF_INET6, $0, &bytes) }) == 1 {
            self.init(bytes: bytes)
        } else {
            return nil
        }
    }

    /// The address in network order: 4 or 16 bytes.
    package var bytes: [UInt8] {
        switch family {
        case .v4: IPAddress.bytes(low, count: 4)
        case .v6: IPAddress.bytes(high, count: 8) + IPAddress.bytes(low, count: 8)
        }
    }

    /// Whether the address is that of the machine itself: in 127.0.0.0/8, or ::1.
    package var isLoopback: Bool {
        switch family {
        case .v4: low >> 24 == 127
        case .v6: high == 0 && low == 1
        }
    }

    /// The key by which limits count clients: the address itself for IPv4, and the first address of its /64 network for
    /// IPv6.
    ///
    /// A single customer usually owns all addresses of a /64 network.
    package var networkKey: IPAddress {
        family == .v4 ? self : IPAddress(v6Network: high)
    }

    /// The usual text form, as in `192.0.2.1` or `2001:db8::1` (RFC 5952).
    package var description: String {
        var text = [CChar](repeating: 0, count: 46)
        let bytes = bytes
        let length = socklen_t(text.count)
        let written = unsafe inet_ntop(family == .v4 ? AF_INET : AF_INET6, bytes, &text, length) != nil
        guard written else { return "" }
        return String(decoding: text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    init(v6Network high: UInt64) {
        family = .v6
        self.high = high
        low = 0
    }

    private static func number(_ bytes: ArraySlice<UInt8>) -> UInt64 {
        bytes.reduce(0) { $0 << 8 | UInt64($1) }
    }

    private static func bytes(_ number: UInt64, count: Int) -> [UInt8] {
        (1...count).map { UInt8(truncatingIfNeeded: number >> UInt64(8 * (count - $0))) }
    }
}
