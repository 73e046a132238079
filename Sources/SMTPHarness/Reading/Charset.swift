/// Character sets of e-mails: UTF-8 and ASCII, and the two Latin sets that old programs still send.
enum Charset {
    /// Decodes bytes; sets that are not known are read as UTF-8, and what is no UTF-8 becomes U+FFFD.
    static func decode(_ bytes: some Collection<UInt8>, _ charset: String) -> String {
        switch charset.lowercased() {
        case "iso-8859-1", "latin1":
            return latin(bytes) { Unicode.Scalar($0) }
        case "windows-1252", "cp1252":
            return latin(bytes) { byte in
                guard (0x80..<0xa0).contains(byte) else { return Unicode.Scalar(byte) }
                return Unicode.Scalar(windows[Int(byte) - 0x80]) ?? "\u{fffd}"
            }
        default: return String(decoding: bytes, as: UTF8.self)
        }
    }

    private static func latin(_ bytes: some Collection<UInt8>, _ scalar: (UInt8) -> Unicode.Scalar) -> String {
        var text = String.UnicodeScalarView()
        for byte in bytes { text.append(scalar(byte)) }
        return String(text)
    }

    /// 0x80–0x9f of windows-1252 (encoding.spec.whatwg.org, index-windows-1252).
    private static let windows: [UInt16] = [
        0x20ac, 0x81, 0x201a, 0x0192, 0x201e, 0x2026, 0x2020, 0x2021, 0x02c6, 0x2030, 0x0160, 0x2039, 0x0152, 0x8d,
        0x017d,
        0x8f, 0x90, 0x2018, 0x2019, 0x201c, 0x201d, 0x2022, 0x2013, 0x2014, 0x02dc, 0x2122, 0x0161, 0x203a, 0x0153,
        0x9d,
        0x017e, 0x0178,
    ]
}
