/// How many rows a merge changed and deleted because of one column of one of the operator's tables.
///
/// The column refers to users, or to rows of the operator's that the merge changed or replaced. For a foreign key of
/// several columns, ``column`` lists all of them.
package struct RowMove: Sendable, Equatable {
    package let table: String
    package let column: String
    /// The number of rows whose column was changed: they now refer to the permanent user instead of the guest, or to a
    /// row that stays instead of a deleted one.
    package let moved: Int64
    /// The number of the guest's rows that were deleted, because the permanent user has rows with which they would
    /// break a unique constraint.
    package let dropped: Int64

    /// Makes a result from its parts.
    package init(table: String, column: String, moved: Int64, dropped: Int64) {
        self.table = table
        self.column = column
        self.moved = moved
        self.dropped = dropped
    }
}

/// The error of a merge that one of the operator's tables does not allow.
///
/// Clients receive MERGE_FAILED; table and reason are for the log and for administrators.
package struct MergeBlocked: Error, Sendable, Equatable {
    package let table: String
    /// The database's error for the table, or what the table lacks for a merge.
    package let reason: String

    /// Makes the error for a table.
    package init(table: String, reason: String = "") {
        self.table = table
        self.reason = reason
    }
}
