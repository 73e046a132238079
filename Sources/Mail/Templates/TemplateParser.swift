/// Splits the source of a template into text and placeholders.
struct TemplateParser {
    private let file: String
    private let allowed: Set<String>
    private let raw: Set<String>
    private let source: [UInt8]
    private var line = 1
    /// The key, if the source is a text of a strings file; nil if it is a template.
    ///
    /// Such a text has no constants, and errors name the key in place of the line.
    var key: String?
    private(set) var segments: [Template.Segment] = []

    init(_ source: String, file: String, placeholders allowed: Set<String>, raw: Set<String>) {
        self.file = file
        self.allowed = allowed
        self.raw = raw
        self.source = Array(source.utf8)
    }

    /// Reads the whole source.
    ///
    /// - Throws: `TemplateError` for a placeholder that is unknown, unclosed or in the wrong braces.
    mutating func run() throws(TemplateError) {
        var rest = source[...]
        while let open = rest.firstPair(of: UInt8(ascii: "{")) {
            line += rest[..<open].count { $0 == 0x0A }
            append(rest[..<open])
            rest = rest[try placeholder(rest[open...])...]
        }
        append(rest)
    }

    private mutating func append(_ literal: ArraySlice<UInt8>) {
        guard !literal.isEmpty else { return }
        segments.append(.literal(String(decoding: literal, as: UTF8.self)))
    }

    /// Reads the placeholder at the start of `text` and returns its end.
    private mutating func placeholder(_ text: ArraySlice<UInt8>) throws(TemplateError) -> Int {
        let braces = text.prefix { $0 == UInt8(ascii: "{") }.count
        let name = text.dropFirst(braces).prefix(while: Self.isInName)
        let close = text[name.endIndex...].prefix { $0 == UInt8(ascii: "}") }.prefix(braces)
        guard braces <= 3, !name.isEmpty, close.count == braces else {
            throw failure("a placeholder that is not {{name}}")
        }
        segments.append(try segment(String(decoding: name, as: UTF8.self), isRaw: braces == 3))
        return close.endIndex
    }

    private func segment(_ name: String, isRaw: Bool) throws(TemplateError) -> Template.Segment {
        if name.contains("."), !isRaw, key == nil { return .constant(name, line) }
        guard isRaw ? raw.contains(name) : allowed.contains(name) else {
            throw failure(
                isRaw || raw.contains(name)
                    ? "'\(name)' in the wrong number of braces" : "unknown placeholder '\(name)'"
            )
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
