/// What is wrong with a template, where.
package struct TemplateError: Error, Sendable, Equatable, CustomStringConvertible {
    /// The file, as an operator finds it.
    package let file: String
    /// The line, from 1; nil if it concerns the whole file.
    package let line: Int?
    /// What is wrong, with the name of the placeholder or file that is.
    package let reason: String

    package init(file: String, line: Int?, reason: String) {
        self.file = file
        self.line = line
        self.reason = reason
    }

    package var description: String { "\(file)\(line.map { ":\($0)" } ?? ""): \(reason)" }
}
