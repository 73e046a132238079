extension SMTPReply {
    /// Whether the text mentions relaying, outside of repeated addresses and names.
    ///
    /// Servers repeat the recipient in brackets, in quotes or bare, so `<relay@example.com>: user unknown` says nothing
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

    /// Words that precede the name of a mailbox in a server's text, so that "relay" after one is that name.
    private static let wordsBeforeNames: Set<String> = ["user", "mailbox", "recipient", "account", "address", "to:"]

    private static func isPunctuation(_ character: Character) -> Bool {
        !character.isLetter && !character.isNumber
    }

    /// Returns a text without bracketed parts and quoted words.
    ///
    /// A name with a dot, a hyphen or an @ needs no special care, because as a word it is not "relay".
    private static func withoutEchoes(_ text: String) -> String {
        var kept = ""
        var rest = text[...]
        while let next = rest.first {
            if let end = closing[next].flatMap({ echo(in: rest, until: $0, kept.last) }) {
                rest = rest[end...]
                // An attached suffix, such as the domain in "relay me"@example.com.
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

    /// Returns the end of a bracketed part or quoted word at the start of a text; `nil` if there is none.
    private static func echo(in text: Substring, until close: Character, _ before: Character?) -> Substring.Index? {
        let inside = text.dropFirst()
        guard let end = inside.firstIndex(of: close) else { return nil }
        let after = inside.index(after: end)
        if close == ">" || close == "]" { return after }
        // An apostrophe within a word and quoted speech are not echoes.
        guard before.map({ !$0.isLetter }) ?? true else { return nil }
        let isLocalPart = after < text.endIndex && text[after] == "@"
        return isLocalPart || !inside[..<end].contains(" ") ? after : nil
    }
}

extension Substring {
    /// Returns the text without the characters at both ends for which `isTrimmed` is true.
    fileprivate func trimming(_ isTrimmed: (Character) -> Bool) -> Substring {
        var text = self
        while let first = text.first, isTrimmed(first) { text.removeFirst() }
        while let last = text.last, isTrimmed(last) { text.removeLast() }
        return text
    }
}
