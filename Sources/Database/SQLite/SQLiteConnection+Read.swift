extension SQLiteConnection {
    /// Runs a closure that reads.
    ///
    /// - Parameters:
    ///   - snapshot: whether all statements of the closure see the same state; otherwise each sees the newest.
    ///   - now: the transaction's time, in milliseconds since 1970.
    ///   - body: the closure.
    /// - Returns: what the closure returns.
    /// - Throws: ``DatabaseError``, or what the closure throws.
    func read<T>(snapshot: Bool, now: Int64, _ body: (Transaction) throws -> T) throws -> T {
        if snapshot { try run(.begin) }
        // Nothing was written, so a rollback is equivalent to a commit and cannot fail.
        defer { if snapshot { rollback() } }
        let transaction = Transaction(self, now: now)
        defer { transaction.end() }
        let result = try body(transaction)
        if let failure = transaction.failure { throw failure }
        return result
    }
}

extension ReaderPool {
    /// Runs queued reads, each on one snapshot, until the queue is closed and empty, as the body of a reader thread.
    func work(off queue: JobQueue, clock: @Sendable () -> Int64) {
        while let jobs = queue.take(atMost: 1) {
            for job in jobs {
                do {
                    try withReader { connection in
                        try connection.run(.begin)
                        defer { connection.rollback() }
                        _ = job.attempt(Transaction(connection, now: clock()))
                    }
                } catch let error as DatabaseError {
                    job.fail(error)
                } catch {
                    job.fail(DatabaseError(.internal, message: "a reader failed"))
                }
                job.answer()
            }
        }
    }
}
