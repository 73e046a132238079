internal import Accounts

/// The files of `Templates/email`, which are the same for all languages.
struct EmailLayouts {
    private let layout: Template
    private let texts: [MailKind: Template]
    private let contents: [MailKind: Template]
    private let parts: EmailParts
    private let colors: Colors

    /// Compiles the files.
    ///
    /// - Throws: `TemplateError` for a missing file, an unknown placeholder, a layout without `{{{content}}}`, or a
    ///   file that no e-mail uses.
    init(_ library: TemplateLibrary) throws(TemplateError) {
        let folder = library.folder
        try Self.check(folder)
        layout = try folder.template(
            "email/layout.html",
            format: .html,
            placeholders: ["lang", "dir", "appName", "preheader", "logoURL"],
            raw: ["content"]
        )
        guard layout.placeholders.contains("content") else {
            throw TemplateError(file: folder.displayName("email/layout.html"), line: nil, reason: "no {{{content}}}")
        }
        var texts: [MailKind: Template] = [:], contents: [MailKind: Template] = [:]
        for kind in MailKind.allCases {
            func file(_ suffix: String, _ format: Template.Format) throws(TemplateError) -> Template {
                try folder.template(
                    "email/\(kind.layoutName).\(suffix)",
                    format: format,
                    placeholders: kind.names,
                    optional: kind.optionalNames
                )
            }
            texts[kind] = try file("txt", .wrappedText)
            contents[kind] = try file("html", .html)
        }
        (self.texts, self.contents) = (texts, contents)
        parts = try EmailParts(library)
        colors = library.colors
    }

    /// The keys of the texts that the e-mails use, and their colors.
    var keys: Set<String> {
        let named = MailKind.allCases.flatMap { [$0.subjectKey, $0.preheaderKey] }
        let spoken = [EmailTemplates.unknownDevice, EmailTemplates.unknownAccount]
        let used = (Array(texts.values) + Array(contents.values)).reduce(layout.keys.union(named + spoken)) {
            $0.union($1.keys)
        }
        return parts.keys(including: used)
    }

    /// Returns the template of the subject of a kind of e-mail, in one language.
    func subject(of kind: MailKind, _ strings: Strings) throws(TemplateError) -> Template {
        try line(kind.subjectKey, strings, format: .text, placeholders: kind.shownNames)
    }

    /// Returns the template of the plain text of a kind of e-mail, in one language.
    func text(of kind: MailKind, _ strings: Strings) throws(TemplateError) -> Template {
        guard let text = texts[kind] else { throw missing(kind) }
        return try text.filling(texts: strings, placeholders: kind.names) { name throws(TemplateError) in
            try parts.brand.text(name, strings)
        }
    }

    /// Returns the template of the HTML of a kind of e-mail, in one language and with the layout around it.
    func html(of kind: MailKind, _ strings: Strings, locale: String) throws(TemplateError) -> Template {
        guard let content = contents[kind] else { throw missing(kind) }
        let filled = try content.filling(texts: strings, placeholders: kind.names) { name throws(TemplateError) in
            if let color = color(name) { return color }
            return try parts.part(name, strings, values: kind.names) { color($0) }
        }
        let preheader = try line(kind.preheaderKey, strings, format: .html, placeholders: kind.shownNames)
        return try layout.filling(texts: strings, placeholders: ["appName"]) { name throws(TemplateError) in
            switch name {
            case "content": filled
            case "preheader": preheader
            case "lang": .fixed(locale, format: .html)
            case "dir": .fixed(LocaleChoice.direction(locale), format: .html)
            default: if let color = color(name) { color } else { try parts.brand.html(name, strings) { color($0) } }
            }
        }
    }

    /// Returns a text of one line.
    ///
    /// - Throws: `TemplateError` if it is missing, empty or has several lines.
    func line(
        _ key: String,
        _ strings: Strings,
        format: Template.Format,
        placeholders: Set<String> = []
    ) throws(TemplateError) -> Template {
        guard let entry = strings[key] else {
            throw TemplateError(file: "Templates/strings/en.json", line: nil, reason: "'\(key)' is missing")
        }
        guard entry.texts.values.allSatisfy({ !$0.isEmpty && !$0.contains(where: \.isNewline) }) else {
            throw TemplateError(file: entry.file, line: nil, reason: "'\(key)' is not one line of text")
        }
        return try Template(key, entry, format: format, placeholders: placeholders)
    }

    private func color(_ placeholder: String) -> Template? { colors.template(for: placeholder, format: .html) }

    private func missing(_ kind: MailKind) -> TemplateError {
        TemplateError(file: "email/\(kind.layoutName)", line: nil, reason: "the file is missing")
    }

    /// Throws an error for a file in `email/` that no e-mail uses.
    private static func check(_ folder: TemplateFolder) throws(TemplateError) {
        let known = MailKind.allCases.flatMap { ["\($0.layoutName).txt", "\($0.layoutName).html"] }
        for path in folder.paths(below: "email") where !(known + EmailParts.files + ["layout.html"]).contains(path) {
            throw TemplateError(
                file: folder.displayName("email/\(path)"),
                line: nil,
                reason: "no e-mail template has this name"
            )
        }
    }
}

extension MailKind {
    /// The key of the subject, such as "mailSignInSubject".
    var subjectKey: String { "\((self == .signInLink ? .signIn : self).keyPrefix)Subject" }
    /// The key of the text that e-mail programs show beside the subject.
    var preheaderKey: String { "\(keyPrefix)Preheader" }

    private var keyPrefix: String {
        "mail" + rawValue.split(separator: "-").map { $0.prefix(1).uppercased() + $0.dropFirst() }.joined()
    }

    /// The name of the kind's files in `Templates/email`.
    fileprivate var layoutName: String { (self == .signInLink ? .signIn : self).rawValue }

    /// The placeholders that some e-mails with the same files have, and others lack.
    fileprivate var optionalNames: Set<String> { [.signIn, .signInLink].contains(self) ? ["code"] : [] }

    /// The names of all placeholders that the templates of the kind may use.
    fileprivate var names: Set<String> { Set(placeholders.map(\.rawValue)).union(["appName", "time"]) }
    /// The placeholders of the e-mail's subject and preheader, which show on a locked screen and therefore contain no
    /// secrets.
    fileprivate var shownNames: Set<String> { names.subtracting(["code", "link"]) }
}
