/// A lock that a query of a READ COMMITTED transaction takes on the rows that it returns.
///
/// The query returns the newest committed state of the rows, and other transactions cannot change them until this one
/// ends. Everything else that the transaction decides on must be read in later statements, because a query that waited
/// for a lock sees other rows as they were when it began.
package struct RowLock: Sendable {
    /// The name by which tests omit the lock (``PostgreSQLConfiguration/omittedLocks``).
    package let name: String
    let sql: SQL

    /// Makes a lock.
    ///
    /// - Parameter name: the lock's name, which is part of the statement's text, so that it is also found in the server's
    ///   statistics.
    package init(_ name: StaticString) {
        self.name = name.description
        var sql: SQL = " FOR NO KEY UPDATE /* lock: "
        sql.append(literal: name)
        sql.append(literal: " */")
        self.sql = sql
    }

    /// Returns the text of the lock with this name in a statement.
    static func clause(_ name: String) -> String { " FOR NO KEY UPDATE /* lock: \(name) */" }
}

extension Transaction {
    /// Returns the clause for the end of a query that locks the rows that it returns; an empty one where no lock is
    /// needed, because the transaction is serializable.
    ///
    /// - Parameter always: whether a serializable transaction on PostgreSQL takes the lock too, for the order of its locks.
    package func rowLock(_ lock: RowLock, always: Bool = false) -> SQL {
        isolation == .readCommitted || (always && dialect == .postgreSQL) ? lock.sql : ""
    }
}
