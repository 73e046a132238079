internal import Server

/// An allowed continue URL stays on an allowed host, checked by a rule that is independent of the one in use.
func fuzzOrigin(_ bytes: [UInt8]) {
    let text = String(decoding: bytes, as: UTF8.self)
    for (rules, hosts) in [(strict, strictHosts), (local, localHosts)] {
        guard let url = try? rules.check(text) else { continue }
        claim(leads(url, to: hosts), "\(url) is allowed")
        claim(text.utf8.starts(with: url.utf8) && !url.utf8.contains(UInt8(ascii: "#")), "\(url) of \(text)")
        claim((try? rules.check(url)) == url, "an allowed URL is not allowed")
    }
}

private let strictHosts: Set<String> = [
    "https://app.example.com:443", "https://other.example:8443", "https://xn--bcher-kva.example:443",
]
private let localHosts: Set<String> = strictHosts.union(["http://localhost:*"])

private let strict = AllowedOrigins(
    configuration([
        "LATCHKEY_MODE": "production", "LATCHKEY_SECRET": World.secretText,
        "LATCHKEY_SMTP_URL": "smtp://mail.example.com:587", "LATCHKEY_MAIL_FROM": "a@example.com",
        "LATCHKEY_PUBLIC_URL": "https://auth.example.com",
        "LATCHKEY_ALLOWED_ORIGINS": "https://app.example.com,https://other.example:8443,https://xn--bcher-kva.example",
    ])
)
private let local = AllowedOrigins(
    configuration([
        "LATCHKEY_ALLOWED_ORIGINS":
            "https://app.example.com,https://other.example:8443,https://xn--bcher-kva.example,http://localhost"
    ])
)

func configuration(_ environment: [String: String]) -> Configuration {
    must { try Configuration.load(file: nil, environment: environment) }
}

/// Reads a URL as browsers do (WHATWG URL).
///
/// A backslash counts as a slash, all slashes before the host are skipped, tabs and line ends are ignored, and the host
/// begins after the last `@`.
private func leads(_ url: String, to hosts: Set<String>) -> Bool {
    let bytes = url.utf8.filter { ![9, 10, 13].contains($0) }.map { $0 == UInt8(ascii: "\\") ? slash : $0 }
    guard let colon = bytes.firstIndex(of: UInt8(ascii: ":")) else { return false }
    let scheme = String(decoding: bytes[..<colon], as: UTF8.self).lowercased()
    let rest = bytes[(colon + 1)...].drop { $0 == slash }
    let authority = rest.prefix { ![slash, UInt8(ascii: "?"), UInt8(ascii: "#")].contains($0) }
    let host = authority.split(separator: UInt8(ascii: "@"), omittingEmptySubsequences: false).last ?? []
    let parts = host.split(separator: UInt8(ascii: ":"), omittingEmptySubsequences: false)
    guard (1...2).contains(parts.count) else { return false }
    let name = String(decoding: parts[0], as: UTF8.self).lowercased()
    var port = scheme == "https" ? 443 : 80
    if parts.count == 2 {
        guard parts[1].allSatisfy({ (0x30...0x39).contains($0) }), (1...5).contains(parts[1].count) else {
            return false
        }
        port = parts[1].reduce(0) { $0 * 10 + Int($1 - 0x30) }
    }
    return hosts.contains("\(scheme)://\(name):\(port)") || hosts.contains("\(scheme)://\(name):*")
}

private let slash = UInt8(ascii: "/")
