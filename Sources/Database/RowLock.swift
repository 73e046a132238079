/// A lock that a query takes on the rows that it returns.
///
/// The query returns the newest committed state of the rows, and other transactions cannot change them until this one
/// ends. Everything else that the transaction decides on must be read in later statements, because a query that waited
/// for a lock sees other rows as they were when it began.
package struct RowLock: Sendable {
    /// The name by which tests omit the lock (``PostgreSQLConfiguration/omittedProtections``).
    package let name: String
    /// The clause that takes the lock.
    let sql: SQL
    /// The clause that leaves out rows that other transactions have locked.
    let skipping: SQL

    /// Makes a lock.
    ///
    /// - Parameters:
    ///   - name: the lock's name, which is part of the statement's text, so that it is also found in the server's
    ///     statistics.
    ///   - excludesReferences: whether others may not add rows that refer to the locked ones either.
    package init(_ name: StaticString, excludingReferences excludesReferences: Bool = false) {
        self.name = name.description
        func clause(_ beginning: SQL) -> SQL {
            var sql = beginning
            sql.append(literal: " /* lock: ")
            sql.append(literal: name)
            sql.append(literal: " */")
            return sql
        }
        sql = clause(excludesReferences ? " FOR UPDATE" : " FOR NO KEY UPDATE")
        skipping = clause(excludesReferences ? " FOR UPDATE SKIP LOCKED" : " FOR NO KEY UPDATE SKIP LOCKED")
    }
}

extension Transaction {
    /// Returns the clause for the end of a query that locks the rows that it returns; an empty one where no lock is
    /// needed, because the transaction is serializable.
    ///
    /// - Parameter always: whether a serializable transaction on PostgreSQL takes the lock too, for the order of its locks.
    package func rowLock(_ lock: RowLock, always: Bool = false) -> SQL {
        guard !omits(lock.name) else { return "" }
        return isolation == .readCommitted || (always && dialect == .postgreSQL) ? lock.sql : ""
    }

    /// Locks rows of a table until the transaction ends; does nothing with SQLite, which has one writer.
    ///
    /// - Parameters:
    ///   - table: the table; its key column must be `id`.
    ///   - column: the column that identifies the rows.
    ///   - values: the values of that column in the rows to lock.
    ///   - lock: the lock.
    package func lockRows(of table: SQL, where column: SQL, in values: [String], _ lock: RowLock) throws {
        guard !omits(lock.name), dialect == .postgreSQL, !values.isEmpty else { return }
        // Locks rows in a fixed order, so that two transactions cannot deadlock.
        try enqueue("SELECT 1 FROM \(table) WHERE \(column)\(dialect.isAny(of: values)) ORDER BY id\(lock.sql)")
    }

    /// Locks rows like ``lockRows(of:where:in:_:)``, and makes a serializable transaction that began before and locks or
    /// changes one of them later run again, as a change of the row does.
    ///
    /// For transactions that add or change rows beside the locked ones: a serializable transaction that only waited for
    /// the locks would not see that, and would go on with what it has read before.
    package func renewRows(of table: SQL, where column: SQL, in values: [String], _ lock: RowLock) throws {
        guard !omits(lock.name), dialect == .postgreSQL, !values.isEmpty else { return }
        try lockRows(of: table, where: column, in: values, lock)
        try enqueue("UPDATE \(table) SET \(column) = \(column) WHERE \(column)\(dialect.isAny(of: values))")
    }

    /// Returns the clause for a query of a transaction that several calls share: it locks the rows that no other
    /// transaction has locked, and leaves out the others.
    package func rowLockSkippingOthers(_ lock: RowLock) -> SQL { omits(lock.name) ? "" : lock.skipping }
}
