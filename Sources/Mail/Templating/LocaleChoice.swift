/// Chooses a client's language from the available ones.
package enum LocaleChoice {
    /// The languages that the project includes.
    package static let shipped = [
        "ar", "de", "en", "es", "fr", "he", "id", "it", "ja", "ko", "nl", "pl", "pt-BR", "sv", "tr", "uk", "zh-CN",
        "zh-TW",
    ]

    /// Former codes of languages, which Java and old devices send, with the present ones.
    static let formerCodes = ["in": "id", "iw": "he", "ji": "yi", "mo": "ro", "sh": "sr"]

    /// Chooses a language: the app's, then the device's preferences, then the default.
    ///
    /// - Parameters:
    ///   - available: the available languages, as language tags (RFC 5646).
    ///   - fallback: the configured default.
    ///   - header: the value of `X-Firebase-Locale`, one language tag.
    ///   - acceptLanguage: the value of `Accept-Language` (RFC 9110 section 12.5.4).
    /// - Returns: one of `available`, or `fallback`.
    package static func choose(
        from available: [String],
        default fallback: String,
        header: String?,
        acceptLanguage: String?
    ) -> String {
        if let header, let found = lookup(header.trimmingSpaces, in: available) { return found }
        for range in ranges(acceptLanguage ?? "") {
            if let found = lookup(range, in: available) { return found }
        }
        return fallback
    }

    /// The direction in which a language is written, for HTML's `dir`.
    package static func direction(_ locale: String) -> String {
        let language = locale.prefix { $0 != "-" }.lowercased()
        return ["ar", "dv", "fa", "he", "ku", "ps", "sd", "ug", "ur", "yi"].contains(language) ? "rtl" : "ltr"
    }

    /// Looks up a range as in RFC 4647 section 3.4: the range itself, then with fewer and fewer subtags; nil if no
    /// language matches.
    ///
    /// In addition, a range such as "pt" matches a language that exists only with a region: for Portuguese speakers,
    /// Brazilian Portuguese is better than English.
    private static func lookup(_ range: String, in available: [String]) -> String? {
        // Apps send "pt_BR" for "pt-BR".
        var subtags = range.lowercased().split(whereSeparator: { $0 == "-" || $0 == "_" })
        guard var language = subtags.first, language != "*", range.utf8.count <= 64 else { return nil }
        if let present = formerCodes[String(language)] {
            language = present[...]
            subtags[0] = language
        }
        let chinese = language == "zh" ? chinese(subtags) : nil
        while !subtags.isEmpty {
            let tag = subtags.joined(separator: "-")
            if let found = available.first(where: { $0.lowercased() == tag }) { return found }
            // A script or region of Chinese is not given up before the script that it means was tried.
            if let chinese, subtags.count <= 2, let found = available.first(where: { $0.lowercased() == chinese }) {
                return found
            }
            subtags.removeLast()
            // A single letter only introduces the subtag after it.
            if subtags.last?.count == 1 { subtags.removeLast() }
        }
        return available.first { $0.lowercased().hasPrefix(language + "-") }
    }

    /// Returns the tag of the Chinese texts that a range means: the traditional script of Taiwan also for Hong Kong and
    /// Macau, and otherwise the simplified script of the mainland.
    private static func chinese(_ subtags: [Substring]) -> String {
        if subtags.contains("hans") { return "zh-cn" }
        return subtags.contains { ["hant", "tw", "hk", "mo"].contains($0) } ? "zh-tw" : "zh-cn"
    }

    /// Returns the ranges by descending quality, in the client's order for equal quality, without invalid ones and
    /// those of quality 0.
    private static func ranges(_ value: String) -> [String] {
        var ranges: [(range: String, quality: Int)] = []
        for item in value.prefix(1000).split(separator: ",").prefix(32) {
            let parts = item.split(separator: ";").map { $0.trimmingSpaces }
            guard let range = parts.first, !range.isEmpty, parts.count <= 2 else { continue }
            let quality = parts.count == 1 ? 1000 : Self.quality(parts[1])
            if let quality, quality > 0 { ranges.append((range, quality)) }
        }
        // Swift's sort is stable, so equal ones keep the client's order.
        return ranges.sorted { $0.quality > $1.quality }.map(\.range)
    }

    /// Parses "q=0.8" in thousandths (RFC 9110 section 12.4.2); nil if it is invalid.
    private static func quality(_ parameter: String) -> Int? {
        let text = parameter.lowercased()
        guard text.hasPrefix("q=") else { return nil }
        let parts = text.dropFirst(2).split(separator: ".", maxSplits: 1, omittingEmptySubsequences: false)
        guard let whole = parts.first, whole == "0" || whole == "1" else { return nil }
        let decimals = parts.count == 2 ? parts[1] : ""
        guard decimals.utf8.count <= 3, decimals.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
        let thousandths = Int(decimals + String(repeating: "0", count: 3 - decimals.utf8.count)) ?? 0
        return min(1000, (whole == "1" ? 1000 : 0) + thousandths)
    }
}
