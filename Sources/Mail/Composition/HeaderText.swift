/// Text that may stand in a header: no control character, so no line end that would begin another header.
package struct HeaderText: Sendable, Equatable {
    /// The text holds a control character.
    package struct Refused: Error, Sendable, Equatable, CustomStringConvertible {
        package let description = "a control character where only text may stand"
    }

    package let text: String

    /// Takes text as it is, or refuses it.
    package init(_ text: String) throws(Refused) {
        guard !text.unicodeScalars.contains(where: Self.isControl) else { throw Refused() }
        self.text = text
    }

    /// Takes text with every run of control characters made one space.
    package init(cleaning text: String) {
        self.text = Self.cleaned(text)
    }

    /// The text with every run of control characters made one space.
    static func cleaned(_ text: String) -> String {
        guard text.unicodeScalars.contains(where: isControl) else { return text }
        return text.unicodeScalars.split(whereSeparator: isControl).map { String($0) }.joined(separator: " ")
    }

    /// C0, DEL and C1 controls, line and paragraph separators, and the marks that reorder text for the eye.
    private static func isControl(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0x00...0x1F, 0x7F...0x9F, 0x2028, 0x2029, 0x202A...0x202E, 0x2066...0x2069: true
        default: false
        }
    }
}
