/// Base 64 with the URL and filename safe alphabet (RFC 4648 section 5), never padded.
///
/// Decoding is strict: each value has exactly one text. Padding, other alphabets, white space and unused bits in the
/// last character are all rejected, so that a token has no second spelling.
package enum Base64URL {
    /// Encodes bytes as text.
    package static func encode(_ bytes: [UInt8]) -> String {
        var text: [UInt8] = []
        text.reserveCapacity(encodedCount(bytes.count))
        append(bytes, to: &text)
        return String(decoding: text, as: UTF8.self)
    }

    /// Encodes bytes and appends them to ASCII text.
    package static func append(_ bytes: [UInt8], to text: inout [UInt8]) {
        text.append(addingCapacity: encodedCount(bytes.count)) { output in encode(bytes.span, to: &output) }
    }

    private static func encode(_ bytes: Span<UInt8>, to output: inout OutputSpan<UInt8>) {
        var index = 0
        while index + 2 < bytes.count {
            let group = Int(bytes[index]) << 16 | Int(bytes[index + 1]) << 8 | Int(bytes[index + 2])
            output.append(character(group >> 18))
            output.append(character(group >> 12))
            output.append(character(group >> 6))
            output.append(character(group))
            index += 3
        }
        switch bytes.count - index {
        case 1:
            let group = Int(bytes[index])
            output.append(character(group >> 2))
            output.append(character(group << 4))
        case 2:
            let group = Int(bytes[index]) << 8 | Int(bytes[index + 1])
            output.append(character(group >> 10))
            output.append(character(group >> 4))
            output.append(character(group << 2))
        default:
            break
        }
    }

    /// Returns the character for the six lowest bits.
    private static func character(_ bits: Int) -> UInt8 {
        unsafe alphabet.utf8Start[bits & 63]
    }

    /// Decodes text; nil unless the text is the canonical encoding of some bytes.
    package static func decode(_ text: String) -> [UInt8]? {
        decode(Array(text.utf8)[...])
    }

    /// Decodes ASCII text; nil unless the text is the canonical encoding of some bytes.
    package static func decode(_ text: ArraySlice<UInt8>) -> [UInt8]? {
        guard text.count % 4 != 1 else { return nil }
        let values = values
        var bytes: [UInt8] = []
        bytes.reserveCapacity(text.count / 4 * 3 + 2)
        var pending = 0
        var bits = 0
        for character in text {
            let value = values[Int(character)]
            guard value != invalid else { return nil }
            pending = pending << 6 | Int(value)
            bits += 6
            if bits >= 8 {
                bits -= 8
                bytes.append(UInt8(truncatingIfNeeded: pending >> bits))
                pending &= (1 << bits) - 1
            }
        }
        return pending == 0 ? bytes : nil
    }

    /// Whether a byte is a character of the alphabet.
    package static func isCharacter(_ byte: UInt8) -> Bool { values[Int(byte)] != invalid }

    /// Returns the number of characters that encode `count` bytes.
    package static func encodedCount(_ count: Int) -> Int {
        (count * 4 + 2) / 3
    }

    private static let alphabet: StaticString = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"
    private static let invalid: UInt8 = 0xff

    /// The six bits that each of the 256 byte values stands for as a character; `invalid` for bytes outside the
    /// alphabet.
    private static let values: [UInt8] = {
        var values = [UInt8](repeating: invalid, count: 256)
        for value in 0..<64 { values[Int(character(value))] = UInt8(value) }
        return values
    }()
}
