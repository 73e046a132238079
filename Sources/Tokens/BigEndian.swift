extension UInt64 {
    /// Reads an integer from the first eight bytes, or from all if there are fewer, the most significant first.
    init(bigEndian bytes: some Collection<UInt8>) {
        self = bytes.prefix(8).reduce(0) { $0 << 8 | UInt64($1) }
    }
}

extension [UInt8] {
    /// Appends the `count` lowest bytes of an integer, the most significant first.
    mutating func append(bigEndian value: UInt64, count: Int = 8) {
        for index in (0..<count).reversed() { append(UInt8(truncatingIfNeeded: value >> (8 * UInt64(index)))) }
    }

    /// Appends text with its length as a four-byte prefix, so that different lists of texts give different bytes.
    mutating func append(lengthPrefixed text: String) {
        append(bigEndian: UInt64(text.utf8.count), count: 4)
        append(contentsOf: text.utf8)
    }
}
