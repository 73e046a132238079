internal import HTTPServer

/// Checks continue URLs for the parameters of Latchkey's links, which apps read from the URL that opens the app.
enum ContinueURL {
    /// Parameters that Latchkey's links set themselves.
    private static let actionParameters: Set<String> = [
        "mode", "lang", "apiKey", "oobCode", ActionLink.requestIDParameter,
    ]
    /// The maximum depth of URLs encoded within URLs that is checked.
    ///
    /// SDKs decode links in links.
    private static let deepestEncoding = 8

    /// Whether an app could find an action code in the URL, also in a URL that is one of its parameters: whether the
    /// text contains `oobCode` in any case, also percent-encoded, or is encoded more often than is checked.
    ///
    /// The code could be an attacker's: an app that redeems it signs its user in to the attacker's account.
    static func carriesActionCode(_ url: String) -> Bool {
        var text = Array(url.utf8)
        for _ in 0..<deepestEncoding {
            if contains(text, "oobcode") { return true }
            let decoded = decode(text)
            if decoded == text { return false }
            text = decoded
        }
        // No legitimate URL is encoded this many times.
        return true
    }

    /// The URL without the parameters that Latchkey's links set themselves.
    ///
    /// - Parameter url: a URL without fragment.
    static func withoutActionParameters(_ url: String) -> String {
        guard let mark = url.utf8.firstIndex(of: UInt8(ascii: "?")) else { return url }
        let query = url.utf8[url.utf8.index(after: mark)...]
        let kept = query.split(separator: UInt8(ascii: "&")).filter { pair in
            let name = pair.prefix { $0 != UInt8(ascii: "=") }
            return !actionParameters.contains(String(decoding: decode(Array(name)), as: UTF8.self))
        }
        let base = url[..<mark]
        return kept.isEmpty ? String(base) : "\(base)?\(kept.map { String(Substring($0)) }.joined(separator: "&"))"
    }

    /// The text with its percent-encoded bytes decoded.
    ///
    /// Everything else stays unchanged.
    private static func decode(_ text: [UInt8]) -> [UInt8] {
        var decoded: [UInt8] = []
        decoded.reserveCapacity(text.count)
        var index = 0
        while index < text.count {
            if text[index] == UInt8(ascii: "%"), index + 2 < text.count,
                let high = Character(Unicode.Scalar(text[index + 1])).hexDigitValue,
                let low = Character(Unicode.Scalar(text[index + 2])).hexDigitValue
            {
                decoded.append(UInt8(high << 4 | low))
                index += 3
            } else {
                decoded.append(text[index])
                index += 1
            }
        }
        return decoded
    }

    /// Whether a text contains a word of lower-case letters, ignoring case.
    private static func contains(_ text: [UInt8], _ word: StaticString) -> Bool {
        let word = Array("\(word)".utf8)
        guard text.count >= word.count else { return false }
        return (0...text.count - word.count).contains { start in
            zip(text[start...], word).allSatisfy { byte, letter in byte | 0x20 == letter }
        }
    }
}
