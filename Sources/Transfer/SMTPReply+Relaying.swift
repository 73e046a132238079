extension SMTPReply {
    /// Whether the server speaks of relaying, outside of the addresses and names that it repeats.
    ///
    /// Servers repeat the recipient in brackets, in quotes or bare, so that `<relay@example.com>: user unknown` says nothing
    /// about relaying.
    var namesRelaying: Bool {
        var previous = ""
        for word in Self.withoutEchoes(text).lowercased().split(separator: " ") {
            // "relay: no such user" and "relay... User unknown" repeat a local part.
            let isEcho = word.hasSuffix(":") || word.hasSuffix("...") || Self.wordsBeforeNames.contains(previous)
            let bare = word.trimming(Self.isPunctuation)
            if ["relay", "relays", "relayed", "relaying"].contains(bare), !isEcho { return true }
            previous = String(bare)
        }
        return false
    }

    /// Words that the name of a mailbox follows.
    private static let wordsBeforeNames: Set<String> = ["user", "mailbox", "recipient", "account", "address", "to:"]

    private static func isPunctuation(_ character: Character) -> Bool {
        !character.isLetter && !character.isNumber
    }

    /// A text without what stands in brackets, and without quoted words.
    ///
    /// A name with a dot, a hyphen or an @ in it needs no care: as a word it is not "relay".
    private static func withoutEchoes(_ text: String) -> String {
        var kept = ""
        var rest = text[...]
        while let next = rest.first {
            if let end = closing[next].flatMap({ echo(in: rest, until: $0, kept.last) }) {
                rest = rest[end...]
                // What hangs on to it, as the domain does in "relay me"@example.com.
                if rest.first == "@" { rest = rest.drop { $0 != " " } }
                kept.append(" ")
            } else {
                kept.append(next)
                rest.removeFirst()
            }
        }
        return kept
    }

    private static let closing: [Character: Character] = ["<": ">", "[": "]", "\"": "\"", "'": "'", "`": "'"]

    /// Where an echo at the beginning of a text ends; `nil` where there is none.
    private static func echo(in text: Substring, until close: Character, _ before: Character?) -> Substring.Index? {
        let inside = text.dropFirst()
        guard let end = inside.firstIndex(of: close) else { return nil }
        let after = inside.index(after: end)
        if close == ">" || close == "]" { return after }
        // An apostrophe within a word, and quoted speech, are no echoes.
        guard before.map({ !$0.isLetter }) ?? true else { return nil }
        let isLocalPart = after < text.endIndex && text[after] == "@"
        return isLocalPart || !inside[..<end].contains(" ") ? after : nil
    }
}

extension Substring {
    /// The text without such characters at both ends.
    fileprivate func trimming(_ isTrimmed: (Character) -> Bool) -> Substring {
        var text = self
        while let first = text.first, isTrimmed(first) { text.removeFirst() }
        while let last = text.last, isTrimmed(last) { text.removeLast() }
        return text
    }
}
