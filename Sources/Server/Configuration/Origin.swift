/// A web origin: scheme, host and port (RFC 6454).
struct Origin: Sendable, Hashable {
    let scheme: String
    let host: String
    /// The port; `nil` if the text has none.
    let port: Int?

    /// Parses `scheme://host[:port]` of http or https, with nothing after it but an optional slash.
    init?(_ text: String) {
        guard let (origin, rest) = Self.parse(text), rest.isEmpty || rest == "/" else { return nil }
        self = origin
    }

    private init(scheme: String, host: String, port: Int?) {
        self.scheme = scheme
        self.host = host
        self.port = port
    }

    /// Returns the origin at the start of an absolute http(s) URL, and the text after it; `nil` for any other text.
    ///
    /// The parser is strict, because browsers interpret malformed URLs in surprising ways: no user info, no backslash,
    /// no control character, no white space, only ASCII, at most 2048 bytes.
    static func parse(_ url: String) -> (origin: Origin, rest: Substring)? {
        guard url.utf8.count <= 2048, url.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F && $0 != UInt8(ascii: "\\") }),
            let colon = url.firstIndex(of: ":")
        else { return nil }
        let scheme = url[..<colon].lowercased()
        guard scheme == "https" || scheme == "http", url[colon...].hasPrefix("://") else { return nil }
        let afterScheme = url[url.index(colon, offsetBy: 3)...]
        let end = afterScheme.firstIndex { $0 == "/" || $0 == "?" || $0 == "#" } ?? afterScheme.endIndex
        guard let (host, port) = splitPort(afterScheme[..<end]) else { return nil }
        return (Origin(scheme: scheme, host: host, port: port), afterScheme[end...])
    }

    private static func splitPort(_ authority: Substring) -> (host: String, port: Int?)? {
        var host = authority
        var port: Int?
        if let colon = authority.lastIndex(of: ":"), authority.last != "]" {
            let digits = authority[authority.index(after: colon)...]
            // `Int` also accepts a sign, which browsers do not.
            guard digits.utf8.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }),
                digits.utf8.count <= 5,
                let number = Int(digits), (1...65_535).contains(number)
            else { return nil }
            port = number
            host = authority[..<colon]
        }
        let isBracketed = host.hasPrefix("[") && host.hasSuffix("]")
        let name = isBracketed ? host.dropFirst().dropLast() : host
        let allowed: (UInt8) -> Bool = { byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"):
                true
            case UInt8(ascii: ":"): isBracketed
            default: false
            }
        }
        guard !name.isEmpty, name.utf8.allSatisfy(allowed) else { return nil }
        return (host.lowercased(), port)
    }

    /// The port, or the default port of the scheme.
    var effectivePort: Int { port ?? (scheme == "https" ? 443 : 80) }

    /// The origin as text.
    var text: String { "\(scheme)://\(host)" + (port.map { ":\($0)" } ?? "") }

    /// Whether the host is this machine, also by the address that it has in Android's emulator (10.0.2.2).
    var isLoopback: Bool {
        host == "localhost" || host == "127.0.0.1" || host == "[::1]" || host == "10.0.2.2"
    }
}
