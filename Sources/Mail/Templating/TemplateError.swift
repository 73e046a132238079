/// An error in a template, and its position.
package struct TemplateError: Error, Sendable, Equatable, CustomStringConvertible {
    /// The file, as the operator can find it.
    package let file: String
    /// The line, from 1; nil for the whole file.
    package let line: Int?
    /// The problem, with the name of the placeholder, text or file that it concerns, if there is one.
    package let reason: String

    package init(file: String, line: Int?, reason: String) {
        self.file = file
        self.line = line
        self.reason = reason
    }

    /// Makes the error of a language that has no texts.
    package init(noTextsIn locale: String) {
        self.init(file: "strings/\(locale).json", line: nil, reason: "the language has no texts")
    }

    package var description: String { "\(file)\(line.map { ":\($0)" } ?? ""): \(reason)" }
}
