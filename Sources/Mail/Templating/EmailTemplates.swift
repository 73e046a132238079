internal import Accounts

/// The e-mail templates in all languages.
///
/// Those of a language are compiled when they are first needed, and with an operator's files or brand at once.
package struct EmailTemplates: Sendable {
    /// The key of the text for a device that did not identify itself.
    static let unknownDevice = "deviceUnknown"
    /// The key of the text for an account that had no address before.
    static let unknownAccount = "accountUnknown"

    private let languages: ByLanguage<Language>
    /// The language for users whose own language is not available.
    package var defaultLocale: String
    /// The keys of the texts that the e-mails use, and their colors, such as "color.accent".
    package let keys: Set<String>
    private let logoPath: String

    /// Compiles the templates.
    ///
    /// - Parameter library: `email/layout.html`, two files for each kind, the colors and the texts.
    /// - Throws: `TemplateError` for the first problem: a missing file or text, an unknown placeholder or file.
    package init(_ library: TemplateLibrary) throws(TemplateError) {
        let layouts = try EmailLayouts(library)
        languages = ByLanguage(library.locales) { locale throws(TemplateError) in
            guard let strings = try library.languages.value(locale) else { throw TemplateError(noTextsIn: locale) }
            return try Language(locale, strings, layouts)
        }
        if library.isOperators { try languages.makeAll() }
        defaultLocale = library.defaultLocale
        keys = layouts.keys
        logoPath = library.brand.logoPath ?? ""
    }

    /// Renders an e-mail in the payload's language, or in the default language if that was removed.
    ///
    /// - Parameters:
    ///   - payload: the e-mail.
    ///   - appName: the name of the app.
    ///   - publicURL: the server's public URL, with which the logo's URL starts.
    /// - Throws: `TemplateError` naming a placeholder without a value.
    package func render(
        _ payload: MailPayload,
        appName: String,
        publicURL: String = ""
    ) throws(TemplateError) -> RenderedMail {
        guard let language = languages[payload.locale] ?? languages[defaultLocale],
            let mail = language.mails[payload.kind]
        else {
            throw TemplateError(file: payload.locale, line: nil, reason: "no templates for '\(payload.kind.rawValue)'")
        }
        var values = [String: String](minimumCapacity: 16)
        values["appName"] = appName
        values["logoURL"] = publicURL + logoPath
        values["time"] = language.times.text(payload.queuedAt, in: payload.timeZone)
        // A value is a single line, whatever a client sent. Nothing else separates values from the text in plain text.
        for (placeholder, value) in payload.values { values[placeholder.rawValue] = SingleLine.of(value) }
        if values["device"]?.isEmpty ?? true { values["device"] = language.unknownDevice }
        if values["account"]?.isEmpty ?? true { values["account"] = language.unknownAccount }
        return RenderedMail(
            subject: try mail.subject.renderText(values),
            text: try mail.text.renderText(values),
            html: try mail.html.renderText(values)
        )
    }
}

/// An e-mail's subject, and its body in both formats.
package struct RenderedMail: Sendable, Equatable {
    package let subject: String
    package let text: String
    package let html: String
}

/// The compiled templates of all e-mails in one language.
private struct Language: Sendable {
    struct Mail: Sendable {
        let subject: Template, text: Template, html: Template
    }

    let mails: [MailKind: Mail]
    let unknownDevice: String
    let unknownAccount: String
    let times: TimeWriter

    init(_ locale: String, _ strings: Strings, _ layouts: EmailLayouts) throws(TemplateError) {
        let plain = strings.withPlainHyphens()
        var mails: [MailKind: Mail] = [:]
        for kind in MailKind.allCases {
            mails[kind] = Mail(
                subject: try layouts.subject(of: kind, plain),
                text: try layouts.text(of: kind, plain),
                html: try layouts.html(of: kind, strings, locale: locale)
            )
        }
        self.mails = mails
        times = TimeWriter(locale)
        unknownDevice = try layouts.line(EmailTemplates.unknownDevice, strings, format: .text).renderText([:])
        unknownAccount = try layouts.line(EmailTemplates.unknownAccount, strings, format: .text).renderText([:])
    }
}
