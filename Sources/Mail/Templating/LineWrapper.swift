/// Plain text that is broken into lines of at most 72 columns while it is written.
///
/// A line breaks at a space, or between two characters if one is wide, as in Japanese. Values stay whole, because they
/// are links, codes and addresses; only the app's name may break. A line without a place to break stays longer.
struct LineWrapper: TemplateOutput {
    /// The longest line, in columns.
    static let columns = 72

    /// A place where the current line may break.
    private struct Opportunity {
        /// The end of the line's text.
        let end: Int
        /// The start of the next line's text, after the space.
        let start: Int
        /// The column of `start`.
        let column: Int

        var isSpace: Bool { start > end }
    }

    var bytes: [UInt8] = []
    private var column = 0
    private var previous = Glyph.lineStart
    private var opportunity: Opportunity?
    /// The opportunity before the last space; nil without one.
    private var earlier: Opportunity?

    /// Appends text that may break.
    mutating func append(literal text: String) {
        let newline = UInt8(ascii: "\n"), space = UInt8(ascii: " ")
        var rest = Array(text.utf8)[...]
        while let byte = rest.first {
            var run = rest.prefix(1)
            switch byte {
            case newline: endLine()
            case space: appendSpace()
            case ..<0x80:
                run = rest.prefix { $0 < 0x80 && $0 != newline && $0 != space }
                append(ascii: run)
            default:
                run = rest.prefix { $0 >= 0x80 }
                for scalar in String(decoding: run, as: UTF8.self).unicodeScalars { append(scalar) }
            }
            rest = rest[run.endIndex...]
        }
    }

    /// Appends a value, which stays whole, unless it is the app's name.
    mutating func append(value: String, of placeholder: String) {
        guard placeholder != "appName" else { return append(literal: value) }
        let scalars = value.unicodeScalars
        guard let first = scalars.first, let last = scalars.last else { return }
        if placeholder == "device" {
            keepWithPreviousWord()
        } else {
            offerBreak(before: Glyph(first))
        }
        let isASCII = value.utf8.allSatisfy { $0 < 0x80 }
        column += isASCII ? value.utf8.count : scalars.reduce(0) { $0 + Glyph($1).width }
        bytes += value.utf8
        previous = Glyph(last)
        breakIfFull()
    }

    /// Appends ASCII characters other than spaces, between which no line breaks.
    private mutating func append(ascii word: ArraySlice<UInt8>) {
        guard let first = word.first, let last = word.last else { return }
        offerBreak(before: Glyph(Unicode.Scalar(first)))
        bytes += word
        column += word.count
        previous = Glyph(Unicode.Scalar(last))
        breakIfFull()
    }

    private mutating func append(_ scalar: Unicode.Scalar) {
        let glyph = Glyph(scalar)
        offerBreak(before: glyph)
        for byte in scalar.utf8 { bytes.append(byte) }
        column += glyph.width
        if glyph.width > 0 { previous = glyph }
        breakIfFull()
    }

    private mutating func appendSpace() {
        let follows = opportunity.map { $0.isSpace && $0.start == bytes.count } ?? false
        let end = follows ? opportunity?.end ?? bytes.count : bytes.count
        if !follows { earlier = opportunity }
        bytes.append(UInt8(ascii: " "))
        column += 1
        // A line does not break before its first word.
        let isBlank = previous.width == 0 && opportunity == nil
        if !isBlank { opportunity = Opportunity(end: end, start: bytes.count, column: column) }
        previous = .lineStart
    }

    private mutating func endLine() {
        bytes.append(UInt8(ascii: "\n"))
        (column, previous, opportunity, earlier) = (0, .lineStart, nil, nil)
    }

    /// Discards the places to break since the word before.
    ///
    /// Clients choose what their device is called. No line starts with it, so that it cannot pass for a sentence.
    private mutating func keepWithPreviousWord() {
        if opportunity?.start == bytes.count { opportunity = earlier }
        if opportunity?.isSpace == false { opportunity = nil }
    }

    private mutating func offerBreak(before next: Glyph) {
        guard previous.mayBreak(before: next) else { return }
        opportunity = Opportunity(end: bytes.count, start: bytes.count, column: column)
    }

    private mutating func breakIfFull() {
        guard column > Self.columns, let place = opportunity else { return }
        bytes.replaceSubrange(place.end..<place.start, with: CollectionOfOne(UInt8(ascii: "\n")))
        column -= place.column
        (opportunity, earlier) = (nil, nil)
    }
}
