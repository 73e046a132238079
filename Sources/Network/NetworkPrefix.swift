/// A network, given by the prefix of its addresses, such as `2001:db8:1::/48` or `192.0.2.0/24`.
package struct NetworkPrefix: Hashable, Sendable, CustomStringConvertible {
    /// The upper half of an IPv6 address, or the 32 bits of an IPv4 one, with the bits after the prefix cleared.
    private let bits: UInt64
    private let family: IPAddress.Family
    private let bitCount: UInt8

    /// The first address of the network.
    package var address: IPAddress {
        switch family {
        case .v4: IPAddress(v4: UInt32(truncatingIfNeeded: bits))
        case .v6: IPAddress(v6Network: bits)
        }
    }

    /// The number of leading bits that all addresses of the network share: at most 32 for IPv4 and 64 for IPv6.
    package var length: Int { Int(bitCount) }

    /// Creates the network of `length` bits that contains an address.
    ///
    /// - Parameters:
    ///   - address: any address of the network.
    ///   - length: 0 to 32 bits for IPv4, 0 to 64 for IPv6; values outside count as the nearest of these.
    package init(of address: IPAddress, length: Int) {
        family = address.family
        switch address.family {
        case .v4:
            let length = min(max(length, 0), 32)
            let mask: UInt64 = length == 0 ? 0 : 0xFFFF_FFFF << UInt64(32 - length) & 0xFFFF_FFFF
            bitCount = UInt8(length)
            bits = address.low & mask
        case .v6:
            let length = min(max(length, 0), 64)
            let mask: UInt64 = length == 0 ? 0 : .max << UInt64(64 - length)
            bitCount = UInt8(length)
            bits = address.high & mask
        }
    }

    /// Hashes only two words, because limits look up several networks in every request.
    package func hash(into hasher: inout Hasher) {
        hasher.combine(bits)
        hasher.combine(UInt64(bitCount) << 1 | (family == .v4 ? 1 : 0))
    }

    /// The usual text form, `2001:db8:1::/48`.
    package var description: String { "\(address)/\(length)" }

    /// Returns the network that probably belongs to one site: the /48 of an IPv6 address, the /24 of an IPv4 address.
    package static func site(of address: IPAddress) -> NetworkPrefix {
        NetworkPrefix(of: address, length: address.family == .v4 ? 24 : 48)
    }

    /// Returns the network that probably belongs to one provider: the /32 of an IPv6 address, the /16 of an IPv4 one.
    package static func block(of address: IPAddress) -> NetworkPrefix {
        NetworkPrefix(of: address, length: address.family == .v4 ? 16 : 32)
    }
}

/// The limits of the networks that contain a client, on requests, connections or streams, each as a multiple of the
/// limit of one client.
package struct NetworkShares: Sendable, Equatable {
    /// A network that contains the client, and its limit as a multiple of the limit of one client.
    package struct Share: Sendable, Equatable {
        package let network: NetworkPrefix
        package let factor: Int
    }

    /// The limit of the /56 of an IPv6 address, as a multiple of the limit of a /64, which counts as one client.
    package var ipv6Prefix56 = 2
    /// The limit of the /48 of an IPv6 address, as a multiple of the limit of a /64.
    package var ipv6Prefix48 = 4
    /// The limit of the /24 of an IPv4 address, as a multiple of the limit of one address.
    package var ipv4Prefix24 = 16

    /// Makes the default multiples.
    package init() {}

    /// Returns the networks that are charged for what a client uses, from the client itself to the widest network.
    ///
    /// The client itself is an IPv4 address or the /64 of an IPv6 one.
    package func shares(of client: IPAddress) -> [Share] {
        (0..<Self.mostShares).compactMap { share(of: client, at: $0) }
    }

    /// The maximum number of networks that ``shares(of:)`` returns.
    package static let mostShares = 3

    /// Returns one of ``shares(of:)`` by its position, without allocating an array; `nil` beyond the last.
    package func share(of client: IPAddress, at position: Int) -> Share? {
        switch (client.family, position) {
        case (.v4, 0): Share(network: NetworkPrefix(of: client, length: 32), factor: 1)
        case (.v4, 1): Share(network: NetworkPrefix(of: client, length: 24), factor: ipv4Prefix24)
        case (.v6, 0): Share(network: NetworkPrefix(of: client, length: 64), factor: 1)
        case (.v6, 1): Share(network: NetworkPrefix(of: client, length: 56), factor: ipv6Prefix56)
        case (.v6, 2): Share(network: NetworkPrefix(of: client, length: 48), factor: ipv6Prefix48)
        default: nil
        }
    }
}
