/// Decides which addresses the server connects to when it calls hooks, and when it fetches the keys of identity
/// providers and other token issuers.
///
/// The gate checks the address of the very socket that is about to connect, after the name was resolved. Otherwise a
/// name could resolve to a public address when it is checked, and to an internal one when the server connects.
package struct AddressGate: Sendable {
    /// Allows all addresses: for development, where the called services may be on the same machine, and for the client
    /// commands.
    package static let open = AddressGate(isOpen: true, allowed: [])

    /// Makes a gate that allows public addresses (``IPAddress/isPublic``) and those in the operator's ranges.
    package static func publicOnly(allowing ranges: [AddressRange] = []) -> AddressGate {
        AddressGate(isOpen: false, allowed: ranges)
    }

    private let isOpen: Bool
    private let allowed: [AddressRange]

    /// Whether the server may connect to an address.
    ///
    /// - Parameters:
    ///   - address: the address; for an IPv4-mapped IPv6 address, the embedded IPv4 address.
    ///   - isMapped: whether the address was given as an IPv4-mapped IPv6 address (`::ffff:192.0.2.1`), which no public
    ///     name has; then only the operator's ranges allow it.
    package func allows(_ address: IPAddress, isMapped: Bool = false) -> Bool {
        isOpen || allowed.contains { $0.contains(address) } || !isMapped && address.isPublic
    }
}

extension IPAddress {
    /// Whether the address belongs to the public Internet.
    ///
    /// Excluded are the special-purpose addresses of IANA's registries (RFC 6890), such as this machine, its link,
    /// private networks, carrier-grade NAT, multicast, documentation, and addresses that embed others. Of IPv6, only
    /// 2000::/3 has been allocated for public use, which alone excludes loopback, link-local, unique-local, multicast
    /// and NAT64 addresses.
    package var isPublic: Bool {
        switch family {
        case .v4: !Self.specialV4.contains { $0.contains(self) }
        case .v6: Self.globalV6.contains { $0.contains(self) } && !Self.specialV6.contains { $0.contains(self) }
        }
    }

    private static let specialV4 = ranges(
        "0.0.0.0/8",  // this network
        "10.0.0.0/8",  // private
        "100.64.0.0/10",  // carrier-grade NAT
        "127.0.0.0/8",  // loopback
        "169.254.0.0/16",  // link-local, where clouds keep their metadata
        "172.16.0.0/12",  // private
        "192.0.0.0/24",  // protocol assignments
        "192.0.2.0/24",  // documentation
        "192.88.99.0/24",  // 6to4 relays
        "192.168.0.0/16",  // private
        "198.18.0.0/15",  // benchmarks
        "198.51.100.0/24",  // documentation
        "203.0.113.0/24",  // documentation
        "224.0.0.0/4",  // multicast
        "240.0.0.0/4"  // reserved, and broadcast
    )
    private static let globalV6 = ranges("2000::/3")
    private static let specialV6 = ranges(
        "2001::/23",  // protocol assignments, Teredo among them
        "2001:db8::/32",  // documentation
        "2002::/16",  // 6to4
        "3fff::/20"  // documentation
    )

    private static func ranges(_ texts: String...) -> [AddressRange] { texts.compactMap { AddressRange($0) } }
}
