/// A lock that a query of a READ COMMITTED transaction takes on the rows that it returns.
///
/// The query returns the newest committed state of the rows, and other transactions cannot change them until this one
/// ends. Everything else that the transaction decides on must be read in later statements, because a query that waited
/// for a lock sees other rows as they were when it began.
package struct RowLock: Sendable {
    /// The name by which tests omit the lock (``PostgreSQLConfiguration/omittedLocks``).
    package let name: String
    let sql: SQL
    /// The clause that leaves out rows that other transactions have locked.
    let skipping: SQL

    /// Makes a lock.
    ///
    /// - Parameter name: the lock's name, which is part of the statement's text, so that it is also found in the server's
    ///   statistics.
    package init(_ name: StaticString) {
        self.name = name.description
        func clause(_ beginning: SQL) -> SQL {
            var sql = beginning
            sql.append(literal: " /* lock: ")
            sql.append(literal: name)
            sql.append(literal: " */")
            return sql
        }
        sql = clause(" FOR NO KEY UPDATE")
        skipping = clause(" FOR NO KEY UPDATE SKIP LOCKED")
    }

    /// Returns the texts of the lock with this name in statements.
    static func clauses(_ name: String) -> [String] {
        ["", " SKIP LOCKED"].map { " FOR NO KEY UPDATE\($0) /* lock: \(name) */" }
    }
}

extension Transaction {
    /// Returns the clause for the end of a query that locks the rows that it returns; an empty one where no lock is
    /// needed, because the transaction is serializable.
    ///
    /// - Parameter always: whether a serializable transaction on PostgreSQL takes the lock too, for the order of its locks.
    package func rowLock(_ lock: RowLock, always: Bool = false) -> SQL {
        isolation == .readCommitted || (always && dialect == .postgreSQL) ? lock.sql : ""
    }

    /// Returns the clause for a query of a transaction that several calls share: it locks the rows that no other
    /// transaction has locked, and leaves out the others.
    package func rowLockSkippingOthers(_ lock: RowLock) -> SQL { lock.skipping }
}
