/// What a transaction needs from an engine's connection.
@usableFromInline
protocol TransactionEngine: AnyObject {
    var dialect: Dialect { get }
    /// The object that the opener of the database made for this connection; `nil` without one.
    var context: AnyObject? { get }
    var health: DatabaseHealth { get }
    /// The names of the protections that tests do without; empty in production.
    var omittedProtections: Set<String> { get }
    /// Returns the violation of a deferred constraint; `nil` without one.
    func unresolvedConstraint() throws(DatabaseError) -> DatabaseError?
    /// Prepares a statement to run, with its values bound.
    func open(_ sql: SQL) throws(DatabaseError) -> any StatementCursor
    /// Runs a change whose result is not needed: at once, or at the latest before the next awaited statement.
    func queue(_ sql: SQL) throws(DatabaseError)
    /// Waits for the results of enqueued changes.
    func flush() throws(DatabaseError)
    /// Whether prefetching queries saves time.
    var prefetches: Bool { get }
    /// Sends a query in advance, so that its result is there when the same query is opened; does nothing with SQLite.
    func prefetch(_ sql: SQL) throws(DatabaseError)
    /// Keeps a prefetched result for another query.
    func answer(_ query: SQL, withPrefetched other: SQL)
    /// Runs a change together with the prefetched queries, whose results stay as of before the change.
    func openBesidePrefetched(_ change: SQL) throws(DatabaseError) -> any StatementCursor
    /// Sends the last change of the transaction, the result of which ``commitLast(_:)`` returns.
    func beginLast(_ change: SQL) throws(DatabaseError)
    /// Commits in the round trip of everything that was sent.
    func commitLast(_ change: SQL) throws(DatabaseError) -> any StatementCursor
    /// Runs a change. If it violates a constraint, the transaction is as it was before.
    ///
    /// - Returns: the number of changed rows.
    func attempt(_ sql: SQL) throws(DatabaseError) -> Int
    func deferForeignKeys() throws(DatabaseError)
    func attach(_ path: String, as name: String) throws(DatabaseError)
    /// Sets a savepoint. Savepoints may be nested.
    func setSavepoint() throws(DatabaseError)
    /// Rolls back to the newest savepoint, and forgets it.
    ///
    /// - Throws: when the transaction was ended in the meantime.
    func rollBackToSavepoint() throws(DatabaseError)
    /// Forgets the newest savepoint, and keeps what was done since.
    func releaseSavepoint() throws(DatabaseError)
}

extension TransactionEngine {
    // With local data, a query costs the same at any time, and a change runs at once.
    var prefetches: Bool { false }
    var omittedProtections: Set<String> { [] }
    func prefetch(_ sql: SQL) throws(DatabaseError) {}
    func answer(_ query: SQL, withPrefetched other: SQL) {}
    func openBesidePrefetched(_ change: SQL) throws(DatabaseError) -> any StatementCursor { try open(change) }
    func beginLast(_ change: SQL) throws(DatabaseError) {}
    func commitLast(_ change: SQL) throws(DatabaseError) -> any StatementCursor { try open(change) }
    func flush() throws(DatabaseError) {}
}

/// A statement that was started, and its result as far as it was read.
@usableFromInline
protocol StatementCursor: RowSource {
    /// Moves to the next row.
    ///
    /// - Returns: whether there is one.
    func step() throws(DatabaseError) -> Bool
    /// Whether the statement only reads, or has changed all that it will, so that its remaining rows need not be read.
    var isReadOnly: Bool { get }
    /// The number of changed rows, known once all rows of the result were read.
    var changes: Int { get }
    /// Resets the statement and unbinds its values.
    ///
    /// Called exactly once.
    func close()
}
