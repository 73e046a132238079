/// A text with placeholders: `{{name}}`, escaped in HTML and verbatim in plain text; `{{{name}}}` raw, where allowed.
///
/// A template contains no logic but sections, which compiling keeps or leaves out. It is compiled once, and compiling detects every error in its source. Names with a
/// dot, such as `{{t.title}}`, stand for constants, which ``filling(_:)`` replaces before the first value is known.
package struct Template: Sendable {
    /// The format of the text, which determines how values are inserted.
    package enum Format: Sendable {
        /// Plain text: values verbatim.
        case text
        /// Plain text for people, broken into lines by ``LineWrapper``.
        case wrappedText
        /// HTML: values escaped for element content and quoted attributes.
        case html
    }

    enum Segment: Sendable {
        case literal(String)
        /// Whole lines of wrapped text without values, which are broken once, at the start.
        case lines(String)
        case value(String)
        case raw(String)
        /// The name of a constant, with its dot, and its line in the source.
        case constant(String, Int)
        case plural(Plural)
    }

    /// The forms of a text that depends on a number.
    struct Plural: Sendable {
        /// The placeholder of the number.
        let number: String
        let rule: PluralRule
        let forms: [PluralCategory: [Segment]]
        let other: [Segment]
    }

    let segments: [Segment]
    let file: String
    let format: Format
    /// The bytes to reserve for the text, with room for some values.
    let capacity: Int

    /// Compiles a template.
    ///
    /// - Parameters:
    ///   - source: the text.
    ///   - file: its name, for errors.
    ///   - format: its format.
    ///   - allowed: the known placeholders.
    ///   - raw: those that must be raw, such as `{{{content}}}` in a layout.
    ///   - optional: placeholders for which the text may have sections, `{{#code}}…{{/code}}` with the placeholder and
    ///     `{{^code}}…{{/code}}` without it.
    /// - Throws: `TemplateError` with file and line for a placeholder that is unknown, unclosed or in the wrong braces.
    package init(
        _ source: String,
        file: String,
        format: Format,
        placeholders allowed: Set<String>,
        raw: Set<String> = [],
        optional: Set<String> = []
    ) throws(TemplateError) {
        var parser = TemplateParser(source, file: file, placeholders: allowed, raw: raw, optional: optional)
        try parser.run()
        self.init(segments: parser.segments, file: file, format: format)
    }

    /// Compiles a text of a strings file.
    ///
    /// - Parameters:
    ///   - key: its key, for errors.
    ///   - entry: its forms.
    ///   - format: the format of the template that it becomes a part of.
    ///   - allowed: the known placeholders.
    /// - Throws: `TemplateError` for an unknown placeholder, or if a text with plural forms has no number or several.
    package init(
        _ key: String,
        _ entry: StringEntry,
        format: Format,
        placeholders allowed: Set<String>
    ) throws(TemplateError) {
        func compile(_ text: String) throws(TemplateError) -> [Segment] {
            let source = format == .html ? HTML.escaped(text) : text
            var parser = TemplateParser(source, file: entry.file, placeholders: allowed, raw: [])
            parser.key = key
            try parser.run()
            return format == .html ? Self.isolating(parser.segments) : parser.segments
        }
        switch entry.forms {
        case .single(let text):
            self.init(segments: try compile(text), file: entry.file, format: format)
        case .plural(let texts, let rule):
            var forms: [PluralCategory: [Segment]] = [:]
            for (category, text) in texts { forms[category] = try compile(text) }
            let other = forms[.other] ?? []
            let numbers = Self.values(in: other).intersection(Self.numbers)
            guard let number = numbers.first, numbers.count == 1 else {
                let reason = "'\(key)' has plural forms, so its form 'other' needs one of the numbers "
                throw TemplateError(
                    file: entry.file,
                    line: nil,
                    reason: reason + Self.numbers.sorted().map { "{{\($0)}}" }.joined(separator: ", ")
                )
            }
            let plural = Plural(number: number, rule: rule, forms: forms, other: other)
            self.init(segments: [.plural(plural)], file: entry.file, format: format)
        }
    }

    private init(segments: [Segment], file: String, format: Format) {
        self.segments = segments
        self.file = file
        self.format = format
        capacity = segments.reduce(1024) { sum, segment in
            switch segment {
            case .literal(let text), .lines(let text): sum + text.utf8.count
            case .value, .raw, .constant, .plural: sum
            }
        }
    }

    /// Returns a template that consists of a fixed text, which is escaped for HTML.
    package static func fixed(_ text: String, format: Format) -> Template {
        Template(segments: [.literal(format == .html ? HTML.escaped(text) : text)], file: "", format: format)
    }

    /// The placeholders whose values are isolated from the text around them, because they are written from left to right
    /// in every language, in whole or in part.
    private static let isolated: Set<String> = ["account", "email", "newEmail", "time"]

    /// Returns the segments of a text in HTML with its addresses and times isolated.
    private static func isolating(_ segments: [Segment]) -> [Segment] {
        segments.flatMap { segment -> [Segment] in
            guard case .value(let name) = segment, isolated.contains(name) else { return [segment] }
            return [.literal("<bdi>"), segment, .literal("</bdi>")]
        }
    }

    /// Returns a template that consists of parts in one format, with a fixed text between them, which is not escaped.
    package static func joined(_ parts: [Template], separator: String, format: Format) -> Template {
        let segments = parts.enumerated().flatMap { index, part in
            (index == 0 ? [] : [Segment.literal(separator)]) + part.segments
        }
        return Template(segments: segments, file: "", format: format)
    }

    /// The placeholders whose values are whole numbers, which choose between plural forms.
    private static let numbers: Set<String> = ["minutes", "hours", "days"]

    /// The placeholders that the text uses, without constants.
    package var placeholders: Set<String> { Self.values(in: segments) }

    /// The names with a dot that the text uses.
    package var constants: Set<String> {
        segments.reduce(into: []) { names, segment in
            if case .constant(let name, _) = segment { names.insert(name) }
        }
    }

    private static func values(in segments: [Segment]) -> Set<String> {
        segments.reduce(into: []) { names, segment in
            switch segment {
            case .value(let name), .raw(let name): names.insert(name)
            case .plural(let plural): for form in plural.forms.values { names.formUnion(values(in: form)) }
            case .literal, .lines, .constant: break
            }
        }
    }

    /// Replaces placeholders by templates, which become parts of this one.
    ///
    /// Placeholders in plural forms stay.
    ///
    /// - Parameter part: returns what a placeholder stands for, in this template's format; `nil` if it stays.
    /// - Throws: `TemplateError` for a constant (a name with a dot) that stays, and what `part` throws.
    package func filling(_ part: (String) throws(TemplateError) -> Template?) throws(TemplateError) -> Template {
        var filled: [Segment] = []
        for segment in segments {
            switch segment {
            case .literal, .lines, .plural: filled.append(segment)
            case .value(let name), .raw(let name): filled += try part(name)?.segments ?? [segment]
            case .constant(let name, let line):
                guard let part = try part(name) else {
                    throw TemplateError(file: file, line: line, reason: "unknown text '\(name)'")
                }
                filled += part.segments
            }
        }
        let joined = Self.joined(filled)
        return Template(segments: format == .wrappedText ? Self.wrapped(joined) : joined, file: file, format: format)
    }

    /// Returns the segments of wrapped text with those lines broken that contain no values.
    private static func wrapped(_ segments: [Segment]) -> [Segment] {
        segments.enumerated().flatMap { index, segment -> [Segment] in
            guard case .literal(let text) = segment, let end = text.lastIndex(of: "\n").map(text.index(after:)) else {
                return [segment]
            }
            // The rest of a line that started with a value.
            let start = index == 0 ? text.startIndex : text.firstIndex(of: "\n").map(text.index(after:)) ?? end
            var wrapper = LineWrapper()
            wrapper.append(literal: String(text[start..<end]))
            return [
                .literal(String(text[..<start])), .lines(String(decoding: wrapper.bytes, as: UTF8.self)),
                .literal(String(text[end...])),
            ]
        }
    }

    /// Returns the segments with neighboring literals joined into one.
    private static func joined(_ segments: [Segment]) -> [Segment] {
        segments.reduce(into: []) { joined, segment in
            if case .literal(let text) = segment, case .literal(let before) = joined.last {
                joined[joined.count - 1] = .literal(before + text)
            } else {
                joined.append(segment)
            }
        }
    }
}
