internal import Synchronization
internal import Telemetry

/// The only connection of this process that writes, and the loop that shares each commit among all waiting closures.
///
/// A commit costs one disk write regardless of its size. A batch therefore contains the closures that wait at the
/// moment, up to a limit, and never waits for more: a single closure when there is little work, hundreds under load.
final class SQLiteWriter: Sendable {
    /// The statistics so far.
    struct Statistics: Sendable {
        /// The number of closures taken from the queue so far.
        var closures = 0
        /// The number of batches taken from the queue so far.
        var batches = 0
        /// The number of batches that broke, so that their closures ran alone.
        var brokenBatches = 0
        /// The number of batches that ran again with savepoints, because a closure failed after it had written.
        var repeatedBatches = 0
        /// The number of closures in the largest batch so far.
        var largestBatch = 0
    }

    let queue: JobQueue
    /// Locked by the writer while a batch runs, and by a checkpoint to block the writer between two batches.
    let gate = Mutex(())
    /// What the closures have cost, by their kinds.
    let transactions = StatisticsCollector()
    /// The numbers of closures in the batches.
    let batchSizes = Histogram(bounds: [1, 2, 4, 8, 16, 32, 64, 128, 256])
    /// The number of batches that run with savepoints after one had to run again.
    ///
    /// A client that makes closures fail on purpose then costs one repetition in many batches, not one in each.
    private static let cautiousBatches = 32
    /// The number of coming batches that run with savepoints from the start; only the writer's thread uses it.
    private let caution = Atomic(0)
    private let connection: SQLiteConnection
    private let configuration: SQLiteConfiguration
    private let statistics = Mutex(Statistics())

    init(connection: SQLiteConnection, configuration: SQLiteConfiguration) {
        self.connection = connection
        self.configuration = configuration
        queue = JobQueue(limit: configuration.maximumQueuedWrites, bounds: configuration.queueBounds)
    }

    /// The statistics so far.
    var currentStatistics: Statistics { statistics.withLock { $0 } }

    /// Runs until the queue is closed and empty, as the body of the thread.
    func run() {
        while let batch = queue.take(atMost: max(1, configuration.maximumBatch)) {
            statistics.withLock { statistics in
                statistics.closures += batch.count
                statistics.batches += 1
                statistics.largestBatch = max(statistics.largestBatch, batch.count)
            }
            batchSizes.record(batch.count)
            let isDone = gate.withLock { _ in attempt(batch) }
            if isDone {
                configuration.completing { for job in batch { answer(job) } }
            } else {
                runEachAlone(batch)
            }
        }
    }

    private func answer(_ job: any Job) {
        transactions.record(job, inVain: job.hasFailedInDatabase)
        job.answer()
    }

    /// Runs jobs in one transaction and commits.
    ///
    /// A savepoint for each job would make SQLite copy each page that a job changes again, and few jobs fail after they
    /// have written. So the jobs run without savepoints first, and again with savepoints if one must be rolled back.
    ///
    /// - Returns: whether all outcomes are final; if not, everything was rolled back and each job must run alone.
    private func attempt(_ batch: [any Job]) -> Bool {
        do {
            try connection.run(.beginImmediate)
        } catch {
            // No job could write now, so none is retried alone.
            connection.rollback()
            failAll(batch, error)
            return true
        }
        do {
            if batch.count == 1 {
                try runOnly(batch[0])
            } else {
                if try !runTogether(batch) {
                    for job in batch { try runInSavepoint(job) }
                }
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

    /// Runs several jobs without savepoints, unless an earlier batch had to run again shortly before.
    ///
    /// - Returns: false if none of the jobs has run, or if what they did was rolled back, because one of them failed after
    ///   it had written. A transaction is open in any case.
    /// - Throws: the error that broke the transaction for all jobs.
    private func runTogether(_ batch: [any Job]) throws(DatabaseError) -> Bool {
        let caution = caution.load(ordering: .relaxed)
        guard caution == 0 else {
            self.caution.store(caution - 1, ordering: .relaxed)
            return false
        }
        for job in batch {
            let changes = connection.totalChanges
            guard try !run(job), connection.totalChanges != changes else { continue }
            statistics.withLock { $0.repeatedBatches += 1 }
            self.caution.store(Self.cautiousBatches, ordering: .relaxed)
            for job in batch { job.repeats += 1 }
            connection.rollback()
            try connection.run(.beginImmediate)
            return false
        }
        return true
    }

    private func runEachAlone(_ batch: [any Job]) {
        for (index, job) in batch.enumerated() {
            job.repeats += 1
            let isLocked = gate.withLock { _ in
                _ = attempt([job])
                return job.wasRefused(.busy)
            }
            answer(job)
            // The other jobs would each wait just as long for the lock.
            if isLocked {
                let rest = batch[(index + 1)...]
                let error = DatabaseError(.busy, message: "the database is locked by another process")
                for job in rest {
                    job.fail(error)
                    answer(job)
                }
                return
            }
        }
    }

    /// Runs a job that has the whole transaction to itself, so that no savepoint is needed.
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

    /// Runs one of several jobs, and rolls back what it did if it fails.
    ///
    /// - Throws: the error that broke the transaction for all jobs.
    private func runInSavepoint(_ job: any Job) throws(DatabaseError) {
        try connection.run(.savepoint)
        if try !run(job) { try connection.run(.rollbackToSavepoint) }
        try connection.run(.release)
    }

    /// Runs one of several jobs in the open transaction.
    ///
    /// - Returns: whether the job succeeded, so that what it did may be kept.
    /// - Throws: the error that broke the transaction for all jobs.
    private func run(_ job: any Job) throws(DatabaseError) -> Bool {
        let transaction = Transaction(connection, now: configuration.clock())
        let keep = job.attempt(transaction)
        // "RAISE(ROLLBACK)" and some failures (no space, no memory, I/O) end the transaction for all jobs.
        guard connection.isInTransaction else {
            throw transaction.failure ?? DatabaseError(.internal, message: "a closure ended the transaction")
        }
        if let failure = transaction.failure, failure.concernsTheMachine { throw failure }
        // COMMIT checks deferred foreign keys, and would fail all jobs. A check here fails only the job at fault.
        guard keep, connection.hasUnresolvedForeignKeys else { return keep }
        job.fail(.unresolvedForeignKey)
        return false
    }

    private func failAll(_ batch: [any Job], _ error: DatabaseError) {
        for job in batch { job.fail(error) }
        configuration.health.record(error)
        if error.concernsTheMachine { configuration.onEvent(.writeFailed(error)) }
    }
}

extension DatabaseError {
    /// The error of SQLite's COMMIT for a violated deferred foreign key.
    fileprivate static let unresolvedForeignKey = DatabaseError(
        .constraint(.foreignKey),
        code: 787,
        message: "FOREIGN KEY constraint failed"
    )
}
