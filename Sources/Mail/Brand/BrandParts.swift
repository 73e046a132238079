/// The parts of layouts that show the brand, compiled in at the start.
///
/// `{{brand.logo}}` is the logo, or the app's name in place of one. `{{brand.links}}` are links to the app, to help and
/// to the privacy policy. `{{brand.address}}` is the postal address. In security e-mails, `{{brand.support}}` says where
/// to find help. The parts for which the brand has no value are empty.
package struct BrandParts: Sendable {
    /// The keys of the texts that the parts use.
    package static let keys: Set<String> = ["footerApp", "footerSupport", "footerPrivacy", "mailSupport"]
    /// The files of the parts of e-mails and of pages, without their folder.
    package static let files = ["logo.html", "footer-link.html"]

    private let brand: Brand
    private let logo: Template
    private let link: Template
    /// The formats in which the logo can be shown; in others the name stands in its place.
    private let logoFormats: [BrandLogo.Format]

    /// Compiles the files.
    ///
    /// - Parameters:
    ///   - folder: the templates.
    ///   - subfolder: `email` or `pages`.
    ///   - brand: the brand.
    /// - Throws: `TemplateError` for a missing file or an unknown placeholder.
    package init(_ folder: TemplateFolder, below subfolder: String, brand: Brand) throws(TemplateError) {
        self.brand = brand
        logo = try folder.part("\(subfolder)/logo.html", placeholders: ["logoURL", "appName"])
        link = try folder.part("\(subfolder)/footer-link.html", placeholders: ["label", "link"])
        // Most e-mail programs show no SVG.
        logoFormats = subfolder == "email" ? [.png] : [.png, .svg]
    }

    /// The keys of the texts and colors that the files use.
    package var keys: Set<String> { logo.keys.union(link.keys) }

    /// Returns the HTML part that a placeholder of a layout stands for; `nil` if it is none.
    ///
    /// - Parameters:
    ///   - name: the placeholder, such as "brand.links".
    ///   - strings: the texts of the language.
    ///   - constant: returns what other constants in the files stand for, such as colors.
    /// - Throws: `TemplateError` for an unknown text.
    package func html(
        _ name: String,
        _ strings: Strings,
        _ constant: (String) -> Template?
    ) throws(TemplateError) -> Template? {
        switch name {
        case "brand.logo":
            guard let shown = brand.logo, logoFormats.contains(shown.format) else {
                return try Template("{{appName}}", file: "", format: .html, placeholders: ["appName"])
            }
            return try logo.filling(texts: strings, placeholders: ["appName"]) { constant($0) }
        case "brand.links":
            var links: [Template] = []
            for (key, url) in linked {
                let label = try text(key, strings, format: .html)
                links.append(
                    try link.filling(texts: strings, placeholders: ["appName"]) { placeholder in
                        switch placeholder {
                        case "label": label
                        case "link": .fixed(url, format: .html)
                        default: constant(placeholder)
                        }
                    }
                )
            }
            return .joined(links, separator: "\n", format: .html)
        case "brand.address":
            // Isolated, so that a house number keeps its place in a language that is written from right to left.
            let isolated = try Template("<bdi>{{line}}</bdi>", file: "", format: .html, placeholders: ["line"])
            var lines: [Template] = []
            for line in addressLines {
                lines.append(try isolated.filling { _ in .fixed(line, format: .html) })
            }
            return .joined(lines, separator: "<br>", format: .html)
        default: return nil
        }
    }

    /// Returns the part of plain text that a placeholder stands for; `nil` if it is none.
    ///
    /// - Parameters:
    ///   - name: "brand.footer", the last lines of an e-mail, or "brand.support", a paragraph with an empty line after
    ///     it.
    ///   - strings: the texts of the language.
    /// - Throws: `TemplateError` for an unknown text.
    func text(_ name: String, _ strings: Strings) throws(TemplateError) -> Template? {
        func fixed(_ text: String) -> Template { .fixed(text, format: .wrappedText) }
        switch name {
        case "brand.footer":
            var lines = [try Template("{{appName}}", file: "", format: .wrappedText, placeholders: ["appName"])]
            lines += addressLines.map(fixed)
            for (key, url) in linked {
                lines.append(
                    .joined(
                        [try text(key, strings, format: .wrappedText), fixed(Self.readable(url))],
                        separator: " – ",
                        format: .wrappedText
                    )
                )
            }
            return .joined(lines, separator: "\n", format: .wrappedText)
        case "brand.support":
            guard let url = brand.supportURL else { return fixed("") }
            let lead = try text("mailSupport", strings, format: .wrappedText)
            return .joined([lead, fixed(Self.readable(url)), fixed("\n")], separator: "\n", format: .wrappedText)
        default: return nil
        }
    }

    /// What a security e-mail says of help: a text, the URL, and the URL as people read it; `nil` without a URL.
    func support(
        _ strings: Strings
    ) throws(TemplateError) -> (lead: Template, url: Template, address: Template)? {
        guard let url = brand.supportURL else { return nil }
        let lead = try text("mailSupport", strings, format: .html)
        return (lead, .fixed(url, format: .html), .fixed(Self.readable(url), format: .html))
    }

    /// A URL as people read it: an e-mail address without `mailto:`.
    private static func readable(_ url: String) -> String {
        url.lowercased().hasPrefix("mailto:") ? String(url.dropFirst(7)) : url
    }

    private var linked: [(key: String, url: String)] {
        [("footerApp", brand.appURL), ("footerSupport", brand.supportURL), ("footerPrivacy", brand.privacyURL)]
            .compactMap { key, url in url.map { (key, $0) } }
    }

    private var addressLines: [String] {
        (brand.postalAddress ?? "").split(whereSeparator: \.isNewline).map { String($0) }
    }

    private func text(_ key: String, _ strings: Strings, format: Template.Format) throws(TemplateError) -> Template {
        guard let entry = strings[key] else {
            throw TemplateError(file: "Templates/strings/en.json", line: nil, reason: "'\(key)' is missing")
        }
        return try Template(key, entry, format: format, placeholders: ["appName"])
    }
}

extension TemplateFolder {
    /// Compiles an HTML file without its last line break, because the placeholder of a part stands on a line of its own.
    package func part(_ path: String, placeholders: Set<String>) throws(TemplateError) -> Template {
        var source = try text(path)
        if source.last?.isNewline == true { source.removeLast() }
        return try Template(source, file: displayName(path), format: .html, placeholders: placeholders)
    }
}
