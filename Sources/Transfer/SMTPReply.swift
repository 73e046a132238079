/// A server's reply to one command (RFC 5321 section 4.2).
package struct SMTPReply: Sendable, Equatable {
    /// The three digits.
    package let code: Int
    /// The enhanced status code of RFC 3463, such as "5.1.1"; nil if the reply has none.
    package let enhanced: String?
    /// The text after the code, with the enhanced code: at most 300 printable characters of ASCII.
    ///
    /// - Warning: The text often repeats addresses. Show it on the operator's own terminal only, never in a log.
    package let text: String
    /// The texts of the reply's earlier lines (``isLast(_:)``), without the codes, on one line; empty for a reply of one
    /// line.
    ///
    /// - Warning: As in ``text``, the text often repeats addresses.
    package private(set) var earlierText = ""

    /// The text of all lines on one line, with the enhanced code at its start only.
    package var wholeText: String {
        guard !earlierText.isEmpty else { return text }
        return earlierText + " " + (enhanced.map { text.dropFirst($0.utf8.count).drop { $0 == " " } } ?? text[...])
    }

    /// Parses the last line of a reply; nil for a line that does not begin with three digits.
    ///
    /// An earlier line (``isLast(_:)``) is parsed in the same way.
    package init?(line: some Collection<UInt8>) {
        let digits = line.prefix(3)
        guard digits.count == 3, digits.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
        code = digits.reduce(0) { $0 * 10 + Int($1 - 0x30) }
        let rest = line.dropFirst(4).prefix(300).map { (0x20...0x7E).contains($0) ? $0 : UInt8(ascii: " ") }
        let words = rest.split(separator: UInt8(ascii: " "))
        text = words.map { String(decoding: $0, as: UTF8.self) }.joined(separator: " ")
        enhanced = words.first.flatMap { Self.isEnhanced($0) ? String(decoding: $0, as: UTF8.self) : nil }
    }

    /// Returns the reply with the texts of its earlier lines, at most 1000 characters.
    func following(_ lines: [SMTPReply]) -> SMTPReply {
        var reply = self
        for line in lines where reply.earlierText.utf8.count + line.text.utf8.count < 1000 {
            let text =
                reply.earlierText.isEmpty || line.enhanced == nil
                ? line.text[...] : line.text.dropFirst(line.enhanced?.utf8.count ?? 0).drop { $0 == " " }
            reply.earlierText += (reply.earlierText.isEmpty ? "" : " ") + text
        }
        return reply
    }

    /// Whether this line ends its reply: "250 ", not "250-".
    static func isLast(_ line: some Collection<UInt8>) -> Bool {
        line.dropFirst(3).first != UInt8(ascii: "-")
    }

    private static func isEnhanced(_ word: some Collection<UInt8>) -> Bool {
        let parts = word.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        return parts.count == 3 && parts[0].count == 1
            && parts.allSatisfy { (1...3).contains($0.count) && $0.allSatisfy { (0x30...0x39).contains($0) } }
    }
}
