import Accounts
import Foundation
import Mail
import Testing

/// An operator's folder over the built-in templates.
@Suite("Templates folder")
struct TemplateLibraryTests {
    @Test
    func `an operator's text replaces the embedded one, the others stay`() throws {
        let strings = "\u{FEFF}{\"mailSignInSubject\": \"Own words · {{appName}} · {{time}}\"}\r\n"
        try withOperatorFolder(["strings/en.json": strings]) { path in
            let library = try TemplateLibrary(overriding: path)
            let own = try EmailTemplates(library)
            #expect(
                try own.render(.example(.signIn), appName: "A").subject == "Own words · A · Nov 20, 2026, 8:31 PM UTC"
            )
            let embedded = try EmailTemplates.builtIn
            #expect(
                try own.render(.example(.verifyEmail), appName: "A")
                    == embedded.render(.example(.verifyEmail), appName: "A")
            )
            #expect(
                try own.render(.example(.signIn, locale: "de"), appName: "A")
                    == embedded.render(.example(.signIn, locale: "de"), appName: "A")
            )
            #expect(library.warnings(using: own.keys) == [])
        }
    }

    @Test
    func `an operator's layout serves all languages, and its color all mails`() throws {
        try withOperatorFolder([
            "email/sign-in.txt": "Mine: {{t.mailSignInTitle}} {{link}}{{#code}} {{code}}{{/code}}\n",
            "colors.json": "{\"accent\": \"#123456\"}",
        ]) { path in
            let own = try EmailTemplates(TemplateLibrary(overriding: path))
            for locale in LocaleChoice.shipped {
                let mail = try own.render(.example(.signIn, locale: locale), appName: "Notes")
                #expect(mail.text.hasPrefix("Mine: ") && mail.text.hasSuffix("271828\n"))
                let link = try own.render(.example(.signInLink, locale: locale), appName: "Notes")
                #expect(link.text.hasPrefix("Mine: ") && !link.text.contains("271828"))
                #expect(mail.html.contains("#123456") && !mail.html.contains("#2557c7"))
                #expect(mail.html.contains("#1c2430"), "the other colors stay")
            }
        }
    }

    @Test
    func `an operator's button and facts serve every mail that has them`() throws {
        try withOperatorFolder([
            "email/button.html": "<a href=\"{{link}}\">Go: {{label}}</a>\r\n",
            "email/quiet-button.html": "<a href=\"{{link}}\">Undo: {{label}}</a>\n",
            "email/fact.html": "<tr><td>{{label}} is {{value}}</td></tr>\n",
        ]) { path in
            let library = try TemplateLibrary(overriding: path)
            let own = try EmailTemplates(library)
            let mail = try own.render(.example(.verifyEmail, locale: "de"), appName: "Notes").html
            #expect(mail.contains(">Go: Adresse bestätigen</a>\n<p"))
            #expect(mail.contains("<tr><td>Konto is "))
            #expect(mail.contains("<tr><td>Zeitpunkt is <bdi>20. Nov. 2026, 20:31 UTC</bdi></td></tr>\n</t"))
            #expect(try own.render(.example(.methodAdded), appName: "Notes").html.contains(">Undo: This wasn’t me</a>"))
            #expect(library.warnings(using: own.keys) == [])
        }
    }

    @Test
    func `a language that an operator adds may lack texts, which stand in English and are named once`() throws {
        try withOperatorFolder([
            "strings/da.json": "{\"mailSignInTitle\": \"Log ind på {{appName}}\"}"
        ]) { path in
            let library = try TemplateLibrary(overriding: path)
            let templates = try EmailTemplates(library)
            let mail = try templates.render(.example(.signIn, locale: "da"), appName: "Notes")
            #expect(mail.text.hasPrefix("Log ind på Notes\n"))
            #expect(mail.html.contains("<html lang=\"da\" dir=\"ltr\">"))
            #expect(mail.subject == "Sign in to Notes · 2026-11-20 20:31 UTC")
            let warnings = library.warnings(using: templates.keys)
            #expect(warnings.count == 1)
            let warning = try #require(warnings.first)
            #expect(warning.hasPrefix("\(path)/strings/da.json: English stands in for "))
            let named = Set(warning.split(separator: " ").map { $0.filter { $0 != "," } })
            let texts = templates.keys.filter { !$0.hasPrefix("color.") }
            #expect(texts.count > 50 && named.isSuperset(of: texts.subtracting(["mailSignInTitle"])))
            #expect(!named.contains("mailSignInTitle"))
        }
    }

    @Test
    func `a text that no template uses is a warning`() throws {
        try withOperatorFolder(["strings/de.json": "{\"mailSingInTitle\": \"x\", \"labelTime\": \"Zeit\"}"]) { path in
            let library = try TemplateLibrary(overriding: path)
            let keys = try EmailTemplates(library).keys
            #expect(
                library.warnings(using: keys) == ["\(path)/strings/de.json: no template uses mailSingInTitle"]
            )
        }
    }

    @Test
    func `a color that no template uses is a warning`() throws {
        try withOperatorFolder(["colors.json": "{\"acent\": \"red\", \"accent\": \"rgb(0 0 0 / 50%)\"}"]) { path in
            let library = try TemplateLibrary(overriding: path)
            let keys = try EmailTemplates(library).keys
            #expect(library.warnings(using: keys) == ["\(path)/colors.json: no template uses color.acent"])
        }
    }

    @Test
    func `the built-in templates give no warning`() throws {
        let library = try TemplateLibrary.builtIn
        #expect(library.warnings(using: try EmailTemplates(library).keys) == [])
        #expect(library.locales == LocaleChoice.shipped)
    }

    struct Fault: Sendable, CustomTestStringConvertible {
        let path: String
        let content: String
        /// The error, after the operator's folder.
        let message: String
        var testDescription: String { "\(path): \(content)" }
    }

    @Test(arguments: [
        Fault(
            path: "email/sign-in.html",
            content: "<p>\n{{lnik}}",
            message: "email/sign-in.html:2: unknown placeholder 'lnik'"
        ),
        Fault(
            path: "email/sign-in.html",
            content: "\n{{t.nothing}}",
            message: "email/sign-in.html:2: unknown text 't.nothing'"
        ),
        Fault(
            path: "email/sign-in.html",
            content: "{{color.nothing}}",
            message: "email/sign-in.html:1: unknown text 'color.nothing'"
        ),
        Fault(
            path: "email/sign-in.html",
            content: "\n{{button.nothing}}",
            message: "email/sign-in.html:2: unknown text 'button.nothing'"
        ),
        Fault(
            path: "email/sign-in.html",
            content: "{{fact.account}}",
            message: "email/sign-in.html:1: unknown text 'fact.account'"
        ),
        Fault(
            path: "email/email-in-use.html",
            content: "{{button.notMeButton}}",
            message: "email/email-in-use.html:1: unknown text 'button.notMeButton'"
        ),
        Fault(
            path: "email/button.html",
            content: "\n{{t.nothing}}",
            message: "email/button.html:2: unknown text 't.nothing'"
        ),
        Fault(
            path: "email/fact.html",
            content: "{{link}}",
            message: "email/fact.html:1: unknown placeholder 'link'"
        ),
        Fault(
            path: "email/sing-in.html",
            content: "x",
            message: "email/sing-in.html: no e-mail template has this name"
        ),
        Fault(path: "email/note.txt", content: "x", message: "email/note.txt: no e-mail template has this name"),
        Fault(
            path: "email/verify-email.txt",
            content: "{{code}}",
            message: "email/verify-email.txt:1: unknown placeholder 'code'"
        ),
        Fault(
            path: "colors.json",
            content: "{\"accent\": \"red; x\"}",
            message: "colors.json: 'accent' is not a color"
        ),
        Fault(
            path: "colors.json",
            content: "{\"accent\": {\"other\": \"red\"}}",
            message: "colors.json: 'accent' is not a color"
        ),
        Fault(path: "email/layout.html", content: "<p>", message: "email/layout.html: no {{{content}}}"),
        Fault(
            path: "email/sign-in.txt",
            content: "{{{content}}}",
            message: "email/sign-in.txt:1: 'content' in the wrong number of braces"
        ),
        Fault(
            path: "strings/it.json",
            content: "{\"mailVerifyEmailLead\": \"{{code}}\"}",
            message: "strings/it.json: 'mailVerifyEmailLead' has unknown placeholder 'code'"
        ),
        Fault(
            path: "strings/de.json",
            content: "{\"mailSignInSubject\": \"{{code}} · {{time}}\"}",
            message: "strings/de.json: 'mailSignInSubject' has unknown placeholder 'code'"
        ),
        Fault(
            path: "strings/de.json",
            content: "{\"mailSignInPreheader\": \"{{link}}\"}",
            message: "strings/de.json: 'mailSignInPreheader' has unknown placeholder 'link'"
        ),
        Fault(
            path: "strings/de.json",
            content: "{\"mailSignInSubject\": \"a\\nb\"}",
            message: "strings/de.json: 'mailSignInSubject' is not one line of text"
        ),
        Fault(
            path: "strings/de.json",
            content: "{\"mailSignInLead\": \"{{t.mailSignInTitle}}\"}",
            message: "strings/de.json: 'mailSignInLead' has unknown placeholder 't.mailSignInTitle'"
        ),
        Fault(
            path: "strings/de.json",
            content: "{\n\"a\": \"x\",\n\"a\": \"y\"}",
            message: "strings/de.json:3: not JSON: duplicate name"
        ),
        Fault(path: "strings/de.json", content: "[]", message: "strings/de.json: not a JSON object"),
        Fault(
            path: "strings/de.json",
            content: "{\"a\": 1}",
            message: "strings/de.json: 'a' is neither a string nor an object of plural forms"
        ),
        Fault(
            path: "strings/de.json",
            content: "{\"a\": {\"one\": \"x\"}}",
            message: "strings/de.json: 'a' has no plural form 'other'"
        ),
        Fault(
            path: "strings/de.json",
            content: "{\"a\": {\"1\": \"x\", \"other\": \"y\"}}",
            message: "strings/de.json: 'a' has the plural form '1', which is not a string of a category of CLDR"
        ),
        Fault(
            path: "strings/de.json",
            content: "{\"mailSignInLife\": {\"one\": \"x\", \"other\": \"y\"}}",
            message: "strings/de.json: 'mailSignInLife' has plural forms, so its form 'other' needs one of the numbers "
                + "{{days}}, {{hours}}, {{minutes}}"
        ),
        Fault(
            path: "strings/de.txt",
            content: "x",
            message: "strings/de.txt: the files in strings/ are called <locale>.json"
        ),
    ])
    func `what is wrong with an operator's file stops the start and names it`(_ fault: Fault) throws {
        try withOperatorFolder([fault.path: fault.content]) { path in
            let error = try #require(throws: TemplateError.self) {
                try EmailTemplates(TemplateLibrary(overriding: path))
            }
            #expect(error.description == "\(path)/\(fault.message)")
        }
    }

    @Test(arguments: [
        ("email/de/sign-in.subject.txt", "moved into strings/de.json, as the text 'mailSignInSubject'"),
        ("email/nl/method-added.preheader.txt", "moved into strings/nl.json, as the text 'mailMethodAddedPreheader'"),
        ("email/de/unknown-device.txt", "moved into strings/de.json, as the text 'deviceUnknown'"),
        ("email/de/unknown-account.txt", "moved into strings/de.json, as the text 'accountUnknown'"),
        (
            "email/pt-BR/sign-in.html",
            "moved to email/sign-in.html, one file for all languages, with the words in strings/pt-BR.json"
        ),
        (
            "email/ja/email-in-use.txt",
            "moved to email/email-in-use.txt, one file for all languages, with the words in strings/ja.json"
        ),
        (
            "pages/strings/fr.json",
            "moved to strings/fr.json, which needs only the texts that differ from the built-in ones"
        ),
    ])
    func `a file in an old place stops the start and names the new one`(_ path: String, _ reason: String) throws {
        try withOperatorFolder([path: "{}"]) { folder in
            let error = try #require(throws: TemplateError.self) { try TemplateLibrary(overriding: folder) }
            #expect(error.description == "\(folder)/\(path): \(reason)")
        }
    }

    @Test
    func `a folder that does not exist is not silently none`() {
        #expect(throws: TemplateError.self) { try TemplateLibrary(overriding: "/nonexistent/folder") }
    }

    @Test
    func `a default language without texts stops the start`() throws {
        let error = try #require(throws: TemplateError.self) { try TemplateLibrary(defaultLocale: "xx") }
        #expect(error.description == "Templates/strings/xx.json: the default language has no texts")
    }

    @Test
    func `hidden files and leftovers of editors are ignored`() throws {
        try withOperatorFolder([
            "email/.DS_Store": "x", "email/sign-in.html~": "x", "email/README.md": "x", "strings/de.json~": "x",
        ]) { path in
            _ = try EmailTemplates(TemplateLibrary(overriding: path))
        }
    }
}
