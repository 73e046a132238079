/// An origin as browsers send it in the `Origin` field.
///
/// The origin is that of a web page or of an app's web view (`capacitor://localhost`), or `null` for pages without an
/// origin.
struct WebOrigin: Sendable, Hashable {
    /// The text as browsers send it: in lower case, without the scheme's default port.
    let text: String

    /// Parses an entry of `corsOrigins`; `nil` if it is not an origin.
    init?(_ entry: String) {
        let entry = entry.lowercased()
        if entry == "null" {
            text = entry
        } else if let origin = Origin(entry) {
            let usual = origin.scheme == "https" ? 443 : 80
            text = "\(origin.scheme)://\(origin.host)" + (origin.port.map { $0 == usual ? "" : ":\($0)" } ?? "")
        } else if let custom = Self.custom(entry) {
            text = custom
        } else {
            return nil
        }
    }

    /// Returns the text if it is an origin with an app's own scheme (RFC 3986, section 3.1); otherwise `nil`.
    private static func custom(_ entry: String) -> String? {
        let parts = entry.split(separator: "://", maxSplits: 1, omittingEmptySubsequences: false)
        guard entry.utf8.count <= 200, parts.count == 2, parts[0] != "http", parts[0] != "https",
            let first = parts[0].utf8.first, isLetter(first),
            parts[0].utf8.allSatisfy({ isLetter($0) || isDigit($0) || "+-.".utf8.contains($0) }), !parts[1].isEmpty,
            parts[1].utf8.allSatisfy({ isLetter($0) || isDigit($0) || "-._:".utf8.contains($0) })
        else { return nil }
        return entry
    }

    private static func isLetter(_ byte: UInt8) -> Bool { UInt8(ascii: "a")...UInt8(ascii: "z") ~= byte }
    private static func isDigit(_ byte: UInt8) -> Bool { UInt8(ascii: "0")...UInt8(ascii: "9") ~= byte }
}

extension Configuration {
    /// The origins whose pages may call the API in production: those of the setting `corsOrigins`, or if it is absent,
    /// those of `allowedOrigins` and the public URL.
    ///
    /// A page that was loaded over http may have been changed on its way, so http counts for loopback names only.
    package var webOrigins: [String] {
        (corsOrigins ?? allowedOrigins + [publicURL].compactMap(\.self)).filter { entry in
            Origin(entry).map { $0.scheme == "https" || $0.isLoopback } ?? true
        }
    }
}
