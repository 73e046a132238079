import Foundation
import JSON
import Mail
import Testing

@testable import Server

/// A server with an operator's templates folder.
@Suite("Templates of an operator") struct TemplateOverrideTests {
    @Test func `an operator's text appears on pages and in mails, the others stay`() async throws {
        try await withFolder([
            "strings/de.json": "{\"badLinkTitle\": \"Hier <fehlt> etwas\", \"mailSignInLead\": \"Hier entlang:\"}"
        ]) { folder in
            try await TestServer.run(["TEMPLATES": folder]) { server in
                let page = try server.send("GET", "/auth/action?lang=de").text
                #expect(page.contains("<h1>Hier &lt;fehlt&gt; etwas</h1>"))
                #expect(page.contains("Vielleicht wurde er unterwegs abgeschnitten."))
                let mail = try server.askForLink("ann@example.com", headers: ["X-Firebase-Locale: de"]).mail
                #expect(mail.text.contains("Hier entlang:"))
                #expect(mail.text.contains("Gib diesen Code in"))
                #expect(!server.log.contains("\"event\":\"templates\""))
            }
        }
    }

    @Test func `a language that lacks texts and a text without a use are logged once each at the start`() async throws {
        try await withFolder([
            "strings/da.json": "{\"badLinkTitle\": \"Ufuldstændig\"}", "strings/de.json": "{\"badLinkTitel\": \"x\"}",
        ]) { folder in
            try await TestServer.run(["TEMPLATES": folder]) { server in
                let page = try server.send("GET", "/auth/action?lang=da").text
                #expect(page.contains("<html lang=\"da\"") && page.contains("<h1>Ufuldstændig</h1>"))
                #expect(page.contains("Perhaps it was cut off on the way."))
                try server.eventually("it is logged") { server.log.contains("English stands in for") }
                let lines = server.log.all.flatMap { $0.split(separator: "\n") }
                    .filter { $0.contains("\"event\":\"templates\"") }
                #expect(lines.count == 2)
                #expect(lines.contains { $0.contains("strings/de.json: no template uses badLinkTitel") })
                let missing = try #require(lines.first { $0.contains("strings/da.json: English stands in for ") })
                for key in ["badLinkMessage", "mailSignInTitle", "landingTitle"] { #expect(missing.contains(key)) }
                #expect(!missing.contains("badLinkTitle"))
            }
        }
    }

    @Test func `an operator's color is that of pages and of mails`() async throws {
        try await withFolder(["colors.json": "{\"accent\": \"#123456\"}"]) { folder in
            try await TestServer.run(["TEMPLATES": folder]) { server in
                let style = try server.send("GET", "/auth/style.css").text
                #expect(style.contains("--accent: #123456;") && style.contains("--text: #1c2430;"))
                _ = try server.askForLink("ann@example.com")
                let id = try server.send("GET", "/mailbox/messages").json["messages"]?.array?.first?["id"]?.string ?? ""
                #expect(try server.send("GET", "/mailbox/messages/\(id)/html").text.contains("#123456"))
            }
        }
    }

    @Test(arguments: [
        ("pages/strings/de.json", "{}", "moved to strings/de.json"),
        ("email/de/sign-in.txt", "x", "moved to email/sign-in.txt"),
        ("strings/de.json", "{\"landingTitle\": \"{{nothing}}\"}", "'landingTitle' has unknown placeholder 'nothing'"),
        ("strings/de.json", "{\"errorTitle\": \"{{code}}\"}", "'errorTitle' has unknown placeholder 'code'"),
        ("strings/de.json", "{\"deniedMessage\": \"{{code}}\"}", "'deniedMessage' has unknown placeholder 'code'"),
        ("pages/denied.html", "{{code}}", "denied.html:1: unknown placeholder 'code'"),
        ("pages/denid.html", "x", "denid.html: no page template has this name"),
        ("pages/landing.html", "\n{{t.nothing}}", "landing.html:2: unknown text 't.nothing'"),
    ])
    func `what is wrong with a file stops the start`(path: String, content: String, reason: String) async throws {
        try await withFolder([path: content]) { folder in
            do {
                try await TestServer.run(["TEMPLATES": folder]) { _ in }
                Issue.record("it started")
            } catch {
                #expect("\(error)".contains(reason), "\(error)")
            }
        }
    }

    @Test func `a page chooses the plural form by its number`() throws {
        let pages = try CompiledTemplates(TemplateLibrary()).pages
        for (minutes, end) in [("1", "within 1 minute after"), ("10", "within 10 minutes after")] {
            #expect(
                try pages.render(
                    "resent",
                    locale: "en",
                    ["appName": "Notes", "minutes": minutes, "email": "a***@example.com", "back": ""]
                ).contains(end)
            )
        }
    }

    @Test func `every page renders from its placeholders in every language`() throws {
        let pages = try CompiledTemplates(TemplateLibrary()).pages
        for (name, placeholders) in PagePlaceholders.escaped {
            let parts = PagePlaceholders.accountParts[name] ?? []
            let values = placeholders.union(PagePlaceholders.raw(of: name)).union(parts).map { ($0, "<\($0)>") }
            for locale in pages.locales {
                let html = try pages.render(name, locale: locale, ["title": "x"].merging(values) { $1 })
                #expect(html.contains("<html lang=\"\(locale)\"") && !html.contains("{{"), "\(name)")
            }
        }
    }

    @Test func `every text of the built-in languages is used`() throws {
        let library = try TemplateLibrary()
        let templates = try CompiledTemplates(library)
        let used = templates.emails.keys.union(templates.pages.keys)
        let english = Set(try #require(library.languages["en"]).keys)
        #expect(english.subtracting(used) == [])
        #expect(templates.warnings == [])
    }

    private func withFolder(_ files: [String: String], _ body: (String) async throws -> Void) async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "latchkey-templates-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: folder) }
        for (path, content) in files {
            let file = folder.appending(path: path)
            try FileManager.default.createDirectory(
                at: file.deletingLastPathComponent(),
                withIntermediateDirectories: true
            )
            try Data(content.utf8).write(to: file)
        }
        try await body(folder.path)
    }
}
