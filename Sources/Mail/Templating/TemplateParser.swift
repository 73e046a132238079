/// Splits the source of a template into text and placeholders.
///
/// `{{#code}}…{{/code}}` is kept if `code` is an allowed placeholder, and `{{^code}}…{{/code}}` if it is not, so that one
/// file serves templates with different values. A line that contains nothing but such a mark is left out.
struct TemplateParser {
    /// A part of the source between two marks.
    private struct Section {
        let name: String
        let line: Int
        let isKept: Bool
    }

    private let file: String
    private let allowed: Set<String>
    private let raw: Set<String>
    private let optional: Set<String>
    private let source: [UInt8]
    private var line = 1
    private var section: Section?
    /// The key, if the source is a text of a strings file; nil if it is a template.
    ///
    /// Such a text has no constants, and errors name the key in place of the line.
    var key: String?
    private(set) var segments: [Template.Segment] = []

    /// - Parameters:
    ///   - source: the text.
    ///   - file: its name, for errors.
    ///   - allowed: the known placeholders.
    ///   - raw: the placeholders that must be raw.
    ///   - optional: the names that marks of sections may have.
    init(
        _ source: String,
        file: String,
        placeholders allowed: Set<String>,
        raw: Set<String>,
        optional: Set<String> = []
    ) {
        self.file = file
        self.allowed = allowed
        self.raw = raw
        self.optional = optional
        self.source = Array(source.utf8)
    }

    /// Reads the whole source.
    ///
    /// - Throws: `TemplateError` for a placeholder that is unknown, unclosed or in the wrong braces, and for a section
    ///   without its end.
    mutating func run() throws(TemplateError) {
        var rest = source[...]
        while let open = rest.firstPair(of: UInt8(ascii: "{")) {
            line += rest[..<open].count { $0 == 0x0A }
            append(rest[..<open])
            rest = rest[try placeholder(rest[open...])...]
        }
        append(rest)
        if let section {
            line = section.line
            throw failure("no {{/\(section.name)}}")
        }
    }

    private mutating func append(_ literal: ArraySlice<UInt8>) {
        guard !literal.isEmpty, section?.isKept != false else { return }
        segments.append(.literal(String(decoding: literal, as: UTF8.self)))
    }

    /// Reads the placeholder at the start of `text` and returns its end.
    private mutating func placeholder(_ text: ArraySlice<UInt8>) throws(TemplateError) -> Int {
        let braces = text.prefix { $0 == UInt8(ascii: "{") }.count
        var name = text.dropFirst(braces)
        let mark = braces == 2 && !optional.isEmpty ? name.first.flatMap { Mark(rawValue: $0) } : nil
        name = (mark == nil ? name : name.dropFirst()).prefix(while: Self.isInName)
        let close = text[name.endIndex...].prefix { $0 == UInt8(ascii: "}") }.prefix(braces)
        guard braces <= 3, !name.isEmpty, close.count == braces else {
            throw failure("a placeholder that is not {{name}}")
        }
        let word = String(decoding: name, as: UTF8.self)
        if let mark {
            try apply(mark, word)
            return endOfMark(from: name.startIndex - 3, to: close.endIndex)
        }
        guard section?.isKept != false else { return close.endIndex }
        segments.append(try segment(word, isRaw: braces == 3))
        return close.endIndex
    }

    /// The kinds of marks of sections.
    private enum Mark: UInt8 {
        case with = 0x23  // #
        case without = 0x5E  // ^
        case end = 0x2F  // /
    }

    private mutating func apply(_ mark: Mark, _ name: String) throws(TemplateError) {
        guard optional.contains(name) else { throw failure("unknown placeholder '\(name)'") }
        if mark == .end {
            guard section?.name == name else { throw failure("{{/\(name)}} without its start") }
            section = nil
        } else {
            guard section == nil else { throw failure("a section inside of a section") }
            section = Section(name: name, line: line, isKept: allowed.contains(name) == (mark == .with))
        }
    }

    /// The end of a mark, including the line break after it if the mark is alone on its line.
    private mutating func endOfMark(from start: Int, to end: Int) -> Int {
        let isFirst = start == source.startIndex || source[start - 1] == 0x0A
        guard isFirst, end < source.endIndex, source[end] == 0x0A else { return end }
        line += 1
        return end + 1
    }

    private func segment(_ name: String, isRaw: Bool) throws(TemplateError) -> Template.Segment {
        if name.contains("."), !isRaw, key == nil { return .constant(name, line) }
        guard isRaw ? raw.contains(name) : allowed.contains(name) else {
            if isRaw || raw.contains(name) { throw failure("'\(name)' in the wrong number of braces") }
            guard !optional.contains(name) else {
                throw failure("'\(name)' outside of {{#\(name)}} and {{/\(name)}}, although not every e-mail has it")
            }
            throw failure("unknown placeholder '\(name)'")
        }
        return isRaw ? .raw(name) : .value(name)
    }

    private static func isInName(_ byte: UInt8) -> Bool {
        (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte & 0xDF) || byte == UInt8(ascii: "_")
            || byte == UInt8(ascii: ".")
    }

    private func failure(_ reason: String) -> TemplateError {
        guard let key else { return TemplateError(file: file, line: line, reason: reason) }
        return TemplateError(file: file, line: nil, reason: "'\(key)' has \(reason)")
    }
}

extension ArraySlice<UInt8> {
    /// Returns the first position at which a byte occurs twice in a row; nil if there is none.
    fileprivate func firstPair(of byte: UInt8) -> Int? {
        var start = startIndex
        while let index = self[start...].firstIndex(of: byte) {
            if index + 1 < endIndex, self[index + 1] == byte { return index }
            start = index + 1
        }
        return nil
    }
}
