/// A lock on names, for what has no row to lock.
///
/// PostgreSQL calls it an advisory lock. Transactions that share a name run beside each other, and none of them beside a
/// transaction that excludes the others. The lock lasts until the transaction ends. SQLite, which has one writer, takes
/// none.
package struct AdvisoryLock: Sendable {
    /// The name by which tests omit the lock (``PostgreSQLConfiguration/omittedProtections``).
    package let name: String

    /// Makes a lock, whose name keeps its keys apart from those of other locks.
    package init(_ name: StaticString) {
        self.name = name.description
    }
}

extension Transaction {
    /// Shares names with other transactions at READ COMMITTED, and waits for a transaction that excludes them.
    ///
    /// The statements after it see what that transaction has committed. A serializable transaction takes no lock:
    /// PostgreSQL finds its conflicts with others of its kind, and the wait would begin after its snapshot.
    package func share(_ names: some Sequence<String>, _ lock: AdvisoryLock) throws(DatabaseError) {
        guard isolation == .readCommitted else { return }
        try take(lock, on: names, with: "pg_advisory_xact_lock_shared")
    }

    /// Waits for all transactions that share one of the names, and lets later ones wait for this one.
    ///
    /// - Warning: A serializable transaction has its snapshot by then. What the others have committed meanwhile must
    ///   make it run again, by a row that they change and this transaction changes or inserts afterwards.
    package func exclude(_ names: some Sequence<String>, _ lock: AdvisoryLock) throws(DatabaseError) {
        try take(lock, on: names, with: "pg_advisory_xact_lock")
    }

    private func take(
        _ lock: AdvisoryLock,
        on names: some Sequence<String>,
        with function: SQL
    ) throws(DatabaseError) {
        // In a fixed order, so that two transactions cannot deadlock.
        let keys = Set(names).sorted().map { "\(lock.name):\($0)" }
        guard dialect == .postgreSQL, !omits(lock.name), !keys.isEmpty else { return }
        try enqueue("SELECT \(function)(hashtextextended(k, 0)) FROM unnest(\(Dialect.array(keys))) AS k")
    }
}
