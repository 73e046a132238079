/// Text of a single line, made from text of unknown origin.
///
/// C0, DEL and C1 controls, line and paragraph separators, and the bidirectional characters that embed, override or
/// isolate text count as control characters.
package enum SingleLine {
    /// Returns a text without control characters at its ends, and with every other run of them replaced with one space.
    package static func of(_ text: String) -> String {
        guard !accepts(text) else { return text }
        return text.unicodeScalars.split(whereSeparator: isControl).map { String($0) }.joined(separator: " ")
    }

    /// Whether a text has no control character, and thus no line break.
    package static func accepts(_ text: String) -> Bool {
        !text.unicodeScalars.contains(where: isControl)
    }

    private static func isControl(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0x00...0x1F, 0x7F...0x9F, 0x2028, 0x2029, 0x202A...0x202E, 0x2066...0x2069: true
        default: false
        }
    }
}
