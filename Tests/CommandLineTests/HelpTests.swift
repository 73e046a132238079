import Foundation
import Testing

@testable import latchkey

/// The help of every command against the files in `Help/`; `RECORD_SNAPSHOTS=1` rewrites the files.
@Suite("Help") struct HelpTests {
    static let tree = CommandTree.all

    static let texts: [(name: String, text: String)] =
        [("latchkey", Help.text(for: tree))]
        + tree.paths.map { ($0.words.replacing(" ", with: "-"), Help.text(for: $0)) }

    static func file(_ name: String) -> URL {
        URL(filePath: #filePath).deletingLastPathComponent().appending(path: "Help/\(name).txt")
    }

    @Test(arguments: texts)
    func `help reads as it was agreed`(name: String, text: String) throws {
        if ProcessInfo.processInfo.environment["RECORD_SNAPSHOTS"] == "1" {
            try Data(text.utf8).write(to: Self.file(name))
        }
        #expect(try String(contentsOf: Self.file(name), encoding: .utf8) == text)
    }

    @Test func `there is no file of a command that is gone`() throws {
        let folder = Self.file("x").deletingLastPathComponent().path(percentEncoded: false)
        let files = try FileManager.default.contentsOfDirectory(atPath: folder)
        #expect(Set(files) == Set(Self.texts.map { $0.name + ".txt" }))
    }

    @Test(arguments: texts)
    func `help fits 80 columns`(name: String, text: String) {
        let lines = text.split(separator: "\n")
        #expect(!lines.contains { $0.count > 80 }, "\(name)")
        #expect(!lines.contains { $0.last == " " }, "\(name)")
        #expect(!text.contains { $0 == "\t" || $0 == "\r" }, "\(name)")
    }

    @Test func `every command in the documentation exists`() throws {
        let root = Self.file("x").deletingLastPathComponent().appending(path: "../../..").standardizedFileURL
        let docs = root.appending(path: "docs")
        let names = try FileManager.default.contentsOfDirectory(atPath: docs.path(percentEncoded: false))
        let pages = names.filter { $0.hasSuffix(".md") }.map { docs.appending(path: $0) }
        let commands = Set(Self.tree.paths.map { $0.commands.map(\.name).joined(separator: " ") })
        var count = 0
        for page in pages + ["README.md", "CONTRIBUTING.md"].map({ root.appending(path: $0) }) {
            let text = try String(contentsOf: page, encoding: .utf8)
            for match in text.matches(of: /(?:`| {4}|sudo -u latchkey )latchkey ([a-z][a-z-]*)(?: ([a-z][a-z-]*))?/) {
                count += 1
                let first = String(match.1), hasSubcommands = commands.contains { $0.hasPrefix("\(first) ") }
                let name = hasSubcommands ? match.2.map { "\(first) \($0)" } ?? first : first
                #expect(commands.contains(name), "\(page.lastPathComponent): latchkey \(name)")
            }
        }
        #expect(count > 50)
    }

    @Test func `summaries are one short line without a full stop`() {
        for command in Self.tree.paths.compactMap(\.command) {
            #expect(command.summary.count <= 62, "\(command.name)")
            #expect(!command.summary.hasSuffix("."), "\(command.name)")
            #expect(command.summary.first?.isUppercase == true, "\(command.name)")
        }
    }

    @Test func `the examples of a command are understood`() throws {
        let parser = Parser(commands: Self.tree, environment: [:], terminal: Recorder().terminal)
        for path in Self.tree.paths {
            for example in path.command?.examples ?? [] {
                // What follows a pipe is another program's.
                let words = example.split(separator: " ").prefix { $0 != "|" }.map { String($0.filter { $0 != "'" }) }
                let parsed = try parser.parse(Array(words.dropFirst()))
                #expect(parsed.invocation.path.words == path.words, "\(example)")
            }
        }
    }

    @Test func `no secret can be given as an option`() {
        let names = Self.tree.paths.flatMap { $0.command?.options ?? [] }.map(\.name)
        for name in ["secret", "admin-key", "smtp-url", "password", "token"] {
            #expect(!names.contains(name))
        }
    }

    @Test func `operator commands get their settings by the names of the variables`() throws {
        let parser = Parser(
            commands: Self.tree,
            environment: ["LATCHKEY_MODE": "production", "LATCHKEY_LISTEN": "127.0.0.1:2"],
            terminal: Recorder().terminal
        )
        let parsed = try parser.parse(["serve", "--listen", "127.0.0.1:1", "--config", "a.json5"])
        let context = OperatorContext(parsed.invocation)
        #expect(context.configurationFile == "a.json5")
        #expect(context.overrides == ["LATCHKEY_LISTEN": "127.0.0.1:1"])
        #expect(context.settings == ["LATCHKEY_MODE": "production", "LATCHKEY_LISTEN": "127.0.0.1:1"])
    }
}
