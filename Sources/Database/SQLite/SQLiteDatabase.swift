internal import CSQLite

/// The database in one file, for one machine; several processes may open it at once.
///
/// Durable: a write is answered when its commit is on the disk (`synchronous=FULL`). One thread writes, each reader has a
/// connection of its own, and neither waits for the other (write-ahead log).
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

    /// Opens the database, makes it if it is not there, and brings its schema up to date.
    ///
    /// - Parameters:
    ///   - configuration: where the file is, and limits.
    ///   - migrations: the whole schema in steps, numbered from 1.
    /// - Throws: ``DatabaseError``: `schema` when the file is newer than the migrations, or made by others; `readOnly`, `io`,
    ///   `full`, `corrupt`, `busy` when it cannot be used.
    package convenience init(_ configuration: SQLiteConfiguration, migrations: [Migration]) throws {
        try FileSystem.makeFile(configuration.path)
        let connection = try SQLiteConnection.open(configuration, as: .writer)
        do {
            try MigrationRunner(connection, migrations, clock: configuration.clock).run()
            try self.init(configuration, writer: connection)
        } catch {
            connection.close()
            throw error
        }
    }

    private init(_ configuration: SQLiteConfiguration, writer connection: SQLiteConnection) throws(DatabaseError) {
        let log = LogMeter(softLimit: configuration.checkpoints.softLimit, health: configuration.health)
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
        // There is one writer, so that nobody else takes any meanwhile.
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

    /// Writes a consistent, checked copy to a file (mode 0600) while serving goes on.
    ///
    /// Blocks the calling thread.
    ///
    /// The write-ahead log cannot start anew until the copy is done, so it grows by what is written in the meantime.
    ///
    /// - Parameters:
    ///   - path: where to. The file appears there only when it is complete, checked and on the disk.
    ///   - replacing: whether a file that is there may go. Never the database itself.
    ///   - progress: told the pages copied and the pages in all, now and then.
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

    /// Finishes the closures that wait, brings the log back and closes the file.
    ///
    /// Everything afterwards answers `closed`.
    ///
    /// Waits for all that; called twice, the second waits too. On one of the database's own threads (in a completion) it
    /// cannot wait, and returns while another thread closes. Never call it inside a `readNow` closure.
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

    /// What was done so far, for metrics.
    package var statistics: DatabaseStatistics {
        let writes = writer.currentStatistics
        return DatabaseStatistics(
            writes: writes.closures,
            batches: writes.batches,
            brokenBatches: writes.brokenBatches,
            largestBatch: writes.largestBatch,
            queuedWrites: writer.queue.count,
            queuedReads: reads.count,
            logBytes: FileSystem.size(configuration.path + "-wal")
        )
    }
}

/// What a database did so far.
package struct DatabaseStatistics: Sendable {
    /// Write closures that were answered.
    package let writes: Int
    /// Batches in which they ran: one commit each, if nothing broke.
    package let batches: Int
    /// Batches that broke, so that their closures ran alone.
    package let brokenBatches: Int
    /// Closures in the largest batch.
    package let largestBatch: Int
    /// Write closures that wait now.
    package let queuedWrites: Int
    /// Read closures that wait now.
    package let queuedReads: Int
    /// Size of the write-ahead log now.
    package let logBytes: Int64
}

/// What is left to do once nothing new is taken.
private struct Closing: Sendable {
    let threads: [WorkerThread]
    let checkpointer: Checkpointer
    let readers: ReaderPool
    let connections: [SQLiteConnection]
    /// The writer's connection refers to it until it is closed.
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
