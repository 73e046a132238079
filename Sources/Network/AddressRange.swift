/// A block of addresses in CIDR form (RFC 4632), such as `10.0.0.0/8` or `2001:db8::/32`, or a single address.
package struct AddressRange: Hashable, Sendable, CustomStringConvertible {
    let network: IPAddress
    let prefix: Int

    /// Parses `address/prefix` or `address`; nil if either part is invalid.
    ///
    /// Bits beyond the prefix are ignored.
    package init?(_ text: String) {
        let parts = text.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
        guard let first = parts.first, let address = IPAddress(String(first)) else { return nil }
        let width = address.family == .v4 ? 32 : 128
        network = address
        guard parts.count == 2 else {
            prefix = width
            return
        }
        guard (1...3).contains(parts[1].utf8.count), parts[1].utf8.allSatisfy({ (0x30...0x39).contains($0) }),
            let prefix = Int(parts[1]), prefix <= width
        else { return nil }
        self.prefix = prefix
    }

    /// Whether an address is in the block; `false` for an IPv4 address if the block is of IPv6, and the reverse.
    package func contains(_ address: IPAddress) -> Bool {
        guard address.family == network.family else { return false }
        switch network.family {
        case .v4:
            return prefix == 0 || (address.low ^ network.low) >> UInt64(32 - prefix) == 0
        case .v6:
            let upper = prefix == 0 ? 0 : (address.high ^ network.high) >> UInt64(max(64 - prefix, 0))
            let lower = prefix <= 64 ? 0 : (address.low ^ network.low) >> UInt64(128 - prefix)
            return upper == 0 && lower == 0
        }
    }

    /// Whether the block and a network have addresses in common.
    package func overlaps(_ other: NetworkPrefix) -> Bool {
        contains(other.address) || prefix >= other.length && NetworkPrefix(of: network, length: other.length) == other
    }

    /// The clients of the block as limits count them (``IPAddress/networkKey``); nil if there are more than `count`.
    package func clients(atMost count: Int) -> [IPAddress]? {
        let width = network.family == .v4 ? 32 : 64
        let bits = max(width - prefix, 0)
        guard bits < 32, 1 << bits <= count else { return nil }
        let first = NetworkPrefix(of: network, length: width - bits).address
        return (0..<UInt64(1 << bits)).map { number in
            network.family == .v4
                ? IPAddress(v4: UInt32(truncatingIfNeeded: first.low + number))
                : IPAddress(v6Network: first.high + number)
        }
    }

    package var description: String { "\(network)/\(prefix)" }
}
