extension SMTPReply {
    /// The code and the whole text of the reply on one line, as ``withoutAddresses(_:of:)`` leaves it.
    ///
    /// - Parameter recipient: the address that the e-mail went to.
    package func traced(to recipient: String) -> String {
        "\(code) \(Self.withoutAddresses(wholeText, of: recipient))"
    }

    /// Returns a text of a mail server in which `[address]` stands for each address and for each name of the recipient.
    ///
    /// A word with an `@`, also in percent encoding, counts as an address. The part of the recipient before the `@` is
    /// replaced wherever it stands alone, and so are its parts of four or more letters and digits, because servers
    /// repeat names without their tags.
    ///
    /// - Parameters:
    ///   - text: printable ASCII.
    ///   - recipient: the address that the e-mail went to.
    package static func withoutAddresses(_ text: String, of recipient: String) -> String {
        let local = recipient.prefix(upTo: recipient.lastIndex(of: "@") ?? recipient.endIndex).lowercased()
        var names = Set(local.split { !$0.isLetter && !$0.isNumber }.filter { $0.count >= 4 }.map(String.init))
        names.insert(local)
        return text.split(separator: " ").map { word in
            let lowercased = word.lowercased()
            if lowercased.contains("@") || lowercased.contains("%40") { return replacement(of: word) }
            return names.contains { contains(lowercased, $0) } ? replacement(of: word) : String(word)
        }
        .joined(separator: " ")
    }

    /// Whether a word contains a name between characters that are neither letters nor digits.
    private static func contains(_ word: String, _ name: String) -> Bool {
        guard !name.isEmpty else { return false }
        var rest = word[...]
        while let range = rest.firstRange(of: name) {
            let isStart = range.lowerBound == word.startIndex || isBoundary(word[word.index(before: range.lowerBound)])
            let isEnd = range.upperBound == word.endIndex || isBoundary(word[range.upperBound])
            if isStart, isEnd { return true }
            rest = rest[word.index(after: range.lowerBound)...]
        }
        return false
    }

    private static func isBoundary(_ character: Character) -> Bool { !character.isLetter && !character.isNumber }

    /// Keeps the punctuation at the end of a replaced word.
    private static func replacement(of word: Substring) -> String {
        "[address]" + word.reversed().prefix { ".,:;".contains($0) }.reversed()
    }
}
