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
    /// What the operator declared about tables of their own.
    package var assets = AssetSettings()
    /// The clock behind ``Transaction/now``, milliseconds since 1970.
    package var clock: @Sendable () -> Int64 = SQLiteConfiguration.machineClock
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

/// What an operator should know of.
package enum DatabaseEvent: Sendable, CustomStringConvertible {
    /// A batch of closures could not be committed together; each now runs alone.
    case batchBroke(closures: Int, DatabaseError)
    /// A write failed for a reason that lies with the machine: no space, a failing disk, a lock held too long.
    case writeFailed(DatabaseError)
    /// The write-ahead log could not be brought back; it is tried again.
    case checkpointFailed(DatabaseError)
    /// The server went away, or has gone silent: everything is refused until it answers.
    case serverAway(DatabaseError)
    /// The server answers again.
    case serverBack
    /// The replica went away, or fell behind: the primary answers for it.
    case replicaAway(DatabaseError)
    /// The replica answers again.
    case replicaBack
    /// Closures of the last minute that ran again, since others had got in their way.
    case repeated([Tally])
    /// What all closures came to, when the database was closed.
    case served([Tally])
    /// Other nodes cannot be heard; it is tried again, and what they do is found by looking.
    case nodesUnheard(DatabaseError)
    /// Other nodes are heard again.
    case nodesHeard

    /// One line for the log.
    package var description: String {
        switch self {
        case .batchBroke(let closures, let error): "a batch of \(closures) writes broke, each runs alone: \(error)"
        case .writeFailed(let error): "a write failed: \(error)"
        case .checkpointFailed(let error): "a checkpoint failed and will be tried again: \(error)"
        case .serverAway(let error): "the server is away: \(error)"
        case .serverBack: "the server is back"
        case .replicaAway(let error): "the replica cannot be used: \(error)"
        case .replicaBack: "the replica is used"
        case .repeated(let tallies):
            "others got in the way of writes, which ran again: " + tallies.map(\.repetition).joined(separator: "; ")
        case .served(let tallies): "transactions: " + tallies.map(\.cost).joined(separator: "; ")
        case .nodesUnheard(let error):
            "other nodes are not heard, only what they have done is seen a little later: \(error)"
        case .nodesHeard: "other nodes are heard again"
        }
    }
}
