/// What a merge did in one column of the operator's own tables.
package struct RowMove: Sendable, Equatable {
    package let table: String
    package let column: String
    /// Rows that belong to the permanent user now.
    package let moved: Int64
    /// Rows of the guest that met one of the permanent user's under a unique constraint, and were deleted.
    package let dropped: Int64

    /// Makes a result from its parts.
    package init(table: String, column: String, moved: Int64, dropped: Int64) {
        self.table = table
        self.column = column
        self.moved = moved
        self.dropped = dropped
    }
}

/// A merge that one of the operator's tables does not allow.
///
/// Clients get MERGE_FAILED; the table's name is for the log and for administrators.
package struct MergeBlocked: Error, Sendable, Equatable {
    package let table: String

    /// Names the table.
    package init(table: String) {
        self.table = table
    }
}
