import Foundation
import PostgreSQLHarness
import Testing

/// docs/asvs.md: every requirement has one answer, and the tests and files that the answers name exist.
@Suite("Answers to the security standard", .enabled(if: TestDatabase.isEnginesTurn))
struct SecurityStandardTests {
    struct Answer {
        let id: String
        /// One of `words`, if the page is correct.
        let word: String
        let text: String
        let tests: [String]
    }

    private static let words = ["met", "partly met", "not met", "not applicable"]

    /// The requirements of ASVS 5.0.0, levels 1 and 2, by section: the numbers of the last part of their ids.
    private static let sections: [(name: String, numbers: ClosedRange<Int>)] = [
        ("6.1", 1...3), ("6.2", 1...12), ("6.3", 1...4), ("6.4", 1...4), ("6.5", 1...5), ("6.6", 1...3), ("6.8", 1...4),
        ("7.1", 1...3), ("7.2", 1...4), ("7.3", 1...2), ("7.4", 1...5), ("7.5", 1...2), ("7.6", 1...2),
        ("9.1", 1...3), ("9.2", 1...4),
        ("10.4", 1...11), ("10.5", 1...5),
        ("12.1", 1...3), ("12.2", 1...2), ("12.3", 1...4),
        ("16.1", 1...1), ("16.2", 1...5), ("16.3", 1...4), ("16.4", 1...3), ("16.5", 1...3),
    ]

    private static let ids = sections.flatMap { section in section.numbers.map { "\(section.name).\($0)" } }

    /// The cells of each row of the page's tables.
    private static func rows() throws -> [[String]] {
        let page = try String(contentsOf: NamedTests.root.appending(path: "docs/asvs.md"), encoding: .utf8)
        return page.split(whereSeparator: \.isNewline).filter { $0.hasPrefix("| ") }.map { line in
            line.split(separator: "|", omittingEmptySubsequences: false).dropFirst().dropLast()
                .map { $0.trimmingCharacters(in: .whitespaces) }
        }
    }

    private static func answers() throws -> [Answer] {
        var answers: [Answer] = []
        for row in try rows() where row.first?.wholeMatch(of: /\d+\.\d+\.\d+/) != nil {
            try #require(row.count == 4, "\(row)")
            let tests = row[3].matches(of: /`([^`]+)`/).map { String($0.1) }
            answers.append(Answer(id: row[0], word: row[1], text: row[2], tests: tests))
        }
        return answers
    }

    @Test func `each requirement is answered once, in the order of the standard`() throws {
        #expect(Self.ids.count == 101)
        #expect(try Self.answers().map(\.id) == Self.ids)
    }

    @Test func `each answer is one of the four, with a reason`() throws {
        for answer in try Self.answers() {
            #expect(Self.words.contains(answer.word), "\(answer.id)")
            #expect(!answer.text.isEmpty, "\(answer.id)")
        }
    }

    @Test func `the page counts its answers`() throws {
        let answers = try Self.answers(), rows = try Self.rows()
        for word in Self.words {
            let count = answers.count { $0.word == word }
            #expect(rows.contains { $0.first == word && $0.last == "\(count)" }, "\(word): \(count)")
        }
    }

    @Test func `each test that an answer names exists, and what is met names a test or a page`() throws {
        let tests = try NamedTests.all()
        #expect(tests.count > 600)
        for answer in try Self.answers() {
            for test in answer.tests where !tests.contains(test) {
                Issue.record("\(answer.id): there is no test \(test)")
            }
            guard answer.word == "met" else { continue }
            #expect(!answer.tests.isEmpty || answer.text.contains(".md)"), "\(answer.id)")
        }
    }

    @Test func `each file and page that an answer names exists`() throws {
        var count = 0
        for answer in try Self.answers() {
            let sources = answer.text.matches(of: /`([\w+\/]+\.(?:swift|h))`/).map { "Sources/\($0.1)" }
            let pages = answer.text.matches(of: /\]\((\w+\.md)\)/).map { "docs/\($0.1)" }
            for path in sources + pages {
                count += 1
                let file = NamedTests.root.appending(path: path)
                #expect(FileManager.default.fileExists(atPath: file.path), "\(answer.id): \(path)")
            }
        }
        #expect(count > 30)
    }
}
