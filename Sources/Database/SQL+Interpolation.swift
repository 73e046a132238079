extension SQL: ExpressibleByStringInterpolation {
    /// A statement without values.
    package init(stringLiteral value: StaticString) {
        self.init(textCapacity: value.utf8CodeUnitCount)
        append(literal: value)
    }

    /// A statement with values.
    package init(stringInterpolation: StringInterpolation) {
        self = stringInterpolation.sql
    }

    /// Collects the literal fragments and values of one interpolated statement.
    package struct StringInterpolation: StringInterpolationProtocol {
        fileprivate var sql: SQL

        /// Reserves what the compiler knows of the size.
        package init(literalCapacity: Int, interpolationCount: Int) {
            sql = SQL(textCapacity: literalCapacity + interpolationCount, valueCapacity: interpolationCount)
        }

        /// Text of the statement, known at compile time.
        package mutating func appendLiteral(_ literal: StaticString) {
            sql.append(literal: literal)
        }

        /// Binds text.
        ///
        /// A U+0000 in it makes the statement fail with ``DatabaseError/Kind/invalidText``.
        package mutating func appendInterpolation(_ value: String) {
            sql.append(.text(value))
        }

        /// Binds text, or NULL.
        package mutating func appendInterpolation(_ value: String?) {
            sql.append(value.map { .text($0) } ?? .null)
        }

        /// Binds an integer.
        package mutating func appendInterpolation(_ value: Int64) {
            sql.append(.integer(value))
        }

        /// Binds an integer, or NULL.
        package mutating func appendInterpolation(_ value: Int64?) {
            sql.append(value.map { .integer($0) } ?? .null)
        }

        /// Binds an integer.
        package mutating func appendInterpolation(_ value: Int) {
            sql.append(.integer(Int64(value)))
        }

        /// Binds an integer, or NULL.
        package mutating func appendInterpolation(_ value: Int?) {
            sql.append(value.map { .integer(Int64($0)) } ?? .null)
        }

        /// Binds 1 or 0.
        package mutating func appendInterpolation(_ value: Bool) {
            sql.append(.integer(value ? 1 : 0))
        }

        /// Binds 1, 0 or NULL.
        package mutating func appendInterpolation(_ value: Bool?) {
            sql.append(value.map { .integer($0 ? 1 : 0) } ?? .null)
        }

        /// Binds a value of any type.
        package mutating func appendInterpolation(_ value: SQLValue) {
            sql.append(value)
        }

        /// Puts in another fragment, with its binds.
        package mutating func appendInterpolation(_ fragment: SQL) {
            sql.append(fragment)
        }

        /// Puts in a name from the catalogue, quoted: a table or column whose name is only known at run time.
        ///
        /// A name that is empty or holds control characters makes the statement fail with ``DatabaseError/Kind/misuse``.
        package mutating func appendInterpolation(identifier name: String) {
            sql.append(identifier: name)
        }

        /// Says by what the value before is compared: ` COLLATE "…"`, or nothing for its own way.
        package mutating func appendInterpolation(collation name: String?) {
            guard let name else { return }
            sql.append(literal: " COLLATE ")
            sql.append(identifier: name)
        }

        /// Binds a list, parentheses included: `WHERE uid IN \(in: uids)`.
        package mutating func appendInterpolation(in values: [String]) {
            sql.append(list: values.map { .text($0) }, emptyType: "TEXT")
        }

        /// Binds a list, parentheses included: `WHERE id IN \(in: ids)`.
        package mutating func appendInterpolation(in values: [Int64]) {
            sql.append(list: values.map { .integer($0) }, emptyType: "BIGINT")
        }
    }
}
