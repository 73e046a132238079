import Foundation
import ProcessHarness
import Testing

@testable import latchkey

/// Completion scripts in real shells, and manual pages in a real formatter.
@Suite("Completions and manual pages", .timeLimit(.minutes(1))) struct PackagingTests {
    /// Runs a program with a text on its standard input.
    private func run(_ words: [String], input: String) throws -> (status: Int32, output: String) {
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = words
        let source = Pipe(), output = Pipe()
        process.standardInput = source
        process.standardOutput = output
        process.standardError = output
        try process.start()
        source.fileHandleForWriting.write(Data(input.utf8))
        try source.fileHandleForWriting.close()
        let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitUntilExit()
        return (process.terminationStatus, text)
    }

    struct Case: Sendable {
        let words: [String]
        let present: Set<String>
        var absent: Set<String> = []
    }

    static let cases = [
        Case(words: [""], present: ["serve", "keys", "--version"], absent: ["rotate"]),
        Case(words: ["ke"], present: ["keys"], absent: ["serve"]),
        Case(words: ["keys", ""], present: ["list", "rotate", "reseal"], absent: ["serve"]),
        Case(
            words: ["keys", "rotate", "--"],
            present: ["--algorithm", "--config", "--json", "--help"],
            absent: ["--keep"]
        ),
        Case(words: ["--config", "keys", "ba"], present: ["backup"], absent: ["--keep"]),
        Case(words: ["backup", "--keep", "3", "--"], present: ["--keep", "--database"]),
        Case(words: ["backup", "--keep", ""], present: [], absent: ["--keep", "serve"]),
    ]

    @Test(arguments: cases) func `bash completes commands and options`(_ test: Case) throws {
        let words = (["latchkey"] + test.words).map { "'\($0)'" }.joined(separator: " ")
        let script =
            Completion.bash.script(for: .all)
            + "COMP_WORDS=(\(words)); COMP_CWORD=\(test.words.count); _latchkey; printf '%s\\n' \"${COMPREPLY[@]}\"\n"
        let (status, output) = try run(["bash", "--norc", "-s"], input: script)
        let found = Set(output.split(separator: "\n").map(String.init))
        #expect(status == 0 && test.present.isSubset(of: found) && test.absent.isDisjoint(with: found), "\(output)")
    }

    @Test(arguments: cases) func `zsh completes commands and options`(_ test: Case) throws {
        let words = (["latchkey"] + test.words).map { "'\($0)'" }.joined(separator: " ")
        // The functions of zsh's completion system, which need an editor, print what they are given.
        let stubs = """
            compdef() { }
            _files() { }
            _describe() { local name="${@[-1]}"; print -l -- "${(@P)name}" }

            """
        let script =
            stubs + Completion.zsh.script(for: .all) + "words=(\(words)); CURRENT=\(test.words.count + 1); _latchkey\n"
        let (status, output) = try run(["zsh", "--no-rcs", "-s"], input: script)
        let typed = test.words.last ?? ""
        let names = output.split(separator: "\n").map { String($0.prefix { $0 != ":" }) }.filter { $0.hasPrefix(typed) }
        // zsh offers options after a hyphen only.
        let present = test.present.filter { typed.hasPrefix("-") || !$0.hasPrefix("-") }
        #expect(status == 0 && present.isSubset(of: names) && test.absent.isDisjoint(with: names), "\(output)")
    }

    @Test(arguments: Manual.pages(.all).map(\.name))
    func `a manual page is formatted without warnings`(_ name: String) throws {
        let page = try #require(Manual.pages(.all).first { $0.name == name })
        let (status, output) = try run(["groff", "-man", "-Tutf8", "-ww", "-b"], input: page.text)
        #expect(status == 0)
        #expect(!output.contains("warning") && !output.contains("error:"), "\(output.prefix(500))")
        #expect(page.text.contains(".SH NAME\n\(name.dropLast(2).replacing("-", with: "\\-")) \\- "))
    }

    @Test func `there is a page for each command, with each of its options`() {
        for command in CommandTree.all.commands {
            let page = Manual.pages(.all).first { $0.name == "latchkey-\(command.name).1" }?.text ?? ""
            for option in command.options + command.subcommands.flatMap(\.options) {
                let name = option.name.replacing("-", with: "\\-")
                #expect(page.contains("\\-\\-\(name)\\fR"), "\(command.name) \(option.name)")
            }
        }
    }
}
