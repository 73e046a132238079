extension Template {
    /// Replaces the placeholders.
    ///
    /// What a value contains is never searched for placeholders.
    ///
    /// - Parameter values: a value for each placeholder that the template uses; others are ignored.
    /// - Returns: the text in UTF-8.
    /// - Throws: `TemplateError` naming a placeholder without a value.
    package func render(_ values: [String: String]) throws(TemplateError) -> [UInt8] {
        switch format {
        case .text: try render(values, to: PlainOutput.self)
        case .wrappedText: try render(values, to: LineWrapper.self)
        case .html: try render(values, to: HTMLOutput.self)
        }
    }

    /// Replaces the placeholders as ``render(_:)`` does, and returns a string.
    package func renderText(_ values: [String: String]) throws(TemplateError) -> String {
        String(decoding: try render(values), as: UTF8.self)
    }

    private func render<Output: TemplateOutput>(
        _ values: [String: String],
        to _: Output.Type
    ) throws(TemplateError) -> [UInt8] {
        var output = Output()
        output.bytes.reserveCapacity(capacity)
        try write(segments, values, to: &output)
        return output.bytes
    }

    private func write(
        _ segments: [Segment],
        _ values: [String: String],
        to output: inout some TemplateOutput
    ) throws(TemplateError) {
        for segment in segments {
            switch segment {
            case .literal(let text): output.append(literal: text)
            case .lines(let text): output.append(lines: text)
            case .raw(let name): output.append(literal: try value(name, values))
            case .value(let name): output.append(value: try value(name, values), of: name)
            case .plural(let plural):
                let category = Int(try value(plural.number, values)).map(plural.rule.category) ?? .other
                try write(plural.forms[category] ?? plural.other, values, to: &output)
            case .constant(let name, let line):
                throw TemplateError(file: file, line: line, reason: "unknown text '\(name)'")
            }
        }
    }

    private func value(_ name: String, _ values: [String: String]) throws(TemplateError) -> String {
        guard let value = values[name] else {
            throw TemplateError(file: file, line: nil, reason: "no value for '\(name)'")
        }
        return value
    }
}

/// Where a template writes its text and the values in it.
protocol TemplateOutput {
    var bytes: [UInt8] { get set }
    init()
    mutating func append(literal: String)
    mutating func append(lines: String)
    mutating func append(value: String, of placeholder: String)
}

extension TemplateOutput {
    /// Appends whole lines that need no breaking.
    mutating func append(lines: String) { bytes += lines.utf8 }
}

/// Output of plain text, into which values are written verbatim.
private struct PlainOutput: TemplateOutput {
    var bytes: [UInt8] = []
    mutating func append(literal: String) { bytes += literal.utf8 }
    mutating func append(value: String, of placeholder: String) { bytes += value.utf8 }
}

/// Output of HTML, into which values are written escaped.
private struct HTMLOutput: TemplateOutput {
    var bytes: [UInt8] = []
    mutating func append(literal: String) { bytes += literal.utf8 }
    mutating func append(value: String, of placeholder: String) { HTML.escape(value, into: &bytes) }
}
