internal import Accounts

/// Text that is safe in a header: it is a single line (``SingleLine``), without a line break that would start another
/// header.
package struct HeaderText: Sendable, Equatable {
    /// The error for a text that contains a control character.
    package struct Refused: Error, Sendable, Equatable, CustomStringConvertible {
        package let description = "a control character"
    }

    package let text: String

    /// Accepts text unchanged.
    ///
    /// - Throws: ``Refused`` for text with a control character.
    package init(_ text: String) throws(Refused) {
        guard SingleLine.accepts(text) else { throw Refused() }
        self.text = text
    }

    /// Accepts text, removes control characters at its ends, and replaces every other run of them with one space.
    package init(cleaning text: String) {
        self.text = SingleLine.of(text)
    }
}
