import Foundation
import PostgreSQLHarness
import Testing

/// docs/contract.md: every rule has a test, and every test that it names exists.
@Suite("Table of the contract", .enabled(if: TestDatabase.isEnginesTurn))
struct ContractTableTests {
    struct Rule {
        let section: String
        let text: String
        /// The names in the table: `SignUpTests: a sentence`.
        let tests: [String]
    }

    private static func rules() throws -> [Rule] {
        let text = try String(contentsOf: NamedTests.root.appending(path: "docs/contract.md"), encoding: .utf8)
        var section = "", rules: [Rule] = []
        for line in text.split(whereSeparator: \.isNewline) {
            if let heading = line.wholeMatch(of: /### (\d+\.\d+) .*/) { section = String(heading.1) }
            guard line.hasPrefix("| "), line != "| rule | test |" else { continue }
            let cells = line.split(separator: " | ", maxSplits: 1)
            let tests = (cells.count > 1 ? cells[1] : "").matches(of: /`([^`]+)`/).map { String($0.1) }
            rules.append(Rule(section: section, text: String(cells[0].dropFirst(2)), tests: tests))
        }
        return rules
    }

    @Test func `every rule names a test, and every test named is there`() throws {
        let rules = try Self.rules(), tests = try NamedTests.all()
        #expect(rules.count > 140)
        #expect(tests.count > 600)
        for rule in rules {
            if rule.tests.isEmpty { Issue.record("\(rule.section): no test for: \(rule.text)") }
            for test in rule.tests where !tests.contains(test) {
                Issue.record("\(rule.section): there is no test \(test)")
            }
        }
    }

    @Test func `every section of the contract has rules`() throws {
        let present = Set(try Self.rules().map(\.section))
        let all = (1...6).map { "1.\($0)" } + (1...3).map { "2.\($0)" } + (1...18).map { "3.\($0)" }
        #expect(all.filter { !present.contains($0) }.isEmpty)
        #expect(present.count == all.count)
    }

    /// The texts of all Swift files in Sources, by the names of the files.
    private static func sources() throws -> [(name: String, text: String)] {
        let folder = NamedTests.root.appending(path: "Sources")
        let files = FileManager.default.enumerator(at: folder, includingPropertiesForKeys: nil)
        return try (files ?? .init()).compactMap { $0 as? URL }.filter { $0.pathExtension == "swift" }
            .map { ($0.lastPathComponent, try String(contentsOf: $0, encoding: .utf8)) }
    }

    @Test func `no code makes clients ask for a reCAPTCHA`() throws {
        let sources = try Self.sources()
        #expect(sources.count > 100)
        for file in sources { #expect(!file.text.contains("RECAPTCHA_TOKEN"), "\(file.name)") }
    }

    @Test func `comments in the sources refer to existing sections of the contract`() throws {
        let present = Set(try Self.rules().map(\.section))
        var count = 0
        for file in try Self.sources() {
            for reference in file.text.matches(of: /contract,\s+(?:\/\/\/? )?(\d+\.\d+)(?: and (\d+\.\d+))?/) {
                count += 1
                #expect(present.contains(String(reference.1)), "\(file.name): contract, \(reference.1)")
                if let second = reference.2 { #expect(present.contains(String(second)), "\(file.name): \(second)") }
            }
        }
        #expect(count > 60)
    }

    @Test func `every test of the contract's suites holds a rule`() throws {
        let named = Set(try Self.rules().flatMap(\.tests))
        let suites = try NamedTests.all().filter { $0.contains("ContractTests: ") }
        #expect(suites.subtracting(named).sorted() == [])
    }
}
