/// The request target up to its query (RFC 9112, section 3.2): the path, and in absolute form the authority before it.
struct RequestTarget {
    let path: Range<Int>
    let authority: String?

    /// Parses the target up to its query; nil unless it is a path that begins with `/`, a `*`, or an http or https URL,
    /// in printable ASCII without `#`.
    ///
    /// - Parameter text: the target's bytes before any `?`.
    init?(_ text: UnsafeBufferPointer<UInt8>) {
        for index in text.indices {
            let byte = unsafe text[index]
            guard byte > 0x20, byte < 0x7F, byte != UInt8(ascii: "#") else { return nil }
        }
        switch unsafe text.first {
        case UInt8(ascii: "/"):
            path = text.indices
            authority = nil
        case UInt8(ascii: "*") where text.count == 1:
            path = text.indices
            authority = nil
        default:
            guard let start = unsafe RequestTarget.authorityStart(text) else { return nil }
            let end = unsafe text[start...].firstIndex(of: UInt8(ascii: "/")) ?? text.endIndex
            let host = unsafe UnsafeRawBufferPointer(rebasing: UnsafeRawBufferPointer(text)[start..<end])
            guard unsafe HeadCheck.isHost(host) else { return nil }
            authority = unsafe String(decoding: host, as: UTF8.self)
            path = end..<text.endIndex
        }
    }

    private static func authorityStart(_ text: UnsafeBufferPointer<UInt8>) -> Int? {
        for scheme in ["http://", "https://"] {
            let prefix = unsafe text.prefix(scheme.utf8.count).map { $0 | 0x20 }
            if prefix.elementsEqual(scheme.utf8.map { $0 | 0x20 }) { return scheme.utf8.count }
        }
        return nil
    }
}
