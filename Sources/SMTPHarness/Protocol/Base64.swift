/// Base64 as SMTP AUTH (strict) and MIME (forgiving) need it (RFC 4648 §4, RFC 2045 §6.8).
enum Base64 {
    /// Decodes text that must be valid: padded, without other characters or leftover bits; nil if it is not.
    static func decodeStrictly(_ text: some Sequence<UInt8>) -> [UInt8]? {
        var decoder = Decoder()
        var count = 0
        var padding = 0
        for byte in text {
            count += 1
            if byte == UInt8(ascii: "=") {
                padding += 1
                continue
            }
            guard padding == 0, decoder.take(byte) else { return nil }
        }
        guard count % 4 == 0, padding <= 2, decoder.bits == padding * 2, decoder.restIsZero else { return nil }
        return decoder.output
    }

    /// Decodes as much as possible: other characters are ignored and padding ends the text, as MIME requires of
    /// readers.
    static func decodeForgivingly(_ text: some Sequence<UInt8>) -> [UInt8] {
        var decoder = Decoder()
        for byte in text {
            if byte == UInt8(ascii: "=") { break }
            _ = decoder.take(byte)
        }
        return decoder.output
    }

    private struct Decoder {
        var output: [UInt8] = []
        var bits = 0
        private var accumulator: UInt32 = 0

        var restIsZero: Bool { accumulator & ((1 << UInt32(bits)) - 1) == 0 }

        mutating func take(_ byte: UInt8) -> Bool {
            guard let value = Self.value(of: byte) else { return false }
            accumulator = (accumulator & 0xffff) << 6 | value
            bits += 6
            guard bits >= 8 else { return true }
            bits -= 8
            output.append(UInt8(truncatingIfNeeded: accumulator >> UInt32(bits)))
            return true
        }

        private static func value(of byte: UInt8) -> UInt32? {
            switch byte {
            case UInt8(ascii: "A")...UInt8(ascii: "Z"): UInt32(byte) - 65
            case UInt8(ascii: "a")...UInt8(ascii: "z"): UInt32(byte) - 71
            case UInt8(ascii: "0")...UInt8(ascii: "9"): UInt32(byte) + 4
            case UInt8(ascii: "+"): 62
            case UInt8(ascii: "/"): 63
            default: nil
            }
        }
    }
}
