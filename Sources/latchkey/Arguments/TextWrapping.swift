/// Breaks running text into lines.
enum TextWrapping {
    /// Splits a text at its empty lines.
    static func paragraphs(_ text: String) -> [String] {
        var result: [String] = []
        var lines: [Substring] = []
        for line in (text + "\n").split(separator: "\n", omittingEmptySubsequences: false) {
            guard line.allSatisfy(\.isWhitespace) else {
                lines.append(line)
                continue
            }
            if !lines.isEmpty { result.append(lines.joined(separator: " ")) }
            lines = []
        }
        return result
    }

    /// Wraps a text.
    ///
    /// A word that is longer than a line gets its own line.
    static func wrap(_ text: String, width: Int) -> [String] {
        var lines: [String] = []
        var line = ""
        for word in text.split(whereSeparator: \.isWhitespace) {
            if !line.isEmpty && line.count + 1 + word.count > width {
                lines.append(line)
                line = ""
            }
            line += (line.isEmpty ? "" : " ") + word
        }
        return line.isEmpty ? lines : lines + [line]
    }
}
