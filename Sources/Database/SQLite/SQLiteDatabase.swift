internal import CSQLite
internal import Telemetry

/// A database in one file, for one machine.
///
/// Several processes of that machine may open the file at once.
///
/// A write completes when its commit is on the disk (`synchronous=FULL`). One thread writes, and each thread that reads
/// has its own connection. Because of the write-ahead log, readers and the writer do not wait for each other.
package final class SQLiteDatabase: Database {
    private struct Life {
        var isClosing = false
        var isClosed = false
    }

    private let configuration: SQLiteConfiguration
    private let writerConnection: SQLiteConnection
    private let checkpointConnection: SQLiteConnection
    private let writer: SQLiteWriter
    private let readers: ReaderPool
    private let reads: JobQueue
    private let log: LogMeter
    private let checkpointer: Checkpointer
    private let writerThread: WorkerThread
    private let readerThreads: [WorkerThread]
    private let checkpointThread: WorkerThread
    private let integrityWatch: IntegrityWatch
    private let integrityThread: WorkerThread
    private let life = Monitor(Life())

    /// Opens the database, creates it if it does not exist, and migrates its schema.
    ///
    /// - Parameters:
    ///   - configuration: the file and limits.
    ///   - migrations: the whole schema in steps, numbered from 1.
    ///   - latestSchema: what all migrations together make, as one script for a new file; `nil` to run them there, too.
    /// - Throws: ``DatabaseError``: `schema` when the file is newer than the migrations or was made by other steps;
    ///   `readOnly`, `io`, `full`, `corrupt`, `busy` when it cannot be used.
    package convenience init(
        _ configuration: SQLiteConfiguration,
        migrations: [Migration],
        latestSchema: String? = nil
    ) throws {
        try FileSystem.makeFile(configuration.path)
        let connection = try SQLiteConnection.open(configuration, as: .writer)
        do {
            try MigrationRunner(connection, migrations, latestSchema: latestSchema, clock: configuration.clock).run()
            try self.init(configuration, writer: connection)
        } catch {
            connection.close()
            throw error
        }
    }

    private init(_ configuration: SQLiteConfiguration, writer connection: SQLiteConnection) throws(DatabaseError) {
        let log = LogMeter(configuration.checkpoints, health: configuration.health)
        try connection.watchLog(log)
        let writer = SQLiteWriter(connection: connection, configuration: configuration)
        let checkpointConnection = try SQLiteConnection.open(configuration, as: .checkpointer)
        let checkpointer = Checkpointer(
            connection: checkpointConnection,
            writer: writer,
            log: log,
            configuration: configuration
        )
        let readers = ReaderPool(limit: configuration.maximumReaders) { () throws(DatabaseError) in
            try SQLiteConnection.open(configuration, as: .reader)
        }
        let reads = JobQueue(limit: configuration.maximumQueuedReads)
        log.notify { [weak checkpointer] in checkpointer?.want() }

        self.configuration = configuration
        self.log = log
        self.writer = writer
        self.checkpointer = checkpointer
        self.readers = readers
        self.reads = reads
        writerConnection = connection
        self.checkpointConnection = checkpointConnection
        let clock = configuration.clock
        writerThread = try WorkerThread { writer.run() }
        checkpointThread = try WorkerThread { checkpointer.run() }
        let integrityWatch = IntegrityWatch(configuration)
        self.integrityWatch = integrityWatch
        integrityThread = try WorkerThread { integrityWatch.run() }
        readerThreads = try (0..<max(1, configuration.readerThreads)).map { _ throws(DatabaseError) in
            try WorkerThread { readers.work(off: reads, clock: clock) }
        }
    }

    deinit {
        close()
    }

    package var now: Int64 { configuration.clock() }
    package var isLocal: Bool { true }
    package var health: DatabaseHealth { configuration.health }
    package var isCongested: Bool { writer.queue.isCongested }
    package var freeSpace: Int64? { configuration.freeSpace?() ?? FileSystem.freeSpace(around: configuration.path) }

    package func read<T: Sendable>(
        _ kind: String,
        snapshot: Bool,
        mayLag: Bool,
        _ body: @escaping @Sendable (Transaction) throws -> T,
        completion: @escaping @Sendable (Result<T, any Error>) -> Void
    ) {
        reads.push(ClosureJob(mode: .reading(snapshot: snapshot), kind: kind, body: body, completion: completion))
    }

    package func write<T: Sendable>(
        _ kind: String,
        alone: Bool,
        isolation: Isolation,
        _ body: @escaping @Sendable (Transaction) throws -> T,
        completion: @escaping @Sendable (Result<T, any Error>) -> Void
    ) {
        writer.queue.push(ClosureJob(mode: .writing(alone: alone), kind: kind, body: body, completion: completion))
    }

    package func lease<T: Sendable>(
        _ kind: String,
        _ body: @escaping @Sendable (Transaction) throws -> T,
        completion: @escaping @Sendable (Result<T, any Error>) -> Void
    ) {
        // There is only one writer, so no other transaction can lease rows meanwhile.
        write(kind, alone: false, body, completion: completion)
    }

    package func readNow<T>(snapshot: Bool, _ body: (Transaction) throws -> T) throws -> T {
        try readers.withReader { connection in
            try connection.read(snapshot: snapshot, now: configuration.clock(), body)
        }
    }

    package func backup(to path: String, replacing: Bool) throws {
        try backup(to: path, replacing: replacing) { _, _ in }
    }

    /// Writes a consistent, checked copy to a file (mode 0600) while serving continues.
    ///
    /// Blocks the calling thread.
    ///
    /// The write-ahead log cannot restart until the copy is done, so it grows by everything written meanwhile.
    ///
    /// - Parameters:
    ///   - path: the destination. The file appears there only when it is complete, checked and on the disk.
    ///   - replacing: whether an existing file may be replaced. The database itself never is.
    ///   - progress: receives the pages copied and the total number of pages from time to time.
    /// - Throws: ``DatabaseError``; nothing is left behind then.
    package func backup(
        to path: String,
        replacing: Bool,
        progress: (_ done: Int, _ total: Int) -> Void
    ) throws {
        try readers.withReader { source in
            try Backup(
                source: source,
                sourcePath: configuration.path,
                path: path,
                isCancelled: { [readers] in readers.isClosed }
            )
            .run(replacing: replacing, progress: progress)
        }
    }

    /// Finishes waiting closures, copies the log back and closes the file.
    ///
    /// All later calls fail with `closed`.
    ///
    /// Waits until all that is done; a second call waits too. On one of the database's own threads (in a completion)
    /// the call cannot wait, and returns while another thread closes. Never call this method inside a `readNow`
    /// closure.
    package func close() {
        let threads = [writerThread, checkpointThread, integrityThread] + readerThreads
        let isFirst = life.withLock { life in
            defer { life.isClosing = true }
            return !life.isClosing
        }
        guard isFirst else {
            if !threads.contains(where: \.isCurrent) { life.wait { $0.isClosed ? () : nil } }
            return
        }
        writer.queue.close()
        reads.close()
        integrityWatch.stop()
        let rest = Closing(
            threads: threads,
            checkpointer: checkpointer,
            readers: readers,
            connections: [checkpointConnection, writerConnection],
            log: log
        )
        let life = life
        if threads.contains(where: \.isCurrent) {
            _ = try? WorkerThread { rest.finish(life) { $0.isClosed = true } }
        } else {
            rest.finish(life) { $0.isClosed = true }
        }
    }

    package var transactionStatistics: [TransactionStatistics] { writer.transactions.all }

    package var load: DatabaseLoad {
        var load = DatabaseLoad()
        load.queuedWrites = writer.queue.count
        load.queuedReads = reads.count
        (load.connections, load.connectionsInUse) = readers.counts
        load.connectionLimit = configuration.maximumReaders
        load.fileBytes = FileSystem.size(configuration.path)
        load.logBytes = FileSystem.size(configuration.path + "-wal")
        load.batches = writer.batchSizes.snapshot
        return load
    }

    /// The statistics so far, for tests.
    package var statistics: DatabaseStatistics {
        let writes = writer.currentStatistics
        return DatabaseStatistics(
            writes: writes.closures,
            batches: writes.batches,
            brokenBatches: writes.brokenBatches,
            repeatedBatches: writes.repeatedBatches,
            largestBatch: writes.largestBatch,
            queuedWrites: writer.queue.count,
            queuedReads: reads.count,
            logBytes: FileSystem.size(configuration.path + "-wal")
        )
    }
}

