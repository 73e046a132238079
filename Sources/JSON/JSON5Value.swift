/// A value of a JSON5 text, which remembers the lines of its members.
///
/// JSON5 is for files that people write, such as a configuration. What clients send is JSON: ``JSONValue``.
package indirect enum JSON5Value: Sendable, Equatable {
    case null
    case bool(Bool)
    case number(Double)
    case string(String)
    case array([JSON5Value])
    case object([JSON5Member])

    /// The maximum nesting of arrays and objects.
    package static let deepestNesting = 64

    /// Reads a JSON5 text (version 1.0.0 of its specification, spec.json5.org).
    ///
    /// It is stricter in one point: a name may stand in an object once only.
    ///
    /// - Parameter bytes: the whole text, as UTF-8, with or without a byte order mark.
    /// - Throws: ``JSON5Error`` at the first error.
    package static func parse(_ bytes: [UInt8]) throws(JSON5Error) -> JSON5Value {
        guard let text = String(validating: bytes, as: UTF8.self) else {
            throw JSON5Error("the text is not UTF-8", line: 1, column: 1)
        }
        var parser = JSON5Parser(text)
        return try parser.text()
    }
}

/// A member of an object of a JSON5 text.
package struct JSON5Member: Sendable, Equatable {
    package let name: String
    /// The line of the name, from 1.
    package let line: Int
    package let value: JSON5Value
}

/// The reason why a text is not accepted as JSON5, and where.
package struct JSON5Error: Error, Sendable, Equatable {
    /// What is wrong, without the place.
    package let reason: String
    /// The line of the first wrong character, from 1.
    package let line: Int
    /// The column of the first wrong character, from 1, in Unicode scalars.
    package let column: Int

    init(_ reason: String, line: Int, column: Int) {
        self.reason = reason
        self.line = line
        self.column = column
    }
}
