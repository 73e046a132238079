extension Transaction {
    /// Enqueues an UPDATE that must meet a row, because the transaction has locked the row or is serializable.
    ///
    /// If the statement meets no row, the row was changed after all. The transaction is then rolled back and its closure
    /// runs again.
    ///
    /// - Parameter update: the statement, without RETURNING.
    /// - Throws: ``DatabaseError``, with PostgreSQL perhaps from a later statement or the commit.
    package func require(_ update: SQL) throws(DatabaseError) {
        guard engine.prefetches else {
            guard try execute(update) > 0 else { throw conflict("a change met no row") }
            return
        }
        try require(update, rows: "1")
    }

    /// Enqueues an UPDATE that must meet a number of rows, like ``require(_:)``, on PostgreSQL.
    package func require(_ update: SQL, rows: SQL) throws(DatabaseError) {
        // A negative limit is an error (SQLSTATE 2201W), which `DatabaseError.kind(sqlState:)` makes a conflict.
        try enqueue("WITH changed AS (\(update) RETURNING 1) SELECT 1 LIMIT (SELECT count(*) - \(rows) FROM changed)")
    }

    /// Runs a change as the transaction's last one, with queries that see it.
    ///
    /// An engine across a network needs one round trip for all of it and the commit. The closure must return afterwards, or
    /// throw only if the change changed nothing, because PostgreSQL has committed by then and SQLite has not. In a savepoint
    /// (``run(part:rollingBackAlone:)``) nothing is committed yet.
    ///
    /// - Parameters:
    ///   - change: the change.
    ///   - read: reads a row of its result.
    ///   - questions: makes the queries on the transaction. It may be called twice, first with results without rows. A
    ///     write in it is refused.
    /// - Throws: ``DatabaseError``, also of the commit; or what `read` and `questions` throw.
    @inlinable
    package func finish<T, Answers>(
        _ change: SQL,
        _ read: (borrowing Row) throws -> T,
        then questions: (Transaction) throws -> Answers
    ) throws -> (rows: [T], answers: Answers) {
        let rows: [T]
        if engine.prefetches, !isNested {
            rows = try self.rows(of: try openLast(change) { _ = try questions($0) }, change, read)
        } else {
            rows = try all(change, read)
        }
        let answers = try withoutWrites { try questions(self) }
        isFinished = true
        return (rows, answers)
    }

    /// Sends the last change and the queries that follow it, commits, and keeps the results of the queries.
    @usableFromInline
    func openLast(_ change: SQL, _ questions: (Transaction) throws -> Void) throws -> any StatementCursor {
        try requireOpen()
        try requireWrites(change)
        do throws(DatabaseError) {
            try engine.beginLast(change)
        } catch {
            throw remember(error, change)
        }
        try prefetch(questions)
        do throws(DatabaseError) {
            return try engine.commitLast(change)
        } catch {
            throw remember(error, change)
        }
    }
}
