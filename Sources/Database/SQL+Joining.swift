extension SQL {
    /// Joins fragments with a separator.
    package static func joined<Element>(_ elements: [Element], by separator: SQL, _ fragment: (Element) -> SQL) -> SQL {
        var result: SQL = ""
        for (index, element) in elements.enumerated() {
            if index > 0 { result += separator }
            result += fragment(element)
        }
        return result
    }

    /// Combines conditions with AND.
    ///
    /// The condition of an empty list is always true.
    package static func all<Element>(_ elements: [Element], _ condition: (Element) -> SQL) -> SQL {
        elements.isEmpty ? "1 = 1" : joined(elements, by: " AND ", condition)
    }
}
