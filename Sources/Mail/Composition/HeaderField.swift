/// Header fields, encoded and folded (RFC 5322 section 2.2.3, RFC 2047).
///
/// The fields do not end with CR LF, which is added when the e-mail is transferred.
package enum HeaderField {
    private static let fold = "\r\n "
    private static let limit = 78

    /// Returns a field of free text, such as Subject.
    package static func unstructured(_ name: String, _ text: HeaderText) -> String {
        let words = text.text.split(separator: " ").map { String($0) }
        let isPlain = text.text.utf8.allSatisfy { (0x20...0x7E).contains($0) } && !text.text.contains("=?")
        guard isPlain, words.allSatisfy({ $0.utf8.count <= limit - name.utf8.count - 2 }) else {
            let encoded = EncodedWords(words.joined(separator: " "), after: name.utf8.count + 2)
            return "\(name): " + encoded.words.joined(separator: fold)
        }
        return joined("\(name):", words)
    }

    /// Returns a field with one mailbox, such as From and To.
    ///
    /// - Parameters:
    ///   - name: the field's name.
    ///   - displayName: the name shown to readers; nil or empty for the address alone.
    ///   - address: the canonical address, without angle brackets.
    /// - Returns: the whole field.
    package static func mailbox(_ name: String, displayName: HeaderText?, address: String) -> String {
        guard let text = displayName?.text, !text.isEmpty else { return joined("\(name):", ["<\(address)>"]) }
        let words = phrase(text, after: name.utf8.count + 2)
        return joined("\(name):", words + ["<\(address)>"])
    }

    /// Encodes a phrase (RFC 5322 section 3.2.5): atoms as they are, a quoted string for specials, encoded words for
    /// the rest.
    private static func phrase(_ text: String, after column: Int) -> [String] {
        let isPrintable = text.utf8.allSatisfy { (0x20...0x7E).contains($0) }
        guard isPrintable, text.utf8.count <= 60, !text.contains("=?") else {
            return EncodedWords(text, after: column).words
        }
        let words = text.split(separator: " ", omittingEmptySubsequences: false)
        if words.allSatisfy({ !$0.isEmpty && $0.utf8.allSatisfy(isAtomText) }) { return words.map { String($0) } }
        return ["\"" + text.flatMap { $0 == "\"" || $0 == "\\" ? ["\\", $0] : [$0] } + "\""]
    }

    /// Whether a byte is `atext` (RFC 5322 section 3.2.3), which needs no quotes in a phrase.
    private static func isAtomText(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"):
            true
        default: "!#$%&'*+-/=?^_`{|}~".utf8.contains(byte)
        }
    }

    /// Joins words with spaces, or with folds where the line would become too long.
    private static func joined(_ start: String, _ words: [String]) -> String {
        var field = start
        var column = start.utf8.count
        for word in words {
            if column + 1 + word.utf8.count > limit, column > 1 {
                field += fold + word
                column = 1 + word.utf8.count
            } else {
                field += " " + word
                column += 1 + word.utf8.count
            }
        }
        return field
    }
}
