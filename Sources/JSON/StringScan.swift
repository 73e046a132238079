extension Span<UInt8> {
    /// Returns the index of the first byte from `start` on that a JSON string does not contain as it is: a quotation
    /// mark, a backslash or a control character (RFC 8259 section 7).
    ///
    /// - Returns: the index; the number of bytes if there is no such byte.
    func firstIndexOfSpecial(from start: Int) -> Int {
        var index = start
        // ID tokens are long, and are read or written with each call, so eight bytes are looked at together.
        while index + 8 <= count {
            let word = unsafe bytes.unsafeLoadUnaligned(fromByteOffset: index, as: UInt64.self)
            if Self.hasSpecial(word) { break }
            index += 8
        }
        while index < count, !Self.isSpecial(self[index]) { index += 1 }
        return index
    }

    private static func isSpecial(_ byte: UInt8) -> Bool {
        byte < 0x20 || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\")
    }

    /// Whether one of eight bytes is special.
    private static func hasSpecial(_ word: UInt64) -> Bool {
        let ones: UInt64 = 0x0101_0101_0101_0101
        let quotes = word ^ (ones &* UInt64(UInt8(ascii: "\"")))
        let backslashes = word ^ (ones &* UInt64(UInt8(ascii: "\\")))
        // The lowest byte below a limit of at most 0x80 borrows its highest bit, which it did not have itself.
        let isControl = (word &- ones &* 0x20) & ~word
        let isQuote = (quotes &- ones) & ~quotes
        let isBackslash = (backslashes &- ones) & ~backslashes
        return (isControl | isQuote | isBackslash) & (ones &* 0x80) != 0
    }
}
