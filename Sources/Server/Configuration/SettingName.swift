/// The names of settings: the key in the configuration file, and the environment variable.
enum SettingName {
    /// Returns the environment variable of a key: `LATCHKEY_SMTP_URL` for `smtpURL`.
    static func variable(of key: String) -> String {
        "LATCHKEY_" + words(of: key).map { $0.uppercased() }.joined(separator: "_")
    }

    private static func words(of key: String) -> [String] {
        // For a `File` key, the suffix follows the words of the value's key: smtpURLFile is SMTP_URL_FILE.
        if key.hasSuffix("File") { return words(of: String(key.dropLast(4))) + ["file"] }
        var words: [String] = [""]
        var previous: Character = "."
        for character in key {
            if character == "." {
                words.append("")
            } else if character.isUppercase && !previous.isUppercase {
                words.append(character.lowercased())
            } else {
                words[words.count - 1] += character.lowercased()
            }
            previous = character
        }
        return words
    }

    /// Returns the known name that an unknown one may stand for; `nil` if none is near.
    ///
    /// Case and dots do not count, because other servers write them in other places: `smtp.url` stands for `smtpURL`.
    static func nearest(to name: String, among known: Set<String>) -> String? {
        let isVariable = name.hasPrefix("LATCHKEY_")
        let ranked = known.filter { $0.hasPrefix("LATCHKEY_") == isVariable }
            .map { (name: $0, distance: Suggestion.distance(folded(name), folded($0))) }
        guard let best = ranked.min(by: { ($0.distance, $0.name) < ($1.distance, $1.name) }) else { return nil }
        return best.distance <= max(2, name.count / 3) ? best.name : nil
    }

    private static func folded(_ name: String) -> String { name.lowercased().filter { $0 != "." } }
}
