extension SQL: ExpressibleByStringInterpolation {
    /// Creates a statement without values from a string literal.
    @inlinable
    package init(stringLiteral value: StaticString) {
        self.init(textCapacity: value.utf8CodeUnitCount)
        append(literal: value)
    }

    /// Creates a statement with values from an interpolated string literal.
    @inlinable
    package init(stringInterpolation: StringInterpolation) {
        self = stringInterpolation.sql
    }

    /// Collects the literal fragments and values of one interpolated statement.
    @usableFromInline
    package struct StringInterpolation: StringInterpolationProtocol {
        @usableFromInline var sql: SQL

        /// Reserves space by the compiler's estimate.
        @inlinable
        package init(literalCapacity: Int, interpolationCount: Int) {
            sql = SQL(textCapacity: literalCapacity + interpolationCount, valueCapacity: interpolationCount)
        }

        /// Appends text of the statement that is known at compile time.
        @inlinable
        package mutating func appendLiteral(_ literal: StaticString) {
            sql.append(literal: literal)
        }

        /// Binds text.
        ///
        /// A U+0000 in it makes the statement fail with ``DatabaseError/Kind/invalidText``.
        @inlinable
        package mutating func appendInterpolation(_ value: String) {
            sql.append(.text(value))
        }

        /// Binds text, or NULL.
        @inlinable
        package mutating func appendInterpolation(_ value: String?) {
            sql.append(value.map { .text($0) } ?? .null)
        }

        /// Binds an integer.
        @inlinable
        package mutating func appendInterpolation(_ value: Int64) {
            sql.append(.integer(value))
        }

        /// Binds an integer, or NULL.
        @inlinable
        package mutating func appendInterpolation(_ value: Int64?) {
            sql.append(value.map { .integer($0) } ?? .null)
        }

        /// Binds an integer.
        @inlinable
        package mutating func appendInterpolation(_ value: Int) {
            sql.append(.integer(Int64(value)))
        }

        /// Binds an integer, or NULL.
        @inlinable
        package mutating func appendInterpolation(_ value: Int?) {
            sql.append(value.map { .integer(Int64($0)) } ?? .null)
        }

        /// Binds 1 for `true` or 0 for `false`.
        @inlinable
        package mutating func appendInterpolation(_ value: Bool) {
            sql.append(.integer(value ? 1 : 0))
        }

        /// Binds 1 for `true`, 0 for `false` or NULL for `nil`.
        @inlinable
        package mutating func appendInterpolation(_ value: Bool?) {
            sql.append(value.map { .integer($0 ? 1 : 0) } ?? .null)
        }

        /// Binds a value of any type.
        @inlinable
        package mutating func appendInterpolation(_ value: SQLValue) {
            sql.append(value)
        }

        /// Inserts another fragment with its binds.
        @inlinable
        package mutating func appendInterpolation(_ fragment: SQL) {
            sql.append(fragment)
        }

        /// Inserts a quoted name from the catalogue, for a table or column whose name is only known at run time.
        ///
        /// A name that is empty or contains control characters makes the statement fail with
        /// ``DatabaseError/Kind/misuse``.
        @inlinable
        package mutating func appendInterpolation(identifier name: String) {
            sql.append(identifier: name)
        }

        /// Inserts the collation of the preceding value: ` COLLATE "…"`; nothing for `nil`, which stands for the
        /// default.
        @inlinable
        package mutating func appendInterpolation(collation name: String?) {
            guard let name else { return }
            sql.append(literal: " COLLATE ")
            sql.append(identifier: name)
        }

        /// Binds a list, parentheses included: `WHERE uid IN \(in: uids)`.
        ///
        /// An empty list matches no row.
        @inlinable
        package mutating func appendInterpolation(in values: [String]) {
            sql.append(list: values.map { .text($0) }, emptyType: "TEXT")
        }

        /// Binds a list, parentheses included: `WHERE id IN \(in: ids)`.
        ///
        /// An empty list matches no row.
        @inlinable
        package mutating func appendInterpolation(in values: [Int64]) {
            sql.append(list: values.map { .integer($0) }, emptyType: "BIGINT")
        }
    }
}
