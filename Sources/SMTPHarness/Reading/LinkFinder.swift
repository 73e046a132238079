/// Finds the links in a plain text.
enum LinkFinder {
    private static let maximumLinks = 1000

    /// Returns the http and https URLs of a text, each once, in order, at most 1000.
    ///
    /// Punctuation at the end of a URL is left out, because it belongs to the sentence.
    static func links(in text: String) -> [String] {
        let bytes = Array(text.utf8)
        var links: [String] = []
        var known: Set<String> = []
        var index = 0
        while index < bytes.count, links.count < maximumLinks {
            guard let prefix = prefix(bytes, at: index) else {
                index += 1
                continue
            }
            let end = bytes[(index + prefix)...].firstIndex { !isAllowed($0) } ?? bytes.count
            let link = String(decoding: trimmed(bytes[index..<end]), as: UTF8.self)
            if link.utf8.count > prefix, known.insert(link).inserted { links.append(link) }
            index = end
        }
        return links
    }

    /// Returns the length of "http://" or "https://" if one begins at an index and is not the end of a longer word;
    /// otherwise nil.
    private static func prefix(_ bytes: [UInt8], at index: Int) -> Int? {
        guard bytes[index] | 0x20 == UInt8(ascii: "h") else { return nil }
        if index > 0, isLetter(bytes[index - 1]) { return nil }
        for scheme in ["https://", "http://"] {
            let head = bytes[index...].prefix(scheme.utf8.count)
            if head.count == scheme.utf8.count, zip(head, scheme.utf8).allSatisfy({ lower($0) == $1 }) {
                return head.count
            }
        }
        return nil
    }

    private static func trimmed(_ link: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        // A bracket that was opened within the link belongs to it. (Asked once: asking at each step would be quadratic.)
        let keepsRound = link.contains(UInt8(ascii: "("))
        let keepsSquare = link.contains(UInt8(ascii: "["))
        var link = link
        while let last = link.last {
            switch last {
            case UInt8(ascii: "."), UInt8(ascii: ","), UInt8(ascii: ";"), UInt8(ascii: ":"), UInt8(ascii: "!"),
                UInt8(ascii: "?"), UInt8(ascii: "'"), UInt8(ascii: "*"):
                link.removeLast()
            case UInt8(ascii: ")") where !keepsRound: link.removeLast()
            case UInt8(ascii: "]") where !keepsSquare: link.removeLast()
            default: return link
            }
        }
        return link
    }

    /// Visible ASCII without the characters that only ever surround a link.
    private static func isAllowed(_ byte: UInt8) -> Bool {
        byte > 0x20 && byte < 0x7f && ![0x22, 0x3c, 0x3e, 0x5c, 0x5e, 0x60, 0x7b, 0x7c, 0x7d].contains(byte)
    }

    private static func isLetter(_ byte: UInt8) -> Bool { (0x61...0x7a).contains(byte | 0x20) }

    private static func lower(_ byte: UInt8) -> UInt8 { (0x41...0x5a).contains(byte) ? byte | 0x20 : byte }
}
