/// Converts between the two forms of a P-256 signature: DER in OpenSSL, r ‖ s in 64 bytes in JWS (RFC 7518 section
/// 3.4).
package enum ECDSASignature {
    static let width = 32

    /// Converts DER (SEQUENCE of two INTEGERs, RFC 3279 section 2.2.3) to r ‖ s.
    ///
    /// - Returns: 64 bytes, or nil when the DER is not exactly two positive minimal integers of at most 256 bits.
    package static func fixedWidth(fromDER der: [UInt8]) -> [UInt8]? {
        // Both integers fit in 33 bytes, so every length is a single byte.
        guard der.count >= 2, der[0] == 0x30, Int(der[1]) == der.count - 2 else { return nil }
        var rest = der[2...]
        guard let r = takeInteger(from: &rest), let s = takeInteger(from: &rest), rest.isEmpty else { return nil }
        return padded(r) + padded(s)
    }

    /// Converts r ‖ s to DER.
    ///
    /// - Returns: nil unless there are 64 bytes and neither half is zero. The verification of the signature checks
    ///   whether both are below the group's order.
    package static func der(fromFixedWidth signature: [UInt8]) -> [UInt8]? {
        guard signature.count == 2 * width else { return nil }
        guard let r = integer(signature[..<width]), let s = integer(signature[width...]) else { return nil }
        return [0x30, UInt8(r.count + s.count)] + r + s
    }

    private static func takeInteger(from rest: inout ArraySlice<UInt8>) -> ArraySlice<UInt8>? {
        guard rest.popFirst() == 0x02, let length = rest.popFirst().map(Int.init) else { return nil }
        guard (1...width + 1).contains(length), length <= rest.count else { return nil }
        var value = rest.prefix(length)
        rest = rest.dropFirst(length)
        guard let first = value.first, first < 0x80 else { return nil }
        if first == 0 {
            value = value.dropFirst()
            // A leading zero only keeps the number positive. Zero itself is not a valid part of a signature.
            guard let next = value.first, next >= 0x80 else { return nil }
        }
        return value.count <= width ? value : nil
    }

    private static func padded(_ value: ArraySlice<UInt8>) -> [UInt8] {
        [UInt8](repeating: 0, count: width - value.count) + value
    }

    private static func integer(_ half: ArraySlice<UInt8>) -> [UInt8]? {
        let value = half.drop { $0 == 0 }
        guard let first = value.first else { return nil }
        let sign: [UInt8] = first >= 0x80 ? [0] : []
        return [0x02, UInt8(sign.count + value.count)] + sign + value
    }
}
