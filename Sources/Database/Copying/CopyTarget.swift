/// The database that a copy is written to.
///
/// Copied rows are invisible to others before the commit, and are discarded without one.
protocol CopyTarget: AnyObject {
    /// Prepares an empty schema with all migrations, and ensures that no other client uses the target.
    ///
    /// - Throws: `misuse` if the target contains data that must not be replaced, or is the source; `busy` if another
    ///   client uses it; `schema` if its schema is another version's; other errors of the target.
    func prepare(_ migrations: [Migration], source: DatabaseSnapshot) throws
    /// Starts filling a table.
    func begin(_ table: CopiedTable) throws
    /// Adds rows to the table that ``begin(_:)`` was called for.
    func put(_ lines: RowLines) throws
    /// Finishes a table after its last row, and lets new rows be numbered after the copied ones.
    func end(_ table: CopiedTable) throws
    /// Passes on all rows that were copied to a table, in the order of their numbers.
    func read(_ table: CopiedTable, _ take: (RowLines) throws -> Void) throws
    /// Commits durably and makes the copy visible.
    func commit() throws
    /// Discards everything that is not committed, and closes the target.
    func abandon()
}

extension DatabaseError {
    /// An error for source rows with dangling references.
    static func damagedSource(_ words: String) -> DatabaseError {
        DatabaseError(
            .corrupt,
            message:
                "the source has errors, so it is not copied: \(words). Run 'latchkey database check' to list all"
        )
    }

    /// Creates an error for a target that must not be replaced.
    static func occupied(_ what: String) -> DatabaseError { DatabaseError(.misuse, message: what) }

    /// An error that names the operator's tables in the target.
    static func occupied(by tables: [String]) -> DatabaseError {
        .occupied(
            "the target has tables of your own, which replacing it would affect: \(tables.joined(separator: ", ")). Move them away "
                + "first"
        )
    }
}
