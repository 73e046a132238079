/// One statement: text written in the source code, and the values it binds.
///
///     let user: SQL = "SELECT id FROM users WHERE uid = \(uid)"
///
/// Text comes from string literals alone (the compiler sees to it: fragments are `StaticString`), so no value can ever become
/// SQL. Interpolated values become binds, names from the catalogue go through `\(identifier:)`.
package struct SQL: Sendable {
    /// Stands in the text for one bind; the dialect numbers them.
    ///
    /// No statement has a reason to hold this control character.
    static let bindMark: UInt8 = 0x01

    /// The text in UTF-8, ``bindMark`` for each bind.
    private(set) var text: [UInt8]
    /// The bound values, in the order of their marks.
    private(set) var values: [SQLValue]
    /// Whether an identifier holds a character that no quoting can carry.
    private(set) var hasInvalidIdentifier = false

    init(textCapacity: Int = 0, valueCapacity: Int = 0) {
        text = []
        values = []
        text.reserveCapacity(textCapacity)
        values.reserveCapacity(valueCapacity)
    }

    /// A statement of a migration, which comes from a file that is part of the program.
    init(migration text: String) {
        self.text = Array(text.utf8)
        values = []
    }

    /// Puts two fragments one after the other; each keeps its binds.
    ///
    /// Write the space between them.
    package static func + (first: SQL, second: SQL) -> SQL {
        var result = first
        result.append(second)
        return result
    }

    /// Appends a fragment with its binds.
    package static func += (first: inout SQL, second: SQL) {
        first.append(second)
    }

    mutating func append(literal: StaticString) {
        literal.withUTF8Buffer { buffer in unsafe text.append(contentsOf: buffer) }
    }

    mutating func append(_ value: SQLValue) {
        text.append(Self.bindMark)
        values.append(value)
    }

    mutating func append(_ other: SQL) {
        text.append(contentsOf: other.text)
        values.append(contentsOf: other.values)
        hasInvalidIdentifier = hasInvalidIdentifier || other.hasInvalidIdentifier
    }

    /// Appends a quoted name, as the standard has it: `"` around, `"` inside doubled.
    mutating func append(identifier: String) {
        text.append(UInt8(ascii: "\""))
        for byte in identifier.utf8 {
            if byte < 0x20 { hasInvalidIdentifier = true }
            if byte == UInt8(ascii: "\"") { text.append(byte) }
            text.append(byte)
        }
        text.append(UInt8(ascii: "\""))
        hasInvalidIdentifier = hasInvalidIdentifier || identifier.isEmpty
    }

    /// Appends `(…, …)` with one bind per value.
    ///
    /// The count is rounded up to a power of two by repeating the last value, which changes no answer of `IN`, so that lists
    /// of all lengths share a few cached statements. An empty list matches nothing, also under `NOT IN`, on both engines.
    mutating func append(list: [SQLValue], emptyType: StaticString) {
        guard let last = list.last else {
            append(literal: "(SELECT CAST(NULL AS ")
            append(literal: emptyType)
            append(literal: ") WHERE 1 = 0)")
            return
        }
        var slots = 1
        while slots < list.count { slots *= 2 }
        append(literal: "(")
        for slot in 0..<slots {
            if slot > 0 { append(literal: ", ") }
            append(slot < list.count ? list[slot] : last)
        }
        append(literal: ")")
    }
}

extension SQL: CustomStringConvertible {
    /// The text with `?` for each bind, never a value: fit for logs.
    package var description: String {
        String(decoding: text.map { $0 == Self.bindMark ? UInt8(ascii: "?") : $0 }, as: UTF8.self)
    }
}
