/// A text with holes: `{{name}}`, escaped in HTML and verbatim in plain text; `{{{name}}}` raw, where allowed.
///
/// There is no logic in it. It is compiled once, and everything that could be wrong with it is found then.
package struct Template: Sendable {
    /// What the text is, and so how values are put into it.
    package enum Format: Sendable {
        /// Plain text: values verbatim.
        case text
        /// HTML: values escaped for element content and quoted attributes.
        case html
    }

    private enum Segment: Sendable {
        case literal([UInt8])
        case value(String)
        case raw(String)
    }

    /// The placeholders that the text uses.
    package let placeholders: Set<String>
    private let segments: [Segment]
    private let file: String
    private let format: Format

    /// Compiles a template.
    ///
    /// - Parameters:
    ///   - source: the text.
    ///   - file: its name, for errors.
    ///   - format: what it is.
    ///   - allowed: the placeholders there are.
    ///   - raw: those that must be raw, `{{{content}}}` in a layout.
    /// - Throws: `TemplateError` with file and line for a placeholder that is unknown, unclosed or in the wrong braces.
    package init(
        _ source: String,
        file: String,
        format: Format,
        placeholders allowed: Set<String>,
        raw: Set<String> = []
    ) throws(TemplateError) {
        var segments: [Segment] = []
        var used: Set<String> = []
        var line = 1
        var rest = Array(source.utf8)[...]
        while let open = rest.firstPair(of: UInt8(ascii: "{")) {
            line += rest[..<open].count { $0 == 0x0A }
            if open > rest.startIndex { segments.append(.literal(Array(rest[..<open]))) }
            let (name, isRaw, end) = try Self.placeholder(rest[open...], file: file, line: line)
            guard isRaw ? raw.contains(name) : allowed.contains(name) else {
                throw TemplateError(
                    file: file,
                    line: line,
                    reason: isRaw || raw.contains(name)
                        ? "'\(name)' in the wrong number of braces" : "unknown placeholder '\(name)'"
                )
            }
            segments.append(isRaw ? .raw(name) : .value(name))
            used.insert(name)
            rest = rest[end...]
        }
        if !rest.isEmpty { segments.append(.literal(Array(rest))) }
        placeholders = used
        self.segments = segments
        self.file = file
        self.format = format
    }

    /// Fills the holes.
    ///
    /// - Parameter values: a value for each placeholder that the template uses; others are ignored.
    /// - Returns: the filled text, in UTF-8.
    /// - Throws: `TemplateError` naming a placeholder without a value.
    package func render(_ values: [String: String]) throws(TemplateError) -> [UInt8] {
        var output: [UInt8] = []
        for segment in segments {
            switch segment {
            case .literal(let bytes): output += bytes
            case .raw(let name): output += try value(name, values).utf8
            case .value(let name):
                let value = try value(name, values)
                switch format {
                case .text: output += value.utf8
                case .html: HTML.escape(value, into: &output)
                }
            }
        }
        return output
    }

    /// Fills the holes; see `render(_:)`.
    package func renderText(_ values: [String: String]) throws(TemplateError) -> String {
        String(decoding: try render(values), as: UTF8.self)
    }

    private func value(_ name: String, _ values: [String: String]) throws(TemplateError) -> String {
        guard let value = values[name] else {
            throw TemplateError(file: file, line: nil, reason: "no value for '\(name)'")
        }
        return value
    }

    /// Reads the placeholder at the start of `text`.
    private static func placeholder(
        _ text: ArraySlice<UInt8>,
        file: String,
        line: Int
    ) throws(TemplateError) -> (name: String, isRaw: Bool, end: Int) {
        let braces = text.prefix { $0 == UInt8(ascii: "{") }.count
        let name = text.dropFirst(braces).prefix {
            (0x30...0x39).contains($0) || (0x41...0x5A).contains($0 & 0xDF) || $0 == UInt8(ascii: "_")
        }
        let close = text[name.endIndex...].prefix { $0 == UInt8(ascii: "}") }.prefix(braces)
        guard braces <= 3, !name.isEmpty, close.count == braces else {
            throw TemplateError(file: file, line: line, reason: "a placeholder that is not {{name}}")
        }
        return (String(decoding: name, as: UTF8.self), braces == 3, close.endIndex)
    }
}

extension ArraySlice<UInt8> {
    /// Where the same byte stands twice in a row.
    fileprivate func firstPair(of byte: UInt8) -> Int? {
        var start = startIndex
        while let index = self[start...].firstIndex(of: byte) {
            if index + 1 < endIndex, self[index + 1] == byte { return index }
            start = index + 1
        }
        return nil
    }
}
