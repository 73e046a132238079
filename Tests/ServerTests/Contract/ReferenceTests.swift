import Accounts
import Foundation
import Server
import Testing

/// The pages in docs/: the settings and error codes against the code, the index and the links against the files.
@Suite("Reference pages")
struct ReferenceTests {
    private static func page(_ name: String) throws -> String {
        try String(contentsOf: NamedTests.root.appending(path: "docs/\(name)"), encoding: .utf8)
    }

    /// Returns the text between a heading of the second level and the next one.
    private static func section(_ heading: String, of page: String) throws -> String {
        let text = try Self.page(page)
        let start = try #require(text.range(of: "\n## \(heading)\n")).upperBound
        return String(text[start..<(text[start...].range(of: "\n## ")?.lowerBound ?? text.endIndex)])
    }

    /// Returns the settings that the table of docs/settings.md describes.
    private static func documentedSettings() throws -> Set<String> {
        let rows = try section("All settings", of: "settings.md").split(separator: "\n").filter {
            $0.hasPrefix("| `")
        }
        return rows.reduce(into: []) { keys, row in
            let cell = row.split(separator: " | ", maxSplits: 1)[0]
            for match in cell.matches(of: /`([\w.]+)`/) { keys.insert(String(match.1)) }
        }
    }

    /// Returns the keys that the code reads, as far as they stand in the sources as a whole.
    private static func readSettings() throws -> Set<String> {
        let folder = NamedTests.root.appending(path: "Sources/Server/Configuration")
        let files = try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)
        var keys: Set<String> = []
        for file in files {
            let text = try String(contentsOf: file, encoding: .utf8)
            let reads = /settings\.([a-z]\w*)\(\s*(?:under: |of: )?"([\w.]+)"/
            for match in text.matches(of: reads) where match.1 != "refuse" && match.1 != "warn" {
                keys.insert(String(match.2))
                if match.1 == "secret" { keys.insert("\(match.2)File") }
            }
        }
        return keys
    }

    @Test func `every setting that the code reads is described`() throws {
        let keys = try Self.readSettings(), documented = try Self.documentedSettings()
        #expect(keys.count > 90)
        #expect(keys.subtracting(documented).sorted() == [])
    }

    @Test func `every setting that is described is known to the code`() throws {
        let documented = try Self.documentedSettings()
        #expect(documented.count > 90)
        // A wrong value is refused in other words than an unknown setting.
        for key in documented {
            try TestServer.inFolder { folder in
                let file = folder.appending(path: "latchkey.json5")
                let value = key.split(separator: ".").reversed().reduce("[[]]") { "{ \"\($1)\": \($0) }" }
                try Data(value.utf8).write(to: file)
                do { _ = try Configuration.load(file: file.path, environment: [:]) } catch {
                    #expect(!"\(error)".contains("unknown setting"), "\(key)")
                }
            }
        }
    }

    @Test func `the events of the log are those that monitoring_md describes`() throws {
        let rows = try Self.section("Logs", of: "monitoring.md").split(separator: "\n").filter { $0.hasPrefix("| `") }
        let described = rows.reduce(into: Set<String>()) { events, row in
            let cell = row.split(separator: " | ", maxSplits: 1)[0]
            for match in cell.matches(of: /`([a-z.-]+)`/) { events.insert(String(match.1)) }
        }
        var logged: Set<String> = [], literals: Set<String> = []
        let files = FileManager.default.enumerator(
            at: NamedTests.root.appending(path: "Sources"),
            includingPropertiesForKeys: nil
        )
        for case let file as URL in files ?? .init() where file.pathExtension == "swift" {
            let text = try String(contentsOf: file, encoding: .utf8)
            for match in text.matches(of: /\b(?:log|logger)\(\s*"([a-z.-]+)"/) { logged.insert(String(match.1)) }
            for match in text.matches(of: /"([a-z.-]+)"/) { literals.insert(String(match.1)) }
        }
        #expect(logged.count > 25)
        #expect(logged.subtracting(described).sorted() == [])
        // Some names are chosen by a condition, or stand in a constant.
        #expect(described.subtracting(literals).sorted() == [])
    }

    @Test func `every error code is described in api_md or contract_md`() throws {
        let file = NamedTests.root.appending(path: "Sources/Accounts/Code.swift")
        let codes = try String(contentsOf: file, encoding: .utf8).matches(of: /rawValue: "([A-Z_]+)"/).map { $0.1 }
        #expect(codes.count > 90)
        let described = try Self.section("Errors", of: "api.md") + Self.page("contract.md")
        let words = Set(described.split { !$0.isLetter && $0 != "_" })
        #expect(codes.filter { !words.contains($0) } == [])
    }

    @Test func `every error code that is described exists`() throws {
        let folder = NamedTests.root.appending(path: "Sources")
        let files = FileManager.default.enumerator(at: folder, includingPropertiesForKeys: nil) ?? .init()
        var literals: Set<String> = []
        for case let file as URL in files where file.pathExtension == "swift" {
            let text = try String(contentsOf: file, encoding: .utf8)
            for match in text.matches(of: /"([A-Z][A-Z_]{5,})"/) { literals.insert(String(match.1)) }
        }
        let codes = try Self.section("Errors", of: "api.md").matches(of: /`([A-Z][A-Z_]{5,})`/).map { String($0.1) }
        #expect(codes.count > 90)
        #expect(codes.filter { !literals.contains($0) } == [])
    }

    @Test func `the index lists every page, and every link leads to a file`() throws {
        let docs = NamedTests.root.appending(path: "docs")
        let names = try FileManager.default.contentsOfDirectory(atPath: docs.path(percentEncoded: false))
            .filter { $0.hasSuffix(".md") }
        let index = try Self.page("README.md")
        for name in names where name != "README.md" { #expect(index.contains("](\(name))"), "\(name)") }
        for page in names.map({ docs.appending(path: $0) })
            + ["README.md", "CONTRIBUTING.md", "SECURITY.md"].map({ NamedTests.root.appending(path: $0) })
        {
            let text = try String(contentsOf: page, encoding: .utf8)
            for match in text.matches(of: /\]\(([^)#:\s]+)(?:#[^)]*)?\)/) {
                let target = page.deletingLastPathComponent().appending(path: String(match.1))
                #expect(
                    FileManager.default.fileExists(atPath: target.path(percentEncoded: false)),
                    "\(page.lastPathComponent): \(match.1)"
                )
            }
        }
    }
}
