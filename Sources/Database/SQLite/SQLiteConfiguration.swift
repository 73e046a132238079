internal import Glibc

/// How a SQLite database is opened.
///
/// The defaults fit a server on a small machine.
package struct SQLiteConfiguration: Sendable {
    /// Where the file is; made with mode 0600 if it is not there, missing folders with 0700.
    package var path: String
    /// How many closures may wait to write before further ones are answered `overloaded`.
    package var maximumQueuedWrites = 10_000
    /// How many closures may wait for a reader thread before further ones are answered `overloaded`.
    package var maximumQueuedReads = 10_000
    /// How many closures share one commit at most, so that none waits long for its neighbours.
    package var maximumBatch = 512
    /// Threads for `read`.
    package var readerThreads = 2
    /// Connections that read, opened as needed: one for each thread that reads at the same moment.
    package var maximumReaders = 64
    /// How long to wait for a lock that another process holds, in milliseconds.
    package var busyTimeout = 5_000
    /// Prepared statements kept on each connection.
    package var statementCacheLimit = 256
    /// Page cache of the writer in KiB.
    package var writerCache = 8 * 1024
    /// Page cache of each reader in KiB.
    package var readerCache = 2 * 1024
    /// When the write-ahead log goes back into the file.
    package var checkpoints = CheckpointPolicy()
    /// How long to wait before the first check for destroyed pages, and between two at least, in milliseconds.
    package var integrityInterval = 5_000
    /// What the operator declared about tables of their own.
    package var assets = AssetSettings()
    /// The clock behind ``Transaction/now``, milliseconds since 1970.
    package var clock: @Sendable () -> Int64 = SQLiteConfiguration.machineClock
    /// The free space in bytes on the file system of the database; `nil` to ask the system.
    ///
    /// For tests.
    package var freeSpace: (@Sendable () -> Int64)?
    /// What is learned of the database goes here.
    let health = DatabaseHealth()
    /// Told of what an operator should know.
    ///
    /// Called on the database's threads; must be short.
    package var onEvent: @Sendable (DatabaseEvent) -> Void = { _ in }
    /// Told of each statement that a closure is about to run, by its text without values, on the thread that runs it; what it
    /// throws the statement fails with.
    ///
    /// For tests.
    package var onStatement: (@Sendable (String) throws(DatabaseError) -> Void)?

    /// Makes a configuration with the defaults.
    package init(path: String) {
        self.path = path
    }

    /// The machine's clock in milliseconds since 1970.
    package static func machineClock() -> Int64 {
        var time = timespec()
        unsafe clock_gettime(CLOCK_REALTIME, &time)
        return Int64(time.tv_sec) * 1000 + Int64(time.tv_nsec) / 1_000_000
    }
}

/// When the write-ahead log goes back into the database file, on a thread of its own.
///
/// Copying goes on beside reading and writing. Only a log that has grown beyond a limit holds the writer up, for the few pages
/// that came in while the others were copied; then it starts again from its beginning.
package struct CheckpointPolicy: Sendable {
    /// How often at least, in milliseconds.
    package var interval = 5_000
    /// Size of the log in pages (4 KiB) that starts a checkpoint early.
    package var softLimit = 16_000
    /// Size of the log in pages beyond which the writer is held up, so that the log starts anew.
    package var hardLimit = 48_000
    /// Size of the log's file in bytes that is given back to the file system once nothing is being written.
    package var idleLimit: Int64 = 4 * 1024 * 1024

    /// Makes a policy with the defaults.
    package init() {}
}
