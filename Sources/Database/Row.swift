/// One row of an answer, only to be looked at while its closure runs.
///
/// Columns count from 0. Types are strict: a column of another type, or NULL where none is expected, is an error and never a
/// made-up value.
package struct Row: ~Copyable {
    private let source: any RowSource

    init(_ source: any RowSource) {
        self.source = source
    }

    /// The text of a column.
    ///
    /// - Throws: `misuse` for NULL, another type or no such column; `invalidText` when it is not UTF-8.
    package func text(_ column: Int) throws(DatabaseError) -> String {
        guard let text = try source.text(column) else { throw .unexpectedNull(column) }
        return text
    }

    /// The text of a column, nil for NULL.
    ///
    /// - Throws: `misuse` for another type or no such column; `invalidText` when it is not UTF-8.
    package func optionalText(_ column: Int) throws(DatabaseError) -> String? {
        try source.text(column)
    }

    /// The integer in a column.
    ///
    /// - Throws: `misuse` for NULL, another type or no such column.
    package func integer(_ column: Int) throws(DatabaseError) -> Int64 {
        guard let integer = try source.integer(column) else { throw .unexpectedNull(column) }
        return integer
    }

    /// The integer in a column, nil for NULL.
    ///
    /// - Throws: `misuse` for another type or no such column.
    package func optionalInteger(_ column: Int) throws(DatabaseError) -> Int64? {
        try source.integer(column)
    }

    /// What a column holds, of whatever type.
    ///
    /// - Throws: `misuse` for no such column; `invalidText` when it is text that is not UTF-8.
    package func value(_ column: Int) throws(DatabaseError) -> SQLValue {
        try source.value(column)
    }
}

/// What an engine's statement tells of its current row.
protocol RowSource: AnyObject {
    /// What a column holds.
    func value(_ column: Int) throws(DatabaseError) -> SQLValue
    /// The text of a column, nil for NULL.
    func text(_ column: Int) throws(DatabaseError) -> String?
    /// The integer in a column, nil for NULL.
    func integer(_ column: Int) throws(DatabaseError) -> Int64?
}

extension DatabaseError {
    fileprivate static func unexpectedNull(_ column: Int) -> DatabaseError {
        DatabaseError(.misuse, message: "column \(column) is NULL")
    }
}
