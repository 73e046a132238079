internal import Synchronization

/// The one connection that writes, and the loop that shares each commit among all closures that wait.
///
/// A commit costs a write to the disk whatever it holds, so a batch is what waits at the moment, without ever waiting for
/// more: alone when it is quiet, hundreds under load.
final class SQLiteWriter: Sendable {
    /// What was done so far.
    struct Statistics: Sendable {
        /// Closures that ran and were answered.
        var closures = 0
        /// Batches taken from the queue.
        var batches = 0
        /// Batches that broke, so that their closures ran alone.
        var brokenBatches = 0
        /// Closures in the largest batch.
        var largestBatch = 0
    }

    let queue: JobQueue
    /// Held while a batch runs: whoever else holds it (a checkpoint) holds the writer up between two batches.
    let gate = Mutex(())
    private let connection: SQLiteConnection
    private let configuration: SQLiteConfiguration
    private let statistics = Mutex(Statistics())

    init(connection: SQLiteConnection, configuration: SQLiteConfiguration) {
        self.connection = connection
        self.configuration = configuration
        queue = JobQueue(limit: configuration.maximumQueuedWrites)
    }

    /// What was done so far.
    var currentStatistics: Statistics { statistics.withLock { $0 } }

    /// Works until the queue is closed and empty.
    ///
    /// The thread's body.
    func run() {
        while let batch = queue.take(atMost: max(1, configuration.maximumBatch)) {
            statistics.withLock { statistics in
                statistics.closures += batch.count
                statistics.batches += 1
                statistics.largestBatch = max(statistics.largestBatch, batch.count)
            }
            let isDone = gate.withLock { _ in attempt(batch) }
            if isDone {
                for job in batch { job.answer() }
            } else {
                runEachAlone(batch)
            }
        }
    }

    /// Runs jobs in one transaction.
    ///
    /// - Returns: whether all outcomes stand; if not, nothing happened and each must run alone.
    private func attempt(_ batch: [any Job]) -> Bool {
        do {
            try connection.run(.beginImmediate)
        } catch {
            // Nobody could write now, so nobody tries alone.
            connection.rollback()
            failAll(batch, error)
            return true
        }
        do {
            if batch.count == 1 {
                try runOnly(batch[0])
            } else {
                for job in batch { try runInSavepoint(job) }
                try connection.commit()
            }
            return true
        } catch {
            connection.rollback()
            if batch.count == 1 {
                failAll(batch, error)
                return true
            }
            statistics.withLock { $0.brokenBatches += 1 }
            configuration.onEvent(.batchBroke(closures: batch.count, error))
            return false
        }
    }

    private func runEachAlone(_ batch: [any Job]) {
        for (index, job) in batch.enumerated() {
            let isLocked = gate.withLock { _ in
                _ = attempt([job])
                return job.wasRefused(.busy)
            }
            job.answer()
            // The others would each wait just as long for the lock.
            if isLocked {
                let rest = batch[(index + 1)...]
                let error = DatabaseError(.busy, message: "the database is locked by another process")
                for job in rest {
                    job.fail(error)
                    job.answer()
                }
                return
            }
        }
    }

    /// The whole transaction is one job's, so that no savepoint is needed.
    private func runOnly(_ job: any Job) throws(DatabaseError) {
        let transaction = Transaction(connection, now: configuration.clock())
        guard job.attempt(transaction) else {
            if let failure = transaction.failure, failure.concernsTheMachine {
                configuration.onEvent(.writeFailed(failure))
            }
            connection.rollback()
            return
        }
        try connection.commit()
    }

    /// - Throws: what broke the transaction for all.
    private func runInSavepoint(_ job: any Job) throws(DatabaseError) {
        try connection.run(.savepoint)
        let transaction = Transaction(connection, now: configuration.clock())
        var keep = job.attempt(transaction)
        // "RAISE(ROLLBACK)" and some failures (no space, no memory, I/O) end the transaction for all.
        guard connection.isInTransaction else {
            throw transaction.failure ?? DatabaseError(.internal, message: "a closure ended the transaction")
        }
        if let failure = transaction.failure, failure.concernsTheMachine { throw failure }
        // RELEASE does not look at deferred foreign keys, COMMIT would: found here, it costs only the guilty one.
        if keep, connection.hasUnresolvedForeignKeys {
            job.fail(.unresolvedForeignKey)
            keep = false
        }
        if !keep { try connection.run(.rollbackToSavepoint) }
        try connection.run(.release)
    }

    private func failAll(_ batch: [any Job], _ error: DatabaseError) {
        for job in batch { job.fail(error) }
        configuration.health.note(error)
        if error.concernsTheMachine { configuration.onEvent(.writeFailed(error)) }
    }
}

extension DatabaseError {
    /// What SQLite's COMMIT says of a deferred foreign key that nothing satisfied.
    fileprivate static let unresolvedForeignKey = DatabaseError(
        .constraint(.foreignKey),
        code: 787,
        message: "FOREIGN KEY constraint failed"
    )
}
