/// Base 64 with the URL and filename safe alphabet (RFC 4648 section 5), never padded.
///
/// Decoding is strict: one text for one value. Padding, other alphabets, white space and a last character with bits
/// that no byte needs are all refused, so that nobody can spell the same token in two ways.
package enum Base64URL {
    /// Encodes bytes as text.
    package static func encode(_ bytes: [UInt8]) -> String {
        var text: [UInt8] = []
        text.reserveCapacity(encodedCount(bytes.count))
        append(bytes, to: &text)
        return String(decoding: text, as: UTF8.self)
    }

    /// Encodes bytes at the end of ASCII text.
    package static func append(_ bytes: [UInt8], to text: inout [UInt8]) {
        let alphabet = alphabet
        var index = 0
        while index + 2 < bytes.count {
            let group = Int(bytes[index]) << 16 | Int(bytes[index + 1]) << 8 | Int(bytes[index + 2])
            text.append(alphabet[group >> 18])
            text.append(alphabet[group >> 12 & 63])
            text.append(alphabet[group >> 6 & 63])
            text.append(alphabet[group & 63])
            index += 3
        }
        switch bytes.count - index {
        case 1:
            let group = Int(bytes[index])
            text.append(alphabet[group >> 2])
            text.append(alphabet[group << 4 & 63])
        case 2:
            let group = Int(bytes[index]) << 8 | Int(bytes[index + 1])
            text.append(alphabet[group >> 10])
            text.append(alphabet[group >> 4 & 63])
            text.append(alphabet[group << 2 & 63])
        default:
            break
        }
    }

    /// Decodes text, or answers nil when it is not the one encoding of its bytes.
    package static func decode(_ text: String) -> [UInt8]? {
        decode(Array(text.utf8)[...])
    }

    /// Decodes ASCII text, or answers nil when it is not the one encoding of its bytes.
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

    /// How many characters the encoding of `count` bytes has.
    package static func encodedCount(_ count: Int) -> Int {
        (count * 4 + 2) / 3
    }

    private static let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".utf8)
    private static let invalid: UInt8 = 0xff

    /// The six bits of every byte, or `invalid`.
    private static let values: [UInt8] = {
        var values = [UInt8](repeating: invalid, count: 256)
        for (value, character) in alphabet.enumerated() { values[Int(character)] = UInt8(value) }
        return values
    }()
}
