internal import Glibc

/// An IPv4 or IPv6 address as a value.
///
/// An IPv4-mapped IPv6 address (`::ffff:192.0.2.1`) is the IPv4 address it carries, so that one client has one address
/// whatever socket it came through.
package struct IPAddress: Hashable, Sendable, CustomStringConvertible {
    /// Which of the two protocols the address belongs to.
    package enum Family: Hashable, Sendable {
        case v4, v6
    }

    package let family: Family
    /// The upper half of an IPv6 address; 0 for IPv4.
    let high: UInt64
    /// The lower half of an IPv6 address; the 32 bits of an IPv4 one.
    let low: UInt64

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

    /// Four bytes make an IPv4 address, sixteen an IPv6 one, in network order; other counts make none.
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

    /// Reads `192.0.2.1` or `2001:db8::1`: no brackets, no port, no zone, no short or octal IPv4 forms.
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

    /// True for 127.0.0.0/8 and ::1.
    package var isLoopback: Bool {
        switch family {
        case .v4: low >> 24 == 127
        case .v6: high == 0 && low == 1
        }
    }

    /// What limits count by: the address itself for IPv4, its /64 network for IPv6, where one customer owns 2⁶⁴ addresses.
    package var networkKey: IPAddress {
        family == .v4 ? self : IPAddress(v6Network: high)
    }

    /// The usual text form (RFC 5952 for IPv6).
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
