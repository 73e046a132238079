/// The isolation of a transaction that writes.
///
/// SQLite ignores it, because it has one writer.
package enum Isolation: Sendable, Hashable {
    /// The transaction has the effect of one that ran alone.
    ///
    /// PostgreSQL repeats it after conflicts, which may be with transactions that only changed the same page of an index.
    case serializable
    /// Each statement sees everything that was committed before the statement began.
    ///
    /// Row locks and constraints must protect what the transaction decides on. For each kind of transaction with this
    /// isolation, docs/architecture.md says which ones do.
    case readCommitted
}

/// What a run of a closure has shown that the closure needs from the beginning of its transaction.
struct TransactionNeeds: Sendable, Hashable {
    var serializable = false
    /// The second since 1970 in which the transaction begins at the earliest, unless that is yet to come.
    var second: Int64 = 0
    /// The tables that no other transaction may change meanwhile.
    var tables: Set<String> = []
}

extension Transaction {
    /// Ensures that the transaction is serializable, before it does what no row lock or constraint protects.
    ///
    /// If it is not, the transaction is rolled back, and its closure runs again with ``Isolation/serializable``.
    ///
    /// - Parameter name: the name by which tests omit this (``PostgreSQLConfiguration/omittedProtections``).
    /// - Throws: ``DatabaseError`` of kind `conflict`, which ends this run.
    package func requireSerializable(named name: String) throws(DatabaseError) {
        guard isolation != .serializable, !omits(name) else { return }
        try runAgain { $0.serializable = true }
    }

    /// Whether the transaction's time is before a second that another transaction has stored.
    ///
    /// - Parameters:
    ///   - second: the second, counted since 1970.
    ///   - name: the name by which tests omit this (``PostgreSQLConfiguration/omittedProtections``).
    package func isBefore(second: Int64, named name: String) -> Bool { now / 1000 < second && !omits(name) }

    /// Ensures that the transaction's time is not before a second that another transaction has stored, unless that second
    /// is yet to come.
    ///
    /// A transaction keeps the time at which it began. It may have waited for the other one since, and it sees what was
    /// committed until its first statement. Its closure then runs again with a later time, once for each second.
    ///
    /// - Parameters:
    ///   - second: the second, counted since 1970.
    ///   - name: the name by which tests omit this (``PostgreSQLConfiguration/omittedProtections``).
    /// - Throws: ``DatabaseError`` of kind `conflict`, which ends this run.
    package func requireTime(ofSecond second: Int64, named name: String) throws(DatabaseError) {
        guard isBefore(second: second, named: name), needs.second < second, dialect == .postgreSQL else { return }
        try runAgain { $0.second = second }
    }

    /// Ensures that the transaction sees everything that others have committed to a table, and that they see everything
    /// that it commits.
    ///
    /// The transaction is rolled back, and its closure runs again after all transactions that change the table. Others
    /// wait until it ends, so this is only for rare transactions. With SQLite it does nothing.
    ///
    /// - Parameters:
    ///   - table: the table.
    ///   - name: the name by which tests omit the lock (``PostgreSQLConfiguration/omittedProtections``).
    /// - Throws: ``DatabaseError`` of kind `conflict`, which ends this run; in the next run, the first statement throws
    ///   `busy` if the others take longer than two seconds.
    package func lockTable(_ table: String, named name: String) throws(DatabaseError) {
        guard dialect == .postgreSQL, !needs.tables.contains(table), !omits(name) else { return }
        try runAgain { $0.tables.insert(table) }
    }

    /// Runs a query as the last one before the commit, unless ``dropCheck(_:)`` is called until then.
    ///
    /// The query ensures that no transaction at READ COMMITTED has changed what this transaction has read. Its locks cannot
    /// cause a deadlock if it skips rows that others have locked, because this transaction waits for nothing afterwards.
    /// If the query fails with a conflict, the closure runs again. The transaction must be serializable.
    ///
    /// - Parameters:
    ///   - subject: what the query is about; a later call for the same subject replaces the query.
    ///   - query: the query, whose rows are not read.
    package func checkBeforeCommit(_ subject: String, _ query: SQL) { finalChecks[subject] = query }

    /// Cancels the query of ``checkBeforeCommit(_:_:)`` for a subject.
    package func dropCheck(_ subject: String) { finalChecks[subject] = nil }

    /// Enqueues the queries of ``checkBeforeCommit(_:_:)``.
    func enqueueFinalChecks() throws(DatabaseError) {
        for subject in finalChecks.keys.sorted() {
            if let check = finalChecks[subject] { try engine.queue(check) }
        }
    }

    /// Whether a test does without a protection.
    package func omits(_ protection: String) -> Bool { engine.omittedProtections.contains(protection) }

    private func runAgain(with change: (inout TransactionNeeds) -> Void) throws(DatabaseError) {
        var more = needs
        change(&more)
        unmetNeeds = more
        throw conflict("the transaction needs more protection")
    }

    /// Makes statements that wait for a lock for longer than 50 ms fail with `busy`, until the transaction ends.
    ///
    /// For transactions that several calls share, so that one call's wait is not everyone's. With SQLite it does nothing.
    package func limitWaits() throws(DatabaseError) {
        guard dialect == .postgreSQL else { return }
        try enqueue("SET LOCAL lock_timeout = 50")
    }

    /// Locks the tables of the needs.
    ///
    /// A serializable transaction sees the database as of its first query or change, which LOCK TABLE is not.
    func lockTables() throws(DatabaseError) {
        guard !needs.tables.isEmpty else { return }
        // All writers of a table queue behind a waiting lock.
        try enqueue("SET LOCAL lock_timeout = 2000")
        for table in needs.tables.sorted() {
            try enqueue("LOCK TABLE \(identifier: table) IN SHARE ROW EXCLUSIVE MODE")
        }
        try enqueue("SET LOCAL lock_timeout TO DEFAULT")
    }

    /// Makes the error after which the closure runs again, because it has seen two states of the database that do not
    /// fit together.
    package func conflict(_ reason: String) -> DatabaseError {
        remember(DatabaseError(.conflict, message: reason), "BEGIN")
    }
}
