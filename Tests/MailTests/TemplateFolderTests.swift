import Accounts
import Foundation
import Mail
import Testing

@Suite
struct TemplateFolderTests {
    @Test
    func `an operator's file replaces the embedded one, the others stay`() throws {
        try withFolder(["email/en/sign-in.subject.txt": "\u{FEFF}Own words · {{appName}} · {{time}}\r\n"]) { path in
            let own = try EmailTemplates(TemplateFolder("email", overriding: path))
            #expect(try own.render(.example(.signIn), appName: "A").subject == "Own words · A · 2026-11-20 20:31 UTC")
            let embedded = try EmailTemplates(TemplateFolder("email"))
            let (one, two) = (
                try own.render(.example(.verifyEmail), appName: "A"),
                try embedded.render(.example(.verifyEmail), appName: "A")
            )
            #expect(one == two)
        }
    }

    @Test
    func `an operator may add a language, but a complete one`() throws {
        var files = [String: String]()
        let embedded = try TemplateFolder("email")
        for path in embedded.paths where path.hasPrefix("en/") {
            files["email/nl" + path.dropFirst(2)] = try embedded.text(path)
        }
        try withFolder(files) { path in
            let templates = try EmailTemplates(TemplateFolder("email", overriding: path))
            #expect(templates.locales.contains("nl"))
        }
        files["email/nl/sign-in.html"] = nil
        try withFolder(files) { path in
            let error = try #require(throws: TemplateError.self) {
                try EmailTemplates(TemplateFolder("email", overriding: path))
            }
            #expect(error.description.hasSuffix("email/nl/sign-in.html: the file is missing"))
        }
    }

    struct Fault: Sendable, CustomTestStringConvertible {
        let path: String
        let content: String
        let message: String
        var testDescription: String { message }
    }

    @Test(arguments: [
        Fault(
            path: "en/sign-in.html",
            content: "<p>\n{{lnik}}",
            message: "en/sign-in.html:2: unknown placeholder 'lnik'"
        ),
        Fault(path: "en/sing-in.html", content: "x", message: "en/sing-in.html: no mail has a file of this name"),
        Fault(path: "note.txt", content: "x", message: "note.txt: no mail has a file of this name"),
        Fault(
            path: "it/verify-email.txt",
            content: "{{code}}",
            message: "it/verify-email.txt:1: unknown placeholder 'code'"
        ),
        Fault(
            path: "de/sign-in.subject.txt",
            content: "{{code}} · {{time}}",
            message: "de/sign-in.subject.txt:1: unknown placeholder 'code'"
        ),
        Fault(path: "de/sign-in.subject.txt", content: "a\nb", message: "de/sign-in.subject.txt: one line is wanted"),
        Fault(path: "layout.html", content: "<p>", message: "layout.html: no {{{content}}}"),
        Fault(
            path: "en/sign-in.txt",
            content: "{{{content}}}",
            message: "en/sign-in.txt:1: 'content' in the wrong number of braces"
        ),
        Fault(path: "nl/sign-in.txt", content: "x", message: "nl/sign-in.subject.txt: the file is missing"),
    ])
    func `what is wrong with an operator's file stops the start and names it`(_ fault: Fault) throws {
        try withFolder(["email/" + fault.path: fault.content]) { path in
            let error = try #require(throws: TemplateError.self) {
                try EmailTemplates(TemplateFolder("email", overriding: path))
            }
            #expect(error.description == "\(path)/email/\(fault.message)")
        }
    }

    @Test
    func `a folder that does not exist is not silently none`() {
        #expect(throws: TemplateError.self) { try TemplateFolder("email", overriding: "/nonexistent/folder") }
    }

    @Test
    func `a required language that is missing stops the start`() throws {
        let folder = try TemplateFolder("email")
        let error = try #require(throws: TemplateError.self) { try EmailTemplates(folder, required: ["en", "xx"]) }
        #expect(error.description.contains("xx/"))
    }

    @Test
    func `hidden files and leftovers of editors are passed over`() throws {
        try withFolder(["email/.DS_Store": "x", "email/en/sign-in.html~": "x", "email/README.md": "x"]) { path in
            _ = try EmailTemplates(TemplateFolder("email", overriding: path))
        }
    }

    private func withFolder(_ files: [String: String], _ body: (String) throws -> Void) throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "templates-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: folder) }
        for (path, content) in files {
            let file = folder.appending(path: path)
            try FileManager.default.createDirectory(
                at: file.deletingLastPathComponent(),
                withIntermediateDirectories: true
            )
            try Data(content.utf8).write(to: file)
        }
        try body(folder.path)
    }
}
