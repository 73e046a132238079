internal import JSON

/// One text of a strings file: the same for all numbers, or a form for each plural category.
package struct StringEntry: Sendable {
    package enum Forms: Sendable {
        case single(String)
        case plural([PluralCategory: String], PluralRule)
    }

    /// The name of the file with the text, for errors.
    let file: String
    package let forms: Forms

    /// The forms by category; a text without plural forms is `other`.
    package var texts: [PluralCategory: String] {
        switch forms {
        case .single(let text): [.other: text]
        case .plural(let texts, _): texts
        }
    }

    /// Returns the text with each hyphen that does not break (U+2011) as an ordinary one.
    ///
    /// Many fonts of plain text lack that character.
    func withPlainHyphens() -> StringEntry {
        func plain(_ text: String) -> String {
            String(String.UnicodeScalarView(text.unicodeScalars.map { $0 == "\u{2011}" ? "-" : $0 }))
        }
        switch forms {
        case .single(let text): return StringEntry(file: file, forms: .single(plain(text)))
        case .plural(let texts, let rule):
            return StringEntry(file: file, forms: .plural(texts.mapValues(plain), rule))
        }
    }
}

/// The texts of one language by key, with English for those that the language lacks.
package struct Strings: Sendable {
    private let own: [String: StringEntry]
    private let english: [String: StringEntry]

    init(own: [String: StringEntry], english: [String: StringEntry]) {
        self.own = own
        self.english = english
    }

    /// The keys that the language itself has, sorted.
    package var keys: [String] { own.keys.sorted() }

    package subscript(_ key: String) -> StringEntry? { own[key] ?? english[key] }

    /// Returns the texts with ordinary hyphens; see ``StringEntry/withPlainHyphens()``.
    func withPlainHyphens() -> Strings {
        Strings(
            own: own.mapValues { $0.withPlainHyphens() },
            english: english.mapValues { $0.withPlainHyphens() }
        )
    }

    /// Returns those of the given keys for which the language has no text but English has, sorted.
    func missing(of keys: Set<String>) -> [String] { keys.filter { own[$0] == nil && english[$0] != nil }.sorted() }

    /// Reads a strings file.
    ///
    /// - Parameters:
    ///   - text: a JSON object of strings, or of objects with a string for each plural category.
    ///   - file: its name, for errors.
    ///   - locale: the language, for its plural rule.
    /// - Throws: `TemplateError` for the first problem.
    static func parse(_ text: String, file: String, locale: String) throws(TemplateError) -> [String: StringEntry] {
        let members = try object(text, file: file).members
        var entries: [String: StringEntry] = [:]
        for member in members {
            entries[member.name] = StringEntry(
                file: file,
                forms: try forms(of: member, file: file, rule: PluralRule(locale))
            )
        }
        return entries
    }

    private static func object(_ text: String, file: String) throws(TemplateError) -> JSONObject {
        do throws(JSONError) {
            if let object = try JSONValue.parse(text).object { return object }
        } catch {
            let line = text.utf8.prefix(error.offset).count { $0 == UInt8(ascii: "\n") } + 1
            throw TemplateError(file: file, line: line, reason: "not JSON: \(error.kind.rawValue)")
        }
        throw TemplateError(file: file, line: nil, reason: "not a JSON object")
    }

    private static func forms(
        of member: (name: String, value: JSONValue),
        file: String,
        rule: PluralRule
    ) throws(TemplateError) -> StringEntry.Forms {
        if let text = member.value.string { return .single(text) }
        func failure(_ reason: String) -> TemplateError {
            TemplateError(file: file, line: nil, reason: "'\(member.name)' \(reason)")
        }
        guard let object = member.value.object else {
            throw failure("is neither a string nor an object of plural forms")
        }
        var texts: [PluralCategory: String] = [:]
        for form in object.members {
            guard let category = PluralCategory(rawValue: form.name), let text = form.value.string else {
                throw failure("has the plural form '\(form.name)', which is not a string of a category of CLDR")
            }
            texts[category] = text
        }
        guard texts[.other] != nil else { throw failure("has no plural form 'other'") }
        return .plural(texts, rule)
    }
}
