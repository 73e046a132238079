extension String {
    /// Whether it begins with a scheme (RFC 3986, section 3.1) and goes on.
    var isAbsoluteURL: Bool {
        guard let colon = utf8.firstIndex(of: UInt8(ascii: ":")), let first = utf8.first, Self.isLetter(first),
            utf8.index(after: colon) < utf8.endIndex
        else { return false }
        return utf8[..<colon].allSatisfy { byte in
            Self.isLetter(byte) || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
                || [UInt8(ascii: "+"), UInt8(ascii: "-"), UInt8(ascii: ".")].contains(byte)
        }
    }

    private static func isLetter(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20)
    }
}
