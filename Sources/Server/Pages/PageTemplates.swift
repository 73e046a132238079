internal import JSON
package import Mail

/// The pages in every language, compiled and complete.
///
/// A page's file holds its structure; `{{t.name}}` in it stands for a text of the language, which may have `{{holes}}` of its
/// own. Texts are put in once, at the start, so that a page is one template per language.
package struct PageTemplates: Sendable {
    private struct Page: Sendable {
        let title: Template
        let content: Template
    }

    /// What pages may show, beside the texts of the language.
    private static let placeholders: Set<String> = [
        "appName", "lang", "alert", "notice", "account", "device", "time", "place", "oobCode", "code", "email",
        "newEmail", "title", "message",
        "link", "path", "subject", "methods", "from", "to", "text", "framePath", "minutes", "continueUrl",
    ]
    private static let fragments: Set<String> = ["rows", "links"]

    private let layout: Template
    private let pages: [String: [String: Page]]
    private let texts: [String: [String: Template]]
    /// The stylesheet of all pages.
    let style: [UInt8]
    /// The languages there are, sorted.
    package let locales: [String]
    private var defaultLocale: String

    /// The pages that come with the server: compiled once for all servers of the process.
    private static let shipped = Result { try PageTemplates(TemplateFolder("pages"), defaultLocale: "en") }

    /// The pages that come with the server, or those of an operator who replaces some of them.
    ///
    /// - Parameters:
    ///   - folder: the operator's templates; `nil` where there are none.
    ///   - defaultLocale: the language of people whose own is not there.
    /// - Throws: `TemplateError`, as ``init(_:defaultLocale:)`` does.
    static func load(overriding folder: String?, defaultLocale: String) throws -> PageTemplates {
        guard folder == nil, var pages = try? shipped.get(), pages.pages[defaultLocale] != nil else {
            return try PageTemplates(TemplateFolder("pages", overriding: folder), defaultLocale: defaultLocale)
        }
        pages.defaultLocale = defaultLocale
        return pages
    }

    /// Compiles all pages.
    ///
    /// - Parameters:
    ///   - folder: `layout.html`, `style.css`, the pages, and `strings/<locale>.json`.
    ///   - defaultLocale: the language of people whose own is not there.
    /// - Throws: `TemplateError` for the first thing wrong: a missing file or text, an unknown placeholder, a form that is
    ///   too short for the digits.
    package init(_ folder: TemplateFolder, defaultLocale: String) throws {
        layout = try folder.template(
            "layout.html",
            format: .html,
            placeholders: ["lang", "dir", "title", "appName", "page"],
            raw: ["content"]
        )
        guard let style = folder.bytes("style.css") else {
            throw TemplateError(file: folder.displayName("style.css"), line: nil, reason: "the file is missing")
        }
        self.style = style
        locales = folder.paths.compactMap { path in
            path.hasPrefix("strings/") && path.hasSuffix(".json") ? String(path.dropFirst(8).dropLast(5)) : nil
        }
        try ApproveForm.check(try folder.text("approve.html"), file: folder.displayName("approve.html"))
        let names = folder.paths.filter { !$0.contains("/") && $0.hasSuffix(".html") && $0 != "layout.html" }
            .map { String($0.dropLast(5)) }
        var pages: [String: [String: Page]] = [:]
        var texts: [String: [String: Template]] = [:]
        for locale in locales {
            let strings = try Self.strings(of: locale, folder)
            texts[locale] = try strings.reduce(into: [:]) { compiled, string in
                compiled[string.key] = try Self.compile(
                    text: string.value,
                    file: folder.displayName("strings/\(locale).json")
                )
            }
            pages[locale] = try names.reduce(into: [:]) { compiled, name in
                compiled[name] = try Self.page(name, strings: strings, folder)
            }
        }
        guard pages[defaultLocale] != nil else {
            throw TemplateError(
                file: folder.displayName("strings/\(defaultLocale).json"),
                line: nil,
                reason: "the default language has no texts"
            )
        }
        self.pages = pages
        self.texts = texts
        self.defaultLocale = defaultLocale
    }

    /// A whole page.
    ///
    /// - Parameters:
    ///   - name: the page's file without its ending.
    ///   - locale: the language; the default one where it is not there.
    ///   - values: what the page's placeholders stand for.
    func render(_ name: String, locale: String, _ values: [String: String]) throws -> String {
        let language = pages[locale] == nil ? defaultLocale : locale
        guard let page = pages[language]?[name] else {
            throw TemplateError(file: "\(name).html", line: nil, reason: "there is no such page")
        }
        var values = values
        values["lang"] = language
        return try layout.renderText([
            "lang": language,
            "dir": LocaleChoice.direction(language),
            "title": try page.title.renderText(values),
            "appName": values["appName"] ?? "",
            "page": name,
            "content": try page.content.renderText(values),
        ])
    }

    /// A part of a page that is repeated, such as a row of a list.
    func fragment(_ name: String, _ values: [String: String]) throws -> String {
        guard let page = pages[defaultLocale]?[name] else {
            throw TemplateError(file: "\(name).html", line: nil, reason: "there is no such page")
        }
        return try page.content.renderText(values)
    }

    /// A text of the language.
    func text(_ name: String, locale: String, _ values: [String: String]) throws -> String {
        try (texts[locale] ?? texts[defaultLocale])?[name]?.renderText(values) ?? name
    }

    private static func strings(of locale: String, _ folder: TemplateFolder) throws -> [String: String] {
        let path = "strings/\(locale).json"
        guard let object = try? JSONValue.parse(folder.text(path)).object else {
            throw TemplateError(file: folder.displayName(path), line: nil, reason: "not a JSON object")
        }
        return try object.members.reduce(into: [:]) { strings, member in
            guard let text = member.value.string else {
                throw TemplateError(
                    file: folder.displayName(path),
                    line: nil,
                    reason: "'\(member.name)' is not a string"
                )
            }
            strings[member.name] = text
        }
    }

    private static func compile(text: String, file: String) throws -> Template {
        try Template(text, file: file, format: .text, placeholders: placeholders)
    }

    private static func page(
        _ name: String,
        strings: [String: String],
        _ folder: TemplateFolder
    ) throws -> Page {
        let path = "\(name).html"
        let file = folder.displayName(path)
        let source = try fill(try folder.text(path), with: strings, file: file)
        return Page(
            title: try compile(text: strings[titleKey(of: name)] ?? "{{title}}", file: file),
            content: try Template(source, file: file, format: .html, placeholders: placeholders, raw: fragments)
        )
    }

    /// `confirm-verify-email` → `confirmVerifyEmailTitle`.
    private static func titleKey(of name: String) -> String {
        let words = name.split(separator: "-")
        return words.enumerated().map { $0 == 0 ? String($1) : $1.prefix(1).uppercased() + $1.dropFirst() }.joined()
            + "Title"
    }

    /// Puts the language's texts in place of `{{t.name}}`.
    private static func fill(_ source: String, with strings: [String: String], file: String) throws -> String {
        var filled = ""
        var rest = source[...]
        while let open = rest.firstRange(of: "{{t.") {
            filled += rest[..<open.lowerBound]
            guard let close = rest[open.upperBound...].firstRange(of: "}}") else { break }
            let name = String(rest[open.upperBound..<close.lowerBound])
            guard let text = strings[name] else {
                throw TemplateError(file: file, line: nil, reason: "unknown text 't.\(name)'")
            }
            var escaped: [UInt8] = []
            HTML.escape(text, into: &escaped)
            filled += String(decoding: escaped, as: UTF8.self)
            rest = rest[close.upperBound...]
        }
        return filled + rest
    }
}
