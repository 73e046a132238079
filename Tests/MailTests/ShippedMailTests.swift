import Accounts
import Foundation
import Mail
import Testing

/// Every e-mail in every language, filled with the longest possible values.
@Suite("Built-in e-mails")
struct ShippedMailTests {
    static let mails = MailKind.allCases.flatMap { kind in LocaleChoice.shipped.map { (kind, $0) } }
    static let appName = String(repeating: "A<&>\"' ", count: 10)

    static let longest: [MailPlaceholder: String] = [
        .link: "https://\(String(repeating: "a", count: 60)).example.org/auth/action?mode=signIn&oobCode="
            + String(repeating: "x", count: 1900),
        .code: "271828", .minutes: "1440", .hours: "720", .days: "365",
        .device: String(repeating: "<b>Gerät</b> ", count: 16),
        .email: String(repeating: "a", count: 64) + "@" + String(repeating: "b.", count: 94) + "c",
        .account: "a***@" + String(repeating: "k.", count: 94) + "c",
        .newEmail: String(repeating: "n", count: 64) + "@" + String(repeating: "m.", count: 94) + "c",
        .methods: String(repeating: "<oidc>.example, ", count: 16) + "Google",
    ]

    @Test(arguments: mails)
    func `it shows every value it has, escaped, and leaves no hole`(_ kind: MailKind, _ locale: String) throws {
        let templates = try EmailTemplates.builtIn
        let payload = MailPayload.example(kind, locale: locale, values: Self.longest)
        let mail = try templates.render(payload, appName: Self.appName)
        for placeholder in kind.placeholders {
            let value = try #require(payload.values[placeholder])
            #expect(mail.text.contains(value), "\(placeholder) in the text")
            #expect(mail.html.contains(HTML.escaped(value)), "\(placeholder) in the HTML")
        }
        let time = TimeWriter(locale).text(payload.queuedAt, in: nil)
        #expect(time.contains("2026") && time.hasSuffix(" UTC"))
        for form in [mail.text, mail.html] { #expect(form.contains(time)) }
        #expect(mail.html.contains(HTML.escaped(Self.appName)))
        #expect(!mail.html.contains("<b>Gerät"))
        #expect(!mail.html.contains(Self.appName))
        for form in [mail.subject, mail.text, mail.html] { #expect(!form.contains("{{")) }
    }

    @Test(arguments: mails)
    func `its text has lines of at most 72 columns, but for long values`(_ kind: MailKind, _ locale: String) throws {
        let templates = try EmailTemplates.builtIn
        let mail = try templates.render(.example(kind, locale: locale), appName: "Favorite Number")
        for line in mail.text.split(separator: "\n") where !line.contains("https://") {
            // Marks above and below letters take no column of their own.
            let letters = line.unicodeScalars.filter { $0.properties.generalCategory != .nonspacingMark }
            let columns = letters.reduce(0) { $0 + ($1.value >= 0x2E80 ? 2 : 1) }
            #expect(columns <= 72, "\(line)")
        }
        let longest = try templates.render(
            .example(kind, locale: locale, values: Self.longest),
            appName: "Favorite Number"
        )
        #expect(!longest.text.split(separator: "\n").contains { $0.hasPrefix("<b>Gerät") }, "no line is a client's")
    }

    @Test(arguments: mails)
    func `its text and its HTML say the same sentences`(_ kind: MailKind, _ locale: String) throws {
        let mail = try EmailTemplates.builtIn.render(.example(kind, locale: locale), appName: "Notes")
        func flat(_ text: String) -> String {
            String(text.replacing("\u{2011}", with: "-").filter { !$0.isWhitespace })
        }
        let html = flat(Self.withoutTags(mail.html))
        for paragraph in mail.text.components(separatedBy: "\n\n") where !paragraph.contains("Firefox") {
            #expect(html.contains(HTML.escaped(flat(paragraph))), "\(paragraph)")
        }
    }

    @Test
    func `colors stand in one file`() throws {
        let folder = try TemplateFolder()
        for path in ["email", "pages"].flatMap({ top in folder.paths(below: top).map { "\(top)/\($0)" } }) {
            #expect(try folder.text(path).firstMatch(of: /#[0-9a-fA-F]{3,8}\b/) == nil, "\(path)")
        }
    }

    @Test(arguments: mails)
    func `its HTML says language and direction`(_ kind: MailKind, _ locale: String) throws {
        let mail = try EmailTemplates.builtIn.render(.example(kind, locale: locale), appName: "Notes")
        let direction = ["ar", "he"].contains(locale) ? "rtl" : "ltr"
        #expect(mail.html.contains("<html lang=\"\(locale)\" dir=\"\(direction)\">"))
        #expect(mail.html.utf8.split(separator: UInt8(ascii: "\n")).count > 10)
    }

    @Test(arguments: mails)
    func `its subject is one line that ends with app and minute and never tells the code`(
        _ kind: MailKind,
        _ locale: String
    ) throws {
        let mail = try EmailTemplates.builtIn.render(.example(kind, locale: locale), appName: "Notes")
        #expect(mail.subject.hasSuffix("Notes · \(TimeWriter(locale).text(1_795_206_665_999, in: nil))"))
        #expect(mail.subject.split(whereSeparator: \.isNewline).count == 1)
        #expect(!mail.subject.contains("271828"))
        #expect(!mail.subject.contains("SECRET"))
    }

    @Test(arguments: mails)
    func `nothing is left in English`(_ kind: MailKind, _ locale: String) throws {
        guard locale != "en" else { return }
        let templates = try EmailTemplates.builtIn
        let english = try templates.render(.example(kind), appName: "Notes")
        let translated = try templates.render(.example(kind, locale: locale), appName: "Notes")
        #expect(english.subject != translated.subject)
        let known = Self.sentences(english.text).union(Self.sentences(Self.withoutTags(english.html)))
        #expect(known.count >= 4, "the comparison has something to compare")
        for form in [translated.subject, translated.text, Self.withoutTags(translated.html)] {
            #expect(Self.sentences(form).isDisjoint(with: known))
        }
    }

    @Test(arguments: LocaleChoice.shipped)
    func `a device that told nothing is called something`(_ locale: String) throws {
        let templates = try EmailTemplates.builtIn
        var payload = MailPayload.example(.signIn, locale: locale)
        payload.values[.device] = ""
        let empty = try templates.render(payload, appName: "Notes")
        payload.values[.device] = nil
        #expect(try templates.render(payload, appName: "Notes") == empty)
        #expect(!empty.text.contains("Firefox"))
    }

    @Test
    func `a value cannot bring lines of its own into a mail`() throws {
        let templates = try EmailTemplates.builtIn
        let payload = MailPayload.example(
            .signIn,
            values: [.device: "Phone\r\n\r\nOpen http://evil.example now\u{202E}"]
        )
        let mail = try templates.render(payload, appName: "Notes")
        #expect(mail.text.contains("Phone Open http://evil.example now\n"))
    }

    @Test
    func `a language that has gone falls back to the default`() throws {
        let templates = try EmailTemplates(TemplateLibrary(defaultLocale: "de"))
        let mail = try templates.render(.example(.signIn, locale: "xx"), appName: "Notes")
        #expect(mail.html.contains("lang=\"de\""))
    }

    /// Returns the sentences of at least four words, in lower case.
    private static func sentences(_ text: String) -> Set<String> {
        let paragraphs = text.components(separatedBy: "\n\n").map { $0.replacingOccurrences(of: "\n", with: " ") }
        let sentences = paragraphs.flatMap { $0.split(whereSeparator: { ".!?:：。".contains($0) }) }
        return Set(
            sentences.map { $0.lowercased().split(separator: " ").joined(separator: " ") }
                .filter { $0.split(separator: " ").count { $0.contains(where: \.isLetter) } >= 4 }
                .filter { !$0.contains("http") && !$0.contains("example") }
        )
    }

    private static func withoutTags(_ html: String) -> String {
        let body = html.range(of: "<body").map { String(html[$0.lowerBound...]) } ?? html
        return body.replacingOccurrences(of: "<[^>]*>", with: "\n\n", options: .regularExpression)
    }
}
