internal import Mail

/// Checks that the page `approve.html`, which operators may replace, accepts the digits that devices show.
enum ApproveForm {
    /// The smallest and the largest number that a device may show.
    private static let samples = ["100", "999"]

    /// Refuses a page whose field for the digits does not accept all numbers of three digits, as far as the field's
    /// `maxlength`, `max` and `pattern` tell.
    ///
    /// - Parameters:
    ///   - source: the page.
    ///   - file: its name, for the error.
    /// - Throws: `TemplateError`.
    static func check(_ source: String, file: String) throws(TemplateError) {
        for field in inputs(of: source) where field["name"] == "confirmation" {
            if let text = field["maxlength"], let length = Int(text), length < 3 {
                throw tooShort(file, "maxlength=\"\(text)\"")
            }
            if let text = field["max"], let largest = Double(text), largest < 999 {
                throw tooShort(file, "max=\"\(text)\"")
            }
            if let pattern = field["pattern"], let expression = try? Regex(pattern),
                !samples.allSatisfy({ (try? expression.wholeMatch(in: $0)) != nil })
            {
                throw tooShort(file, "pattern=\"\(pattern)\"")
            }
        }
    }

    private static func tooShort(_ file: String, _ attribute: String) -> TemplateError {
        TemplateError(
            file: file,
            line: nil,
            reason: "the field 'confirmation' has \(attribute), but devices show three digits; "
                + "use pattern=\"[0-9]{2,3}\" maxlength=\"3\" as the built-in page does"
        )
    }

    /// The attributes of each input element, by names in lower case.
    private static func inputs(of source: String) -> [[String: String]] {
        var elements: [[String: String]] = []
        var rest = source[...]
        while let open = rest.firstIndex(of: "<") {
            rest = rest[rest.index(after: open)...]
            guard rest.prefix(5).lowercased() == "input" else { continue }
            rest = rest.dropFirst(5)
            elements.append(attributes(&rest))
        }
        return elements
    }

    /// Reads attributes up to the end of their tag.
    private static func attributes(_ rest: inout Substring) -> [String: String] {
        var result: [String: String] = [:]
        while true {
            rest = rest.drop { $0.isWhitespace || $0 == "/" }
            guard let first = rest.first, first != ">" else { return result }
            let word = rest.prefix { !$0.isWhitespace && !"=/>".contains($0) }
            let name = word.lowercased()
            rest = rest[word.endIndex...].drop(while: \.isWhitespace)
            guard rest.first == "=" else { continue }
            rest = rest.dropFirst().drop(while: \.isWhitespace)
            let value: Substring
            if let quote = rest.first, quote == "\"" || quote == "'" {
                value = rest.dropFirst().prefix { $0 != quote }
                rest = rest.dropFirst(value.count + 2)
            } else {
                value = rest.prefix { !$0.isWhitespace && $0 != ">" }
                rest = rest.dropFirst(value.count)
            }
            // The first of two attributes of one name counts.
            if result[name] == nil { result[name] = String(value) }
        }
    }
}
