/// The templates and the texts of all languages, loaded but not yet compiled.
package struct TemplateLibrary: Sendable {
    package let folder: TemplateFolder
    package let colors: Colors
    /// The brand that the layouts show.
    package let brand: Brand
    /// The texts of each language, by language tag.
    package let languages: [String: Strings]
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
        folder = try TemplateFolder(overriding: path)
        try MovedTemplates.check(folder)
        colors = try Colors(folder, brand: brand)
        self.brand = brand
        var own: [String: [String: StringEntry]] = [:]
        var ownKeys = [folder.displayName(TemplateFolder.colors): colors.ownNames]
        for file in folder.paths(below: "strings") {
            let locale = try Self.locale(of: file, folder)
            for version in try folder.versions("strings/\(file)") {
                let entries = try Strings.parse(version.text, file: version.name, locale: locale)
                own[locale, default: [:]].merge(entries) { $1 }
                if version.isOwn { ownKeys[version.name] = entries.keys.sorted() }
            }
        }
        guard own[defaultLocale] != nil else {
            throw TemplateError(
                file: folder.displayName("strings/\(defaultLocale).json"),
                line: nil,
                reason: "the default language has no texts"
            )
        }
        let english = own["en"] ?? [:]
        languages = own.mapValues { Strings(own: $0, english: english) }
        self.defaultLocale = defaultLocale
        self.ownKeys = ownKeys
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
    package var locales: [String] { languages.keys.sorted() }

    /// Returns what an operator should know of their files and brand: unknown keys, languages that lack texts, and
    /// colors that contrast too little.
    ///
    /// - Parameter keys: the keys and colors that the templates use.
    package func warnings(using keys: Set<String>) -> [String] {
        let unknown = ownKeys.sorted { $0.key < $1.key }.compactMap { file, own in
            let strangers = own.filter { !keys.contains($0) }
            return strangers.isEmpty ? nil : "\(file): no template uses \(strangers.joined(separator: ", "))"
        }
        let incomplete = locales.compactMap { locale in
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