/// The statistics of a SQLite database since it was opened.
package struct DatabaseStatistics: Sendable {
    /// The number of closures that write or lease, taken from the queue so far.
    package let writes: Int
    /// The number of batches in which those closures ran: one commit each, unless a batch broke or its only closure
    /// failed.
    package let batches: Int
    /// The number of batches that broke, so that their closures ran alone.
    package let brokenBatches: Int
    /// The number of batches that ran again, because a closure failed after it had written.
    package let repeatedBatches: Int
    /// The number of closures in the largest batch so far.
    package let largestBatch: Int
    /// The number of closures that wait to write or lease.
    package let queuedWrites: Int
    /// The number of closures that wait for a reader thread.
    package let queuedReads: Int
    /// The current size of the write-ahead log's file, in bytes.
    package let logBytes: Int64
}

/// The remaining work once no new work is accepted.
private struct Closing: Sendable {
    let threads: [WorkerThread]
    let checkpointer: Checkpointer
    let readers: ReaderPool
    let connections: [SQLiteConnection]
    /// Kept alive because the writer's connection refers to the meter until that connection is closed.
    let log: LogMeter

    func finish<State>(_ life: Monitor<State>, _ mark: (inout State) -> Void) {
        checkpointer.stop()
        for thread in threads { thread.join() }
        readers.close()
        // The last connection to close would do it too, but not if another process has the file open.
        _ = try? connections.last?.checkpoint(SQLITE_CHECKPOINT_TRUNCATE)
        for connection in connections { connection.close() }
        withExtendedLifetime(log) {}
        life.withLock(mark)
        life.wakeAll()
    }
}
