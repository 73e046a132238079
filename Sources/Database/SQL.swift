/// One statement: text from the source code, and the values that it binds.
///
///     let item: SQL = "SELECT id FROM items WHERE key = \(key)"
///
/// Text comes only from string literals, which the compiler enforces because fragments are `StaticString`. A value can
/// therefore never become SQL. Interpolated values become binds, and names from the catalogue go through
/// `\(identifier:)`.
@usableFromInline
package struct SQL: Sendable {
    /// Marks a bind in the text; the dialect numbers the marks.
    ///
    /// No statement has a reason to contain this control character.
    @usableFromInline static let bindMark: UInt8 = 0x01

    /// The text in UTF-8, with ``bindMark`` for each bind.
    @usableFromInline var text: [UInt8]
    /// The bound values, in the order of their marks.
    @usableFromInline var values: [SQLValue]
    /// Whether an identifier is empty or contains a control character, so that the statement must fail.
    @usableFromInline var hasInvalidIdentifier = false

    @inlinable
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

    /// Concatenates two fragments with their binds.
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

    @inlinable
    mutating func append(literal: StaticString) {
        literal.withUTF8Buffer { buffer in unsafe text.append(contentsOf: buffer) }
    }

    @inlinable
    mutating func append(_ value: SQLValue) {
        text.append(Self.bindMark)
        values.append(value)
    }

    @inlinable
    mutating func append(_ other: SQL) {
        text.append(contentsOf: other.text)
        values.append(contentsOf: other.values)
        hasInvalidIdentifier = hasInvalidIdentifier || other.hasInvalidIdentifier
    }

    /// Appends a quoted name in standard SQL: `"` around it, each inner `"` doubled.
    @usableFromInline
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
    /// The count is rounded up to a power of two by repeating the last value, which does not change the result of `IN`.
    /// Lists of all lengths therefore share a few cached statements. An empty list matches nothing, not even with `NOT
    /// IN`, on both engines.
    @usableFromInline
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
    /// The text with `?` for each bind and without values, so that it can be logged.
    @usableFromInline
    package var description: String {
        String(decoding: text.map { $0 == Self.bindMark ? UInt8(ascii: "?") : $0 }, as: UTF8.self)
    }
}
