package import Mail

/// The compiled pages in every language.
///
/// A page's file holds its structure. In it, `{{t.name}}` stands for a text in the page's language, which may contain
/// `{{placeholders}}` itself. Texts are inserted once, so that a page is one template per language: when the language is
/// first needed, and at once with an operator's files or brand.
package struct PageTemplates: Sendable {
    private struct Page: Sendable {
        let whole: Template
        /// The page without the layout, for parts that repeat.
        let content: Template
    }

    /// What belongs to one language.
    private struct Language: Sendable {
        var pages: [String: Page] = [:]
        var texts: [PageText: Template] = [:]
        let times: TimeWriter
    }

    private let languages: ByLanguage<Language>
    /// The templates of the console.
    let console: ConsoleTemplates
    /// The stylesheet of all pages.
    let style: [UInt8]
    /// The available languages, sorted.
    package let locales: [String]
    /// The language for people whose own is not available.
    var defaultLocale: String
    /// The keys of the texts and of the colors that the pages use.
    let keys: Set<String>

    /// Compiles the pages.
    ///
    /// - Parameter library: `pages/layout.html`, `pages/style.css`, the pages, the colors and the texts.
    /// - Throws: `TemplateError` for the first error, such as a missing file or text, an unknown placeholder, a file
    ///   that no page uses, or a form that does not accept three digits.
    package init(_ library: TemplateLibrary) throws(TemplateError) {
        let folder = library.folder
        let style = try folder.template("pages/style.css", format: .text, placeholders: [])
        self.style = try style.filling { library.colors.template(for: $0, format: .text) }.render([:])
        console = try ConsoleTemplates(library, style: self.style)
        try ApproveForm.check(try folder.text("pages/approve.html"), file: folder.displayName("pages/approve.html"))
        let layout = try folder.template(
            "pages/layout.html",
            format: .html,
            placeholders: ["lang", "dir", "title", "appName", "page"],
            raw: ["content"]
        )
        let contents = try Self.contents(folder)
        let brand = try BrandParts(folder, below: "pages", brand: library.brand)
        let logoPath = library.brand.logoPath ?? ""
        languages = ByLanguage(library.locales) { locale throws(TemplateError) in
            guard let strings = try library.languages.value(locale) else { throw TemplateError(noTextsIn: locale) }
            var language = Language(times: TimeWriter(locale))
            for (name, content) in contents {
                language.pages[name] = try Self.page(name, content, in: layout, strings, locale: locale) {
                    name throws(TemplateError) in
                    if name == "logoURL" { return .fixed(logoPath, format: .html) }
                    return try brand.html(name, strings) { $0 == "logoURL" ? .fixed(logoPath, format: .html) : nil }
                }
            }
            for text in PageText.allCases { language.texts[text] = try text.template(strings) }
            return language
        }
        if library.isOperators { try languages.makeAll() }
        locales = library.locales
        defaultLocale = library.defaultLocale
        let titles = contents.keys.map(Self.titleKey)
        let named = titles + PageText.allCases.map(\.rawValue)
        keys = contents.values.reduce(layout.keys.union(style.keys).union(named).union(BrandParts.keys)) {
            $0.union($1.keys)
        }.filter { !$0.hasPrefix("brand.") }
    }

    /// Chooses the language for a client: the best match of its headers, otherwise the default.
    ///
    /// - Parameters:
    ///   - header: the value of `X-Firebase-Locale`.
    ///   - acceptLanguage: the value of `Accept-Language`.
    func locale(header: String?, acceptLanguage: String?) -> String {
        LocaleChoice.choose(from: locales, default: defaultLocale, header: header, acceptLanguage: acceptLanguage)
    }

    /// Renders a complete page.
    ///
    /// - Parameters:
    ///   - name: the page's file name without its extension.
    ///   - locale: the language; the default language if it is not available.
    ///   - values: the values of the page's placeholders.
    /// - Throws: `TemplateError` if there is no such page or a value is missing.
    func render(_ name: String, locale: String, _ values: [String: String]) throws -> String {
        guard let page = (languages[locale] ?? languages[defaultLocale])?.pages[name] else {
            throw TemplateError(file: "\(name).html", line: nil, reason: "there is no such page")
        }
        return try page.whole.renderText(values)
    }

    /// Renders a part of pages, such as a row of a list, without the layout.
    ///
    /// - Parameters:
    ///   - name: the fragment's file name without its extension.
    ///   - locale: the language; the default language if it is `nil` or not available.
    ///   - values: the values of the fragment's placeholders.
    func fragment(_ name: String, locale: String? = nil, _ values: [String: String]) throws -> String {
        guard let page = (locale.flatMap { languages[$0] } ?? languages[defaultLocale])?.pages[name] else {
            throw TemplateError(file: "\(name).html", line: nil, reason: "there is no such page")
        }
        return try page.content.renderText(values)
    }

    /// Renders a text in a language, or in the default language if that is not available; empty if there is no such
    /// text.
    func text(_ text: PageText, locale: String, _ values: [String: String]) throws -> String {
        try (languages[locale] ?? languages[defaultLocale])?.texts[text]?.renderText(values) ?? ""
    }

    /// Returns how a language writes times, or how the default language does if that is not available.
    func times(locale: String) -> TimeWriter {
        (languages[locale] ?? languages[defaultLocale])?.times ?? TimeWriter(defaultLocale)
    }

    /// Compiles the pages without their texts, by name.
    private static func contents(_ folder: TemplateFolder) throws(TemplateError) -> [String: Template] {
        try check(folder)
        var contents: [String: Template] = [:]
        for (name, placeholders) in PagePlaceholders.escaped {
            contents[name] = try folder.template(
                "pages/\(name).html",
                format: .html,
                placeholders: placeholders,
                raw: PagePlaceholders.accountParts[name] ?? PagePlaceholders.raw(of: name)
            )
        }
        return contents
    }

    /// Refuses files that no page uses.
    private static func check(_ folder: TemplateFolder) throws(TemplateError) {
        let known =
            PagePlaceholders.escaped.keys.map { "\($0).html" } + BrandParts.files + ["layout.html", "style.css"]
        for path in folder.paths(below: "pages")
        where !known.contains(path) && !path.hasPrefix(ConsoleTemplates.folder) {
            throw TemplateError(
                file: folder.displayName("pages/\(path)"),
                line: nil,
                reason: "no page template has this name"
            )
        }
    }

    private static func page(
        _ name: String,
        _ content: Template,
        in layout: Template,
        _ strings: Strings,
        locale: String,
        brand: (String) throws(TemplateError) -> Template?
    ) throws(TemplateError) -> Page {
        func known(_ placeholder: String) -> Template? {
            switch placeholder {
            case "lang": .fixed(locale, format: .html)
            case "dir": .fixed(LocaleChoice.direction(locale), format: .html)
            case "page": .fixed(name, format: .html)
            default: nil
            }
        }
        let placeholders = PagePlaceholders.escaped[name] ?? []
        let content = try content.filling(texts: strings, placeholders: placeholders) { known($0) }
        let key = titleKey(of: name)
        let title: Template? =
            if let entry = strings[key] {
                try Template(key, entry, format: .html, placeholders: placeholders)
            } else {
                nil
            }
        let whole = try layout.filling(texts: strings, placeholders: placeholders) {
            placeholder throws(TemplateError) in
            switch placeholder {
            case "content": content
            case "title": title
            default: if let known = known(placeholder) { known } else { try brand(placeholder) }
            }
        }
        return Page(whole: whole, content: content)
    }

    /// Returns the key of a page's title in the strings files, such as `confirmVerifyEmailTitle` for
    /// `confirm-verify-email`.
    private static func titleKey(of name: String) -> String {
        let words = name.split(separator: "-")
        return words.enumerated().map { $0 == 0 ? String($1) : $1.prefix(1).uppercased() + $1.dropFirst() }.joined()
            + "Title"
    }
}
