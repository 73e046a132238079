internal import Accounts

/// The mails in all languages, compiled and complete.
package struct EmailTemplates: Sendable {
    private let layout: Template
    private let languages: [String: Language]
    /// The language of people whose own is not there.
    package private(set) var defaultLocale: String

    /// The mails that come with the server: compiled once for all servers of the process.
    private static let shipped = Result { try EmailTemplates(TemplateFolder("email")) }

    /// The mails that come with the server, or those of an operator who replaces some of them.
    ///
    /// - Parameters:
    ///   - folder: the operator's templates; `nil` where there are none.
    ///   - defaultLocale: the language of people whose own is not there.
    /// - Throws: `TemplateError`, as ``init(_:required:defaultLocale:)`` does.
    package static func load(overriding folder: String?, defaultLocale: String) throws(TemplateError) -> EmailTemplates
    {
        guard folder == nil, var templates = try? shipped.get(), templates.languages[defaultLocale] != nil else {
            return try EmailTemplates(TemplateFolder("email", overriding: folder), defaultLocale: defaultLocale)
        }
        templates.defaultLocale = defaultLocale
        return templates
    }

    /// The languages there are, sorted.
    package var locales: [String] { languages.keys.sorted() }

    /// Compiles all mails.
    ///
    /// - Parameters:
    ///   - folder: `layout.html`, and for each language a folder with each kind's files.
    ///   - required: the languages that must be there; others in the folder must be complete as well.
    ///   - defaultLocale: one of them.
    /// - Throws: `TemplateError` for the first thing wrong: a missing file or language, an unknown placeholder or file.
    package init(
        _ folder: TemplateFolder,
        required: [String] = LocaleChoice.shipped,
        defaultLocale: String = "en"
    ) throws(TemplateError) {
        layout = try folder.template(
            "layout.html",
            format: .html,
            placeholders: ["lang", "dir", "appName", "preheader"],
            raw: ["content"]
        )
        guard layout.placeholders.contains("content") else {
            throw TemplateError(file: folder.displayName("layout.html"), line: nil, reason: "no {{{content}}}")
        }
        let found = folder.paths.compactMap { path in path.firstIndex(of: "/").map { String(path[..<$0]) } }
        var languages: [String: Language] = [:]
        for locale in Set(found).union(required).union([defaultLocale]).sorted() {
            languages[locale] = try Language(locale, folder)
        }
        let known = Set(languages.keys.flatMap(Language.paths)).union(["layout.html"])
        if let stranger = folder.paths.first(where: { !known.contains($0) }) {
            throw TemplateError(
                file: folder.displayName(stranger),
                line: nil,
                reason: "no mail has a file of this name"
            )
        }
        self.languages = languages
        self.defaultLocale = defaultLocale
    }

    /// Fills a mail in the payload's language, or in the default one if that has gone.
    ///
    /// - Throws: `TemplateError` naming a placeholder without a value.
    package func render(_ payload: MailPayload, appName: String) throws(TemplateError) -> RenderedMail {
        let locale = languages[payload.locale] == nil ? defaultLocale : payload.locale
        guard let language = languages[locale], let mail = language.mails[payload.kind] else {
            throw TemplateError(file: locale, line: nil, reason: "no templates for '\(payload.kind.rawValue)'")
        }
        var values = ["appName": appName, "time": MailTime(milliseconds: payload.queuedAt).text]
        // A value is one line, whatever a client managed to put in: in plain text nothing else keeps it in its place.
        for (placeholder, value) in payload.values { values[placeholder.rawValue] = HeaderText.cleaned(value) }
        if values["device"]?.isEmpty ?? true { values["device"] = language.unknownDevice }
        if values["account"]?.isEmpty ?? true { values["account"] = language.unknownAccount }
        let frame = [
            "lang": locale, "dir": LocaleChoice.direction(locale), "appName": appName,
            "preheader": try mail.preheader.renderText(values), "content": try mail.html.renderText(values),
        ]
        return RenderedMail(
            subject: try mail.subject.renderText(values),
            text: try mail.text.renderText(values),
            html: try layout.renderText(frame)
        )
    }
}

/// A mail's subject and its body in both forms.
package struct RenderedMail: Sendable, Equatable {
    package let subject: String
    package let text: String
    package let html: String
}

/// All mails in one language.
private struct Language: Sendable {
    struct Mail: Sendable {
        let subject: Template, preheader: Template, text: Template, html: Template
    }

    let mails: [MailKind: Mail]
    /// What stands for a device that said nothing about itself.
    let unknownDevice: String
    /// What stands for an account that had no address before.
    let unknownAccount: String

    init(_ locale: String, _ folder: TemplateFolder) throws(TemplateError) {
        var mails: [MailKind: Mail] = [:]
        for kind in MailKind.allCases {
            let all = Set(kind.placeholders.map(\.rawValue)).union(["appName", "time"])
            let base = "\(locale)/\(kind.rawValue)"
            // What shows on a locked screen holds no secret.
            let shown = all.subtracting(["code", "link"])
            mails[kind] = Mail(
                subject: try Self.line("\(base).subject.txt", folder, placeholders: shown),
                preheader: try Self.line("\(base).preheader.txt", folder, placeholders: shown),
                text: try folder.template("\(base).txt", format: .text, placeholders: all),
                html: try folder.template("\(base).html", format: .html, placeholders: all)
            )
        }
        self.mails = mails
        unknownDevice = try Self.line("\(locale)/unknown-device.txt", folder, placeholders: []).renderText([:])
        unknownAccount = try Self.line("\(locale)/unknown-account.txt", folder, placeholders: []).renderText([:])
    }

    /// The files that a language has.
    static func paths(_ locale: String) -> [String] {
        MailKind.allCases.flatMap { kind in
            ["subject.txt", "preheader.txt", "txt", "html"].map { "\(locale)/\(kind.rawValue).\($0)" }
        } + ["\(locale)/unknown-device.txt", "\(locale)/unknown-account.txt"]
    }

    /// A template of one line, without the line end that editors put there.
    private static func line(
        _ path: String,
        _ folder: TemplateFolder,
        placeholders: Set<String>
    ) throws(TemplateError) -> Template {
        let lines = try folder.text(path).split(whereSeparator: \.isNewline)
        guard lines.count == 1, let line = lines.first, !line.isEmpty else {
            throw TemplateError(file: folder.displayName(path), line: nil, reason: "one line is wanted")
        }
        return try Template(String(line), file: folder.displayName(path), format: .text, placeholders: placeholders)
    }
}
