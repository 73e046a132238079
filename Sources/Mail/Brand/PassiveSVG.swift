/// Checks that an SVG file is only a drawing: without scripts, and without references to other files.
///
/// The server also serves the file with a content security policy that runs no script, and pages show it as an image,
/// which runs none either. The check tells operators at the start, before a browser drops a part of their logo.
enum PassiveSVG {
    /// Elements that run scripts, contain other documents, or change attributes later.
    private static let activeElements: Set<String> = [
        "script", "foreignobject", "iframe", "embed", "object", "handler", "listener", "animate", "set", "audio",
        "video",
    ]

    /// Checks a file.
    ///
    /// - Throws: `TemplateError` with file and line for the first problem.
    static func check(_ bytes: [UInt8], file: String) throws(TemplateError) {
        guard let text = String(validating: bytes, as: UTF8.self) else {
            throw TemplateError(file: file, line: nil, reason: "the logo is neither a PNG nor an SVG file")
        }
        var reader = TagReader(text)
        var isRooted = false
        while let tag = reader.next() {
            func failure(_ reason: String) -> TemplateError {
                TemplateError(file: file, line: reader.line, reason: reason)
            }
            if let problem = problem(of: tag) { throw failure(problem) }
            guard !tag.isDeclaration, !tag.name.hasPrefix("/") else { continue }
            if !isRooted, tag.name != "svg" { throw failure("the logo is neither a PNG nor an SVG file") }
            isRooted = true
        }
        guard isRooted else {
            throw TemplateError(file: file, line: nil, reason: "the logo is neither a PNG nor an SVG file")
        }
        if let line = lineOfForeignStyle(in: text) {
            throw TemplateError(file: file, line: line, reason: "a style that loads something from elsewhere")
        }
    }

    private static func problem(of tag: TagReader.Tag) -> String? {
        if tag.isDeclaration {
            return tag.name.hasPrefix("!entity") || tag.content.contains("[") ? "an entity declaration" : nil
        }
        if activeElements.contains(tag.name) { return "the element '\(tag.name)', which a logo must not have" }
        for (name, value) in tag.attributes {
            if name.hasPrefix("on") { return "the attribute '\(name)', which runs a script" }
            if name == "href" || name == "src", !isInternal(value) {
                return "a reference to something outside of the file"
            }
        }
        return nil
    }

    /// Whether a reference leads to a part of the same file or to an image in the reference itself.
    private static func isInternal(_ reference: String) -> Bool {
        let images = ["png", "jpeg", "gif", "webp"].map { "data:image/\($0)" }
        return reference.hasPrefix("#") || images.contains { reference.lowercased().hasPrefix($0) }
    }

    /// Returns the line of the first `@import`, or of the first `url(…)` that does not lead to the file itself.
    private static func lineOfForeignStyle(in text: String) -> Int? {
        for (index, line) in text.split(separator: "\n", omittingEmptySubsequences: false).enumerated() {
            let lower = line.lowercased()
            if lower.contains("@import") || lower.contains("\\") { return index + 1 }
            for part in lower.components(after: "url(") {
                let reference = part.drop { $0.isWhitespace || $0 == "\"" || $0 == "'" }
                if !isInternal(String(reference)), !reference.hasPrefix("&quot;#") { return index + 1 }
            }
        }
        return nil
    }
}

/// Reads the tags of an XML text one by one.
private struct TagReader {
    struct Tag {
        /// The name in lower case and without its prefix; a closing tag's starts with a slash.
        let name: String
        /// Whether this is `<!…>` or `<?…>`.
        let isDeclaration: Bool
        /// What stands between the angle brackets.
        let content: Substring

        /// The attributes, with names in lower case and without their prefixes.
        var attributes: [(name: String, value: String)] {
            var found: [(String, String)] = []
            var rest = content.drop { !$0.isWhitespace && $0 != "/" }
            while let start = rest.firstIndex(where: { !$0.isWhitespace && $0 != "/" }) {
                rest = rest[start...]
                let name = rest.prefix { !$0.isWhitespace && $0 != "=" && $0 != "/" }
                rest = rest[name.endIndex...].drop(while: \.isWhitespace)
                guard rest.first == "=" else {
                    found.append((Self.local(name), ""))
                    if name.isEmpty { rest = rest.dropFirst() }
                    continue
                }
                rest = rest.dropFirst().drop(while: \.isWhitespace)
                let value: Substring
                if let quote = rest.first, quote == "\"" || quote == "'" {
                    value = rest.dropFirst().prefix { $0 != quote }
                    rest = rest[value.endIndex...].dropFirst()
                } else {
                    value = rest.prefix { !$0.isWhitespace }
                    rest = rest[value.endIndex...]
                }
                found.append((Self.local(name), String(value.drop(while: \.isWhitespace))))
            }
            return found
        }

        static func local(_ name: Substring) -> String {
            (name.split(separator: ":", omittingEmptySubsequences: false).last ?? name).lowercased()
        }
    }

    private var rest: Substring
    /// The line of the tag that was read last, from 1.
    private(set) var line = 1

    init(_ text: String) {
        rest = text[...]
    }

    /// Returns the next tag that is no comment; `nil` at the end.
    mutating func next() -> Tag? {
        while let open = rest.firstIndex(of: "<") {
            skip(to: open)
            let isComment = rest.hasPrefix("<!--")
            guard let end = end(of: isComment ? "-->" : rest.hasPrefix("<![CDATA[") ? "]]>" : nil) else { return nil }
            let content = rest[rest.index(after: rest.startIndex)..<end]
            skippedLines = content.count { $0.isNewline }
            rest = rest[end...]
            if isComment { continue }
            let name = content.prefix { !$0.isWhitespace }
            let isClosing = name.hasPrefix("/")
            let isDeclaration = name.hasPrefix("!") || name.hasPrefix("?")
            let bare = isDeclaration ? name.lowercased() : Tag.local(name.drop { $0 == "/" }.prefix { $0 != "/" })
            return Tag(name: (isClosing ? "/" : "") + bare, isDeclaration: isDeclaration, content: content)
        }
        return nil
    }

    private var skippedLines = 0

    private mutating func skip(to index: Substring.Index) {
        line += skippedLines + rest[..<index].count { $0.isNewline }
        skippedLines = 0
        rest = rest[index...]
    }

    /// Returns where the tag at the start ends: at a text, or at the first `>` outside of quotes.
    private func end(of text: String?) -> Substring.Index? {
        if let text { return rest.firstRange(of: text)?.upperBound }
        var quote: Character?
        for index in rest.indices {
            let character = rest[index]
            if let open = quote {
                if character == open { quote = nil }
            } else if character == "\"" || character == "'" {
                quote = character
            } else if character == ">" {
                return index
            }
        }
        return nil
    }
}

extension String {
    /// Returns the texts that follow each occurrence of a text.
    fileprivate func components(after text: String) -> [Substring] {
        var found: [Substring] = []
        var rest = self[...]
        while let range = rest.firstRange(of: text) {
            rest = rest[range.upperBound...]
            found.append(rest)
        }
        return found
    }
}
