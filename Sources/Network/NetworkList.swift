/// A set of blocks of addresses, in which an address is found in a few look-ups however many blocks there are.
package struct NetworkList: Sendable, Equatable {
    /// The bits of a block's network, with those after the prefix cleared.
    private struct Bits: Hashable, Sendable {
        let high: UInt64
        let low: UInt64
    }

    private var v4: [Int: Set<Bits>] = [:]
    private var v6: [Int: Set<Bits>] = [:]

    /// Makes a list of blocks.
    package init(_ ranges: [AddressRange] = []) {
        for range in ranges {
            let bits = Self.bits(of: range.network, prefix: range.prefix)
            switch range.network.family {
            case .v4: v4[range.prefix, default: []].insert(bits)
            case .v6: v6[range.prefix, default: []].insert(bits)
            }
        }
    }

    package var isEmpty: Bool { v4.isEmpty && v6.isEmpty }

    /// Whether an address is in one of the blocks.
    package func contains(_ address: IPAddress) -> Bool {
        (address.family == .v4 ? v4 : v6).contains { prefix, blocks in
            blocks.contains(Self.bits(of: address, prefix: prefix))
        }
    }

    private static func bits(of address: IPAddress, prefix: Int) -> Bits {
        switch address.family {
        case .v4: Bits(high: 0, low: address.low & mask(prefix, of: 32))
        case .v6: Bits(high: address.high & mask(prefix, of: 64), low: address.low & mask(prefix - 64, of: 64))
        }
    }

    /// The mask of the first `count` of `width` bits.
    private static func mask(_ count: Int, of width: Int) -> UInt64 {
        count <= 0 ? 0 : .max << UInt64(max(width - count, 0))
    }
}
