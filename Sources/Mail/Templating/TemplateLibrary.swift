/// The templates and the texts of all languages, not yet compiled.
///
/// The built-in texts of a language are read when they are first needed, and an operator's are read at once.
package struct TemplateLibrary: Sendable {
    package let folder: TemplateFolder
    package let colors: Colors
    /// The brand that the layouts show.
    package let brand: Brand
    /// The texts of each language, by language tag.
    package let languages: ByLanguage<Strings>
    /// The language for users whose own language is not available.
    package let defaultLocale: String
    /// The keys of the operator's strings files and colors, by the name of the file.
    private let ownKeys: [String: [String]]

    /// Loads the embedded templates, and an operator's templates that replace some of them.
    ///
    /// - Parameters:
    ///   - path: the operator's folder; `nil` for none.
    ///   - defaultLocale: the language for users whose own language is not available.
    ///   - brand: the operator's brand.
    /// - Throws: `TemplateError` for a file that cannot be read or stands in an old place, and if the default language
    ///   has no texts.
    package init(
        overriding path: String? = nil,
        defaultLocale: String = "en",
        brand: Brand = Brand()
    ) throws(TemplateError) {
        let folder = try TemplateFolder(overriding: path)
        self.folder = folder
        try MovedTemplates.check(folder)
        colors = try Colors(folder, brand: brand)
        self.brand = brand
        var locales: [String] = []
        for file in folder.paths(below: "strings") { locales.append(try Self.locale(of: file, folder)) }
        let own = ByLanguage(locales) { locale throws(TemplateError) in
            try Self.versions(of: locale, folder).reduce(into: [String: StringEntry]()) { entries, version in
                entries.merge(version.entries) { $1 }
            }
        }
        languages = ByLanguage(locales) { locale throws(TemplateError) in
            Strings(own: try own.value(locale) ?? [:], english: try own.value("en") ?? [:])
        }
        var ownKeys = [folder.displayName(TemplateFolder.colors): colors.ownNames]
        if folder.isOperators {
            for locale in locales {
                for version in try Self.versions(of: locale, folder) where version.isOwn {
                    ownKeys[version.name] = version.entries.keys.sorted()
                }
            }
        }
        guard locales.contains(defaultLocale) else {
            throw TemplateError(
                file: folder.displayName("strings/\(defaultLocale).json"),
                line: nil,
                reason: "the default language has no texts"
            )
        }
        self.defaultLocale = defaultLocale
        self.ownKeys = ownKeys
    }

    /// A version of a language's texts.
    private struct Version {
        let name: String
        let entries: [String: StringEntry]
        let isOwn: Bool
    }

    /// Reads the texts of a language: the embedded ones, then those of the operator, which replace some of them.
    private static func versions(of locale: String, _ folder: TemplateFolder) throws(TemplateError) -> [Version] {
        var versions: [Version] = []
        for version in try folder.versions("strings/\(locale).json") {
            let entries = try Strings.parse(version.text, file: version.name, locale: locale)
            versions.append(Version(name: version.name, entries: entries, isOwn: version.isOwn))
        }
        return versions
    }

    private static func locale(of file: String, _ folder: TemplateFolder) throws(TemplateError) -> String {
        if file.hasSuffix(".json"), !file.contains("/") { return String(file.dropLast(5)) }
        throw TemplateError(
            file: folder.displayName("strings/\(file)"),
            line: nil,
            reason: "the files in strings/ are called <locale>.json"
        )
    }

    /// The available languages, sorted.
    package var locales: [String] { languages.locales }

    /// Whether an operator's files or brand are part of the templates, so that all of them are checked at the start.
    package var isOperators: Bool { folder.isOperators || !brand.isNameOnly }

    /// Returns what an operator should know of their files and brand: unknown keys, languages that lack texts, and
    /// colors that contrast too little.
    ///
    /// - Parameter keys: the keys and colors that the templates use.
    package func warnings(using keys: Set<String>) -> [String] {
        let unknown = ownKeys.sorted { $0.key < $1.key }.compactMap { file, own in
            let strangers = own.filter { !keys.contains($0) }
            return strangers.isEmpty ? nil : "\(file): no template uses \(strangers.joined(separator: ", "))"
        }
        let changed = folder.isOperators ? locales : []
        let incomplete = changed.compactMap { locale in
            let missing = languages[locale]?.missing(of: keys) ?? []
            let file = folder.displayName("strings/\(locale).json")
            return missing.isEmpty ? nil : "\(file): English stands in for \(missing.joined(separator: ", "))"
        }
        return unknown + incomplete + colors.warnings
    }
}

extension Template {
    /// Replaces each `{{t.key}}` by a language's text.
    ///
    /// - Parameters:
    ///   - strings: the texts.
    ///   - allowed: the placeholders that they may use.
    ///   - part: what the other placeholders stand for; `nil` for those that stay.
    /// - Throws: `TemplateError` for a text that does not exist or has an unknown placeholder.
    package func filling(
        texts strings: Strings,
        placeholders allowed: Set<String>,
        _ part: (String) throws(TemplateError) -> Template? = { _ in nil }
    ) throws(TemplateError) -> Template {
        try filling { name throws(TemplateError) in
            guard name.hasPrefix("t.") else { return try part(name) }
            let key = String(name.dropFirst(2))
            guard let entry = strings[key] else { return nil }
            return try Template(key, entry, format: format, placeholders: allowed)
        }
    }

    /// The keys of the texts that the template uses, and its colors, such as "color.accent".
    package var keys: Set<String> {
        Set(constants.map { $0.hasPrefix("t.") ? String($0.dropFirst(2)) : $0 })
    }
}
