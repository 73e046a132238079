internal import Glibc

/// The configuration of a SQLite database.
///
/// The defaults fit a server on a small machine.
package struct SQLiteConfiguration: Sendable {
    /// The path of the file.
    ///
    /// A missing file is created with mode 0600, and missing folders with 0700.
    package var path: String
    /// The number of closures that may wait to write.
    ///
    /// Further ones fail with `overloaded`.
    package var maximumQueuedWrites = 10_000
    /// From when calls that write are refused instead of waiting (``Database/isCongested``).
    package var queueBounds = QueueBounds()
    /// The number of closures that may wait for a reader thread.
    ///
    /// Further ones fail with `overloaded`.
    package var maximumQueuedReads = 10_000
    /// The maximum number of closures in one commit, so that none waits long for the others.
    package var maximumBatch = 512
    /// The number of threads that run the closures of ``Database/read(_:snapshot:mayLag:_:completion:)``.
    package var readerThreads = 2
    /// The maximum number of reading connections, opened as needed: one for each thread that reads at the same moment.
    package var maximumReaders = 64
    /// How long to wait for a lock of another process, in milliseconds.
    package var busyTimeout = 5_000
    /// The number of prepared statements kept on each connection.
    package var statementCacheLimit = 256
    /// The page cache of the writer in KiB.
    ///
    /// The system caches the file as well, so a page that is not in here costs one system call.
    package var writerCache = 4 * 1024
    /// The page cache of each reader in KiB, which SQLite empties whenever the writer has committed.
    package var readerCache = 512
    /// When to copy the write-ahead log back into the file.
    package var checkpoints = CheckpointPolicy()
    /// The wait before the first check for destroyed pages and the shortest pause between checks, in milliseconds.
    package var integrityInterval = 5_000
    /// The maximum number of files that a transaction attaches.
    package var maximumAttachedFiles = 0
    /// Makes the ``Transaction/context`` of each new connection; `nil` for none.
    package var makeContext: (@Sendable () -> AnyObject)?
    /// Returns the time for ``Transaction/now``, in milliseconds since 1970.
    package var clock: @Sendable () -> Int64 = SQLiteConfiguration.machineClock
    /// Returns the free space in bytes on the file system of the database; `nil` to ask the system.
    ///
    /// For tests.
    package var freeSpace: (@Sendable () -> Int64)?
    /// Collects what is learned about the state of the database.
    let health = DatabaseHealth()
    /// Runs a closure that passes the results of a batch to their completions.
    ///
    /// Called on the writer's thread.
    package var completing: @Sendable (_ completions: () -> Void) -> Void = { $0() }
    /// Receives events for the operator.
    ///
    /// Called on any thread, usually one of the database's; must be short.
    package var onEvent: @Sendable (DatabaseEvent) -> Void = { _ in }
    /// Receives the text of each statement, without values, before a closure runs it; `nil` for none.
    ///
    /// Called on the thread that runs the statement. If it throws, the statement fails with that error.
    ///
    /// For tests.
    package var onStatement: (@Sendable (String) throws(DatabaseError) -> Void)?

    /// Creates a configuration with the defaults.
    package init(path: String) {
        self.path = path
    }

    /// Returns the machine's clock in milliseconds since 1970.
    package static func machineClock() -> Int64 {
        var time = timespec()
        unsafe clock_gettime(CLOCK_REALTIME, &time)
        return Int64(time.tv_sec) * 1000 + Int64(time.tv_nsec) / 1_000_000
    }
}

/// When to copy the write-ahead log back into the database file, on a separate thread.
///
/// Copying runs alongside reads and writes. Only a log beyond the hard limit blocks the writer, for the few pages that
/// arrived during the copy. The log then restarts from its beginning.
package struct CheckpointPolicy: Sendable {
    /// The longest time between checkpoints, in milliseconds.
    package var interval = 5_000
    /// The number of pages (4 KiB) by which the log grows between two checkpoints.
    ///
    /// A checkpoint copies a page once, however often the log has it, and waits for the disk twice. One after each
    /// commit would copy almost every page of the log, and keep the disk from the commits.
    package var softLimit = 16_000
    /// The size of the log in pages above which a checkpoint blocks the writer, so that the log restarts, and from
    /// which each commit requests one.
    package var hardLimit = 48_000
    /// The size of the log file in bytes above which it is truncated once there was no commit for an ``interval``.
    package var idleLimit: Int64 = 4 * 1024 * 1024

    /// Creates a policy with the defaults.
    package init() {}
}
