extension SQL {
    /// Fragments with something between them.
    static func joined<Element>(_ elements: [Element], by separator: SQL, _ fragment: (Element) -> SQL) -> SQL {
        var result: SQL = ""
        for (index, element) in elements.enumerated() {
            if index > 0 { result += separator }
            result += fragment(element)
        }
        return result
    }

    /// Conditions that hold together; none hold always.
    static func all<Element>(_ elements: [Element], _ condition: (Element) -> SQL) -> SQL {
        elements.isEmpty ? "1 = 1" : joined(elements, by: " AND ", condition)
    }
}
