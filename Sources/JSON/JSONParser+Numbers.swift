extension JSONParser {
    /// Reads a number (RFC 8259 section 6) from its first byte, which is a minus or a digit.
    mutating func number(_ bytes: Span<UInt8>) throws(JSONError) -> JSONNumber {
        let start = offset
        _ = skip(UInt8(ascii: "-"), bytes)
        // A zero stands alone; a digit after it is refused as an unexpected byte.
        if !skip(UInt8(ascii: "0"), bytes) {
            try digits(bytes, of: start)
        }
        if skip(UInt8(ascii: "."), bytes) {
            try digits(bytes, of: start)
        }
        if skip(UInt8(ascii: "e"), bytes) || skip(UInt8(ascii: "E"), bytes) {
            _ = skip(UInt8(ascii: "+"), bytes) || skip(UInt8(ascii: "-"), bytes)
            try digits(bytes, of: start)
        }
        return JSONNumber(checkedLiteral: try Self.text(bytes.extracting(start..<offset), at: start))
    }

    /// Skips one or more digits of the number that begins at `start`.
    private mutating func digits(_ bytes: Span<UInt8>, of start: Int) throws(JSONError) {
        let first = offset
        while offset < bytes.count, bytes[offset] >= UInt8(ascii: "0"), bytes[offset] <= UInt8(ascii: "9") {
            offset += 1
        }
        guard offset > first else { throw JSONError(.invalidNumber, at: start) }
    }

    private mutating func skip(_ byte: UInt8, _ bytes: Span<UInt8>) -> Bool {
        guard offset < bytes.count, bytes[offset] == byte else { return false }
        offset += 1
        return true
    }
}
