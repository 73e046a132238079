extension String {
    /// Whether the text begins like an absolute URI: with a scheme (RFC 3986, section 3.1) and something after it,
    /// which for `http` and `https` must be a host.
    var isAbsoluteURL: Bool {
        guard let colon = utf8.firstIndex(of: UInt8(ascii: ":")), let first = utf8.first, Self.isLetter(first),
            utf8[..<colon].allSatisfy({ byte in
                Self.isLetter(byte) || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
                    || "+-.".utf8.contains(byte)
            })
        else { return false }
        let rest = self[utf8.index(after: colon)...]
        guard ["http", "https"].contains(self[..<colon].lowercased()) else { return !rest.isEmpty }
        guard rest.hasPrefix("//"), let host = rest.utf8.dropFirst(2).first else { return false }
        return !"/?#".utf8.contains(host)
    }

    private static func isLetter(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20)
    }
}
