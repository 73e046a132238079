import Foundation

/// The tests of the project, as the tables of docs/contract.md and docs/asvs.md name them.
enum NamedTests {
    /// The folder of the repository.
    static let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent()

    /// The names of all tests, such as `SignUpTests: a sentence` and `test_tokens.py: test_a_changed_token_fails`.
    static func all() throws -> Set<String> {
        let folder = root.appending(path: "Tests")
        var tests: Set<String> = []
        for case let file as URL in FileManager.default.enumerator(at: folder, includingPropertiesForKeys: nil)
            ?? .init()
        {
            switch file.pathExtension {
            case "swift":
                let text = try String(contentsOf: file, encoding: .utf8)
                let name = file.deletingPathExtension().lastPathComponent
                for match in text.matches(of: /@Test[^`]*?func `([^`]+)`/) { tests.insert("\(name): \(match.1)") }
            case "py" where file.lastPathComponent.hasPrefix("test_"):
                let text = try String(contentsOf: file, encoding: .utf8)
                for match in text.matches(of: /(?m)^def (test_\w+)/) {
                    tests.insert("\(file.lastPathComponent): \(match.1)")
                }
            default: continue
            }
        }
        return tests
    }
}
