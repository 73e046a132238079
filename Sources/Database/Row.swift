/// One row of a query's result, valid only while the closure that reads it runs.
///
/// Columns count from 0. Types are strict: a column of another type, or an unexpected NULL, is an error.
@usableFromInline
package struct Row: ~Copyable {
    @usableFromInline let source: any RowSource

    @inlinable
    init(_ source: any RowSource) {
        self.source = source
    }

    /// The text of a column.
    ///
    /// - Throws: `misuse` for NULL, another type or no such column; `invalidText` for text that is not UTF-8.
    @inlinable
    package func text(_ column: Int) throws(DatabaseError) -> String {
        guard let text = try source.text(column) else { throw .unexpectedNull(column) }
        return text
    }

    /// The text of a column, nil for NULL.
    ///
    /// - Throws: `misuse` for another type or no such column; `invalidText` for text that is not UTF-8.
    @inlinable
    package func optionalText(_ column: Int) throws(DatabaseError) -> String? {
        try source.text(column)
    }

    /// The integer in a column.
    ///
    /// - Throws: `misuse` for NULL, another type or no such column.
    @inlinable
    package func integer(_ column: Int) throws(DatabaseError) -> Int64 {
        guard let integer = try source.integer(column) else { throw .unexpectedNull(column) }
        return integer
    }

    /// The integer in a column, nil for NULL.
    ///
    /// - Throws: `misuse` for another type or no such column.
    @inlinable
    package func optionalInteger(_ column: Int) throws(DatabaseError) -> Int64? {
        try source.integer(column)
    }

    /// The value of a column of any type.
    ///
    /// - Throws: `misuse` for no such column; `invalidText` when it is text that is not UTF-8.
    @inlinable
    package func value(_ column: Int) throws(DatabaseError) -> SQLValue {
        try source.value(column)
    }
}

/// What a ``Row`` reads from: an engine's statement, at its current row.
@usableFromInline
protocol RowSource: AnyObject {
    /// The value of a column.
    func value(_ column: Int) throws(DatabaseError) -> SQLValue
    /// The text of a column, nil for NULL.
    func text(_ column: Int) throws(DatabaseError) -> String?
    /// The integer in a column, nil for NULL.
    func integer(_ column: Int) throws(DatabaseError) -> Int64?
}

extension DatabaseError {
    @usableFromInline
    static func unexpectedNull(_ column: Int) -> DatabaseError {
        DatabaseError(.misuse, message: "column \(column) is NULL")
    }
}
