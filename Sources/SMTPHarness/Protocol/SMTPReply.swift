/// One reply of an SMTP server: a three-digit code and its lines of text (RFC 5321 §4.2, RFC 2034 for the enhanced code).
package struct SMTPReply: Sendable, Equatable, Hashable {
    /// The three-digit code, 200–599.
    package let code: Int
    /// The lines of text, at least one, free of control characters.
    package let lines: [String]

    /// Creates a reply that is a valid single reply on the wire, whatever the arguments are.
    ///
    /// - Parameters:
    ///   - code: three digits; anything outside 200–599 becomes 554.
    ///   - enhanced: the enhanced status code ("5.1.3"), put before the text of every line.
    ///   - lines: the text. Control characters become spaces and long lines are cut, so that a text that came from
    ///     outside cannot forge a second reply (a reply line has 512 octets at most, RFC 5321 §4.5.3.1.5).
    package init(_ code: Int, _ enhanced: String? = nil, lines: [String]) {
        self.code = (200...599).contains(code) ? code : 554
        let prefix = enhanced.map { $0 + " " } ?? ""
        self.lines = (lines.isEmpty ? [""] : lines).map { Self.clean(prefix + $0) }
    }

    /// Creates a reply of one line.
    ///
    /// - Parameters:
    ///   - code: three digits, 200–599.
    ///   - enhanced: the enhanced status code, if any.
    ///   - text: the text after the code.
    package init(_ code: Int, _ enhanced: String? = nil, _ text: String) {
        self.init(code, enhanced, lines: [text])
    }

    /// The reply as it is sent, with its line ends.
    package var bytes: [UInt8] {
        var bytes: [UInt8] = []
        for (index, line) in lines.enumerated() {
            bytes.append(contentsOf: String(code).utf8)
            bytes.append(UInt8(ascii: index == lines.count - 1 ? " " : "-"))
            bytes.append(contentsOf: line.utf8)
            bytes.append(contentsOf: [13, 10])
        }
        return bytes
    }

    private static let maximumText = 500

    private static func clean(_ text: String) -> String {
        var bytes = text.utf8.map { $0 < 0x20 || $0 == 0x7f ? 0x20 : $0 }
        guard bytes.count > maximumText else { return String(decoding: bytes, as: UTF8.self) }
        // A cut inside a character would leave half of it: step back to where one begins.
        var end = maximumText
        while end > 0, bytes[end] & 0xc0 == 0x80 { end -= 1 }
        bytes.removeSubrange(end...)
        return String(decoding: bytes, as: UTF8.self)
    }
}
