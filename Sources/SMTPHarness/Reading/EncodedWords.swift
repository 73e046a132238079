/// Encoded words in header fields: `=?utf-8?Q?caf=C3=A9?=` (RFC 2047).
enum EncodedWords {
    /// Decodes every encoded word; white space between two of them is dropped, and a character that was cut between two of
    /// the same set is put together again.
    static func decode(_ text: String) -> String {
        guard text.contains("=?") else { return text }
        let bytes = Array(text.utf8)
        var output = ""
        var plainStart = 0
        var index = 0
        var open: (charset: String, bytes: [UInt8])?
        while index < bytes.count {
            guard bytes[index] == UInt8(ascii: "="), let word = word(bytes, at: index) else {
                index += 1
                continue
            }
            let between = bytes[plainStart..<index]
            let isGap = between.allSatisfy { $0 == 0x20 || $0 == 0x09 }
            if let current = open, isGap, current.charset == word.charset {
                open?.bytes += word.bytes
            } else {
                if let current = open { output += Charset.decode(current.bytes, current.charset) }
                if open == nil || !isGap { output += String(decoding: between, as: UTF8.self) }
                open = (word.charset, word.bytes)
            }
            index = word.end
            plainStart = index
        }
        if let current = open { output += Charset.decode(current.bytes, current.charset) }
        output += String(decoding: bytes[plainStart...], as: UTF8.self)
        return output
    }

    private static let maximumName = 40

    private static func word(_ bytes: [UInt8], at start: Int) -> (charset: String, bytes: [UInt8], end: Int)? {
        let question = UInt8(ascii: "?")
        guard start + 1 < bytes.count, bytes[start + 1] == question else { return nil }
        let nameEnd = bytes[(start + 2)...].prefix(maximumName).firstIndex(of: question)
        guard let nameEnd, nameEnd > start + 2, nameEnd + 2 < bytes.count, bytes[nameEnd + 2] == question else {
            return nil
        }
        // The longest that RFC 2047 allows is 75; some senders do not fold at all, so give them more, but an end.
        let text = bytes[(nameEnd + 3)...].prefix(4096)
        guard let end = text.firstIndex(of: question), end + 1 < bytes.count, bytes[end + 1] == UInt8(ascii: "=") else {
            return nil
        }
        let content = bytes[(nameEnd + 3)..<end]
        guard let decoded = decode(content, encoding: bytes[nameEnd + 1]) else { return nil }
        // A language may follow the character set after "*" (RFC 2231 §5).
        let name = bytes[(start + 2)..<nameEnd].prefix { $0 != UInt8(ascii: "*") }
        return (String(decoding: name, as: UTF8.self).lowercased(), decoded, end + 2)
    }

    private static func decode(_ content: ArraySlice<UInt8>, encoding: UInt8) -> [UInt8]? {
        switch encoding {
        case UInt8(ascii: "B"), UInt8(ascii: "b"): Base64.decodeForgivingly(content)
        case UInt8(ascii: "Q"), UInt8(ascii: "q"): decodeQ(content)
        default: nil
        }
    }

    /// Decodes the Q encoding: quoted-printable in which "_" is a space (RFC 2047 §4.2).
    private static func decodeQ(_ content: ArraySlice<UInt8>) -> [UInt8] {
        var output: [UInt8] = []
        var index = content.startIndex
        while index < content.endIndex {
            if content[index] == UInt8(ascii: "="), let byte = Hex.byte(content, at: index + 1) {
                output.append(byte)
                index += 3
            } else {
                output.append(content[index] == UInt8(ascii: "_") ? 0x20 : content[index])
                index += 1
            }
        }
        return output
    }
}
