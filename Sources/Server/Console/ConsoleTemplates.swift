internal import Mail

/// The compiled templates of the console, in English only.
struct ConsoleTemplates: Sendable {
    /// The placeholders of each page: those for texts, which are escaped, and those for markup.
    private static let placeholders: [String: (texts: Set<String>, parts: Set<String>)] = [
        "audit": (["user", "actor"], ["entries", "next"]),
        "clean-up": (["state"], ["numbers", "tables", "form", "done"]),
        "confirm": (["heading", "lead"], ["points", "form", "back"]),
        "configuration": ([], ["settings"]),
        "document": (["name", "content"], ["back"]),
        "inbox": (["email", "notice"], ["form"]),
        "mail": ([], ["numbers", "filters", "mails", "done"]),
        "message": (["heading", "message"], ["form"]),
        "open": (["name", "formToken", "token"], []),
        "overview": ([], ["numbers", "charts"]),
        "receipt": ([], ["facts", "removed", "stays"]),
        "refused": ([], ["done", "kinds", "lift"]),
        "sign-in": (["notice", "formToken", "hint"], []),
        "user": (
            ["uid"],
            ["done", "facts", "methods", "sessions", "documents", "mails", "merges", "audit", "actions"]
        ),
        "users": (["search"], ["filters", "notice", "users", "next"]),
    ]

    /// The path of the folder below `pages/`.
    static let folder = "console/"

    private let pages: [String: Template]
    private let layout: Template
    /// The stylesheet: that of all pages, and the console's own.
    let style: [UInt8]
    /// Compiles the templates.
    ///
    /// - Parameters:
    ///   - library: the files, the brand and the texts.
    ///   - style: the stylesheet of all pages.
    /// - Throws: `TemplateError` for the first error, such as an unknown placeholder or a file that no page uses.
    init(_ library: TemplateLibrary, style: [UInt8]) throws(TemplateError) {
        let folder = library.folder
        let known = Self.placeholders.keys.map { "\($0).html" } + ["layout.html", "style.css"]
        for path in folder.paths(below: "pages/console") where !known.contains(path) {
            throw TemplateError(
                file: folder.displayName("pages/console/\(path)"),
                line: nil,
                reason: "no page of the console has this name"
            )
        }
        let brand = try BrandParts(folder, below: "pages", brand: library.brand)
        let logoPath = library.brand.logoPath ?? ""
        let texts = library.languages["en"] ?? library.languages[library.defaultLocale]
        let parsed = try folder.template(
            "pages/console/layout.html",
            format: .html,
            placeholders: ["title", "appName", "page"],
            raw: ["content", "navigation"]
        )
        layout = try parsed.filling { placeholder throws(TemplateError) in
            guard let texts else { return nil }
            return try brand.html(placeholder, texts) { $0 == "logoURL" ? .fixed(logoPath, format: .html) : nil }
        }
        var pages: [String: Template] = [:]
        for (name, placeholders) in Self.placeholders {
            pages[name] = try folder.template(
                "pages/console/\(name).html",
                format: .html,
                placeholders: placeholders.texts,
                raw: placeholders.parts
            )
        }
        self.pages = pages
        let own = try folder.text("pages/console/style.css")
        self.style = style + Array(own.utf8)
    }

    /// Renders a page.
    ///
    /// - Throws: `TemplateError` if there is no such page or a value is missing.
    func render(
        _ name: String,
        title: String,
        appName: String,
        _ texts: [String: String],
        parts: [String: Markup],
        navigation: Markup
    ) throws -> String {
        guard let page = pages[name] else {
            throw TemplateError(file: "\(name).html", line: nil, reason: "there is no such page")
        }
        let content = try page.renderText(texts.merging(parts.mapValues(\.html)) { $1 })
        return try layout.renderText([
            "title": title, "appName": appName, "page": name, "content": content, "navigation": navigation.html,
        ])
    }
}
