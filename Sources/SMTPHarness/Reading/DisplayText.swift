/// Text from outside made safe to print on a terminal or a page's line.
package enum DisplayText {
    /// Replaces control characters, line separators and bidirectional formatting characters with spaces.
    ///
    /// An escape sequence in a subject must not reach a terminal.
    ///
    /// - Parameter text: any text.
    /// - Returns: the text on one line.
    package static func clean(_ text: String) -> String {
        var scalars = String.UnicodeScalarView()
        for scalar in text.unicodeScalars { scalars.append(isHarmful(scalar.value) ? " " : scalar) }
        return String(scalars)
    }

    private static func isHarmful(_ value: UInt32) -> Bool {
        switch value {
        case 0..<0x20, 0x7f..<0xa0, 0x2028...0x202e, 0x2066...0x2069, 0x200e, 0x200f: true
        default: false
        }
    }
}
