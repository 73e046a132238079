extension UInt64 {
    /// Reads up to eight bytes, the most significant first.
    init(bigEndian bytes: some Collection<UInt8>) {
        self = bytes.prefix(8).reduce(0) { $0 << 8 | UInt64($1) }
    }

    /// All eight bytes, the most significant first.
    var bigEndianBytes: [UInt8] {
        (0..<8).map { UInt8(truncatingIfNeeded: self >> (56 - 8 * $0)) }
    }
}

extension [UInt8] {
    /// Appends text after its length in bytes as four bytes, so that no two lists of texts give the same bytes.
    mutating func append(lengthPrefixed text: String) {
        let utf8 = Array(text.utf8)
        append(contentsOf: UInt64(utf8.count).bigEndianBytes.suffix(4))
        append(contentsOf: utf8)
    }
}
