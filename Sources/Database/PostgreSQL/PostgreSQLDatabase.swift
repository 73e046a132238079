internal import Synchronization

/// A database on a PostgreSQL server that any number of nodes share.
///
/// A write completes when the server has committed it durably. Each closure runs in a transaction of its own, on one of
/// a few connections with one thread each. Closures that write run with the isolation that they need, and are retried
/// after a conflict for a limited time.
package final class PostgreSQLDatabase: Database {
    private let configuration: PostgreSQLConfiguration
    private let pool: PostgreSQLPool
    private let replica: PostgreSQLPool?
    private let queue: JobQueue
    private let contended: JobQueue
    private let blocked: JobQueue
    private let postponed: PostponedCalls
    private let threads: [WorkerThread]
    /// The threads of the contended and the blocked queue, where closures run again.
    private let retryThreads: [WorkerThread]
    private let watches: [WorkerThread]
    private let notifications: NodeNotifications
    private let olderNodes: OlderNodes
    private let life = Monitor(Life())
    private let counters: StatisticsCollector

    /// The number of threads for blocked closures, which wait for locks.
    private static let mostBlocked = 2

    fileprivate struct Life {
        var isClosing = false
        var isClosed = false
    }

    /// Connects to the server and brings the schema up to date.
    ///
    /// - Parameters:
    ///   - configuration: the server's address and limits.
    ///   - migrations: the whole schema in steps, numbered from 1.
    /// - Throws: ``DatabaseError``: `unavailable`; `schema` when the schema is newer than the migrations or was made by
    ///   other steps; `misuse` for a server with `synchronous_commit = off` or a database whose encoding is not UTF-8;
    ///   the errors of migrations.
    package init(_ configuration: PostgreSQLConfiguration, migrations: [Migration]) throws {
        try PostgreSQLMigrations(configuration, migrations).run()
        let pool = PostgreSQLPool(configuration)
        let olderNodes = try pool.withConnection { connection in
            try connection.requireSoundness()
            return try OlderNodes(connection, configuration)
        }
        var atReplica = configuration
        if let url = configuration.replicaURL { atReplica.url = url }
        let replica = configuration.replicaURL.map { _ in PostgreSQLPool(atReplica, isReplica: true) }
        let progress = replica.map { _ in WriteProgress() }
        let queue = JobQueue(limit: configuration.maximumQueued, bounds: configuration.queueBounds)
        let contended = JobQueue(limit: configuration.maximumQueued)
        let blocked = JobQueue(limit: configuration.maximumQueued)
        let counters = StatisticsCollector()
        self.configuration = configuration
        self.pool = pool
        self.replica = replica
        self.queue = queue
        self.contended = contended
        self.blocked = blocked
        let postponed = PostponedCalls(queue, limit: configuration.maximumQueued)
        self.postponed = postponed
        self.counters = counters
        self.olderNodes = olderNodes
        notifications = try NodeNotifications(configuration, pool.clock)
        let runner = TransactionRetrier(
            primary: pool,
            replica: replica,
            configuration: configuration,
            statistics: counters,
            postponed: postponed,
            queue: queue,
            contended: contended,
            blocked: blocked
        )
        func threads(_ count: Int, for runner: TransactionRetrier) throws(DatabaseError) -> [WorkerThread] {
            try (0..<count).map { _ throws(DatabaseError) in try WorkerThread { runner.runAll() } }
        }
        self.threads = try threads(max(1, configuration.connections), for: runner)
        // One thread, so that the closures of the contended queue run one after the other.
        retryThreads =
            try threads(1, for: runner.serving(contended, contended: nil))
            + threads(Self.mostBlocked, for: runner.serving(blocked, contended: contended))
        let watching = Watching(life: life, queues: [queue, contended, blocked], counters: counters)
        var watches = [
            try WorkerThread { watching.watch(pool, configuration, progress: progress, olderNodes) }
        ]
        if let replica {
            watches.append(
                try WorkerThread { [atReplica] in watching.watch(replica: replica, atReplica, progress: progress) }
            )
        }
        self.watches = watches
    }

    deinit {
        close()
    }

    package var now: Int64 { pool.clock.now }
    package var isLocal: Bool { false }
    package var health: DatabaseHealth { configuration.health }
    package var absence: DatabaseError? { pool.absence }
    package var isCongested: Bool { queue.isCongested }
    package var transactionStatistics: [TransactionStatistics] { counters.all }

    package var load: DatabaseLoad {
        var load = DatabaseLoad()
        load.queuedWrites = contended.count + blocked.count
        load.queuedReads = queue.count
        (load.connections, load.connectionsInUse, load.connectionLimit) = pool.counts
        return load
    }

    package func read<T: Sendable>(
        _ kind: String,
        snapshot: Bool,
        mayLag: Bool,
        _ body: @escaping @Sendable (Transaction) throws -> T,
        completion: @escaping @Sendable (Result<T, any Error>) -> Void
    ) {
        push(
            ClosureJob(
                mode: .reading(snapshot: snapshot, mayLag: mayLag),
                kind: kind,
                body: body,
                completion: completion
            )
        )
    }

    package func write<T: Sendable>(
        _ kind: String,
        alone: Bool,
        isolation: Isolation,
        _ body: @escaping @Sendable (Transaction) throws -> T,
        completion: @escaping @Sendable (Result<T, any Error>) -> Void
    ) {
        let isolation = olderNodes.mayRun ? .serializable : isolation
        push(ClosureJob(mode: .writing(alone: alone, isolation), kind: kind, body: body, completion: completion))
    }

    package func readShared<Input: Sendable, T: Sendable>(
        _ kind: String,
        _ input: Input,
        _ body: @escaping @Sendable ([Input], Transaction) throws -> [Result<T, any Error>],
        completion: @escaping @Sendable (Result<T, any Error>) -> Void
    ) {
        push(
            SharedJob(
                mode: .reading(snapshot: false),
                kind: kind,
                together: { inputs, transaction in try body(inputs, transaction).map { .answered($0) } },
                alone: nil,
                calls: [SharedJob.Call(input: input, key: "", completion: completion)]
            )
        )
    }

    package func writeShared<Input: Sendable, T: Sendable>(
        _ kind: String,
        isolation: Isolation,
        _ input: Input,
        key: String,
        together: @escaping @Sendable ([Input], Transaction) throws -> [SharedOutcome<T>],
        alone: @escaping @Sendable (Input, Transaction) throws -> T,
        completion: @escaping @Sendable (Result<T, any Error>) -> Void
    ) {
        guard !olderNodes.mayRun else {
            return write(kind, alone: false, isolation: isolation, { try alone(input, $0) }, completion: completion)
        }
        let job = SharedJob(
            mode: .writing(alone: false, isolation),
            kind: kind,
            together: together,
            alone: alone,
            calls: [SharedJob.Call(input: input, key: key, completion: completion)]
        )
        if !job.evade(to: postponed) { push(job) }
    }

    package func lease<T: Sendable>(
        _ kind: String,
        _ body: @escaping @Sendable (Transaction) throws -> T,
        completion: @escaping @Sendable (Result<T, any Error>) -> Void
    ) {
        push(ClosureJob(mode: .leasing, kind: kind, body: body, completion: completion))
    }

    /// Queues a job.
    ///
    /// While the server is away, the job fails at once, unless the replica can run it.
    private func push(_ job: any Job) {
        guard let absence = pool.absence, !isReadByOthers(job) else { return queue.push(job) }
        job.fail(absence)
        job.answer()
    }

    private func isReadByOthers(_ job: any Job) -> Bool {
        guard case .reading(_, mayLag: true) = job.mode, let replica else { return false }
        return !replica.isAway
    }

    package func readNow<T>(snapshot: Bool, _ body: (Transaction) throws -> T) throws -> T {
        try pool.withConnection { connection in
            connection.begin(snapshot ? .snapshot : .single)
            let transaction = Transaction(connection, now: pool.clock.now)
            defer {
                transaction.end()
                connection.rollback()
            }
            let value = try body(transaction)
            if let failure = transaction.failure { throw failure }
            return value
        }
    }

    package func announce(_ news: NodeNotification) {
        notifications.announce(news)
    }

    package func subscribe(_ body: @escaping @Sendable ([NodeNotification]) -> Void) throws {
        try notifications.start(body)
    }

    package func backup(to path: String, replacing: Bool) throws {
        throw DatabaseError(.misuse, message: "PostgreSQL has backups of its own: pg_dump, pg_basebackup")
    }

    package func close() {
        let isFirst = life.withLock { life in
            defer { life.isClosing = true }
            return !life.isClosing
        }
        let own = threads + retryThreads + watches
        guard isFirst else {
            if !own.contains(where: \.isCurrent) { life.wait { $0.isClosed ? () : nil } }
            return
        }
        life.wakeAll()
        notifications.stop()
        queue.close()
        let life = life, pools = [pool, replica], threads = threads, others = [contended, blocked],
            counters = counters, onEvent = configuration.onEvent
        let finish: @Sendable () -> Void = {
            for thread in threads { thread.join() }
            // From now on, the threads of these queues run each closure to its end.
            for queue in others { queue.close() }
            for thread in own { thread.join() }
            for pool in pools { pool?.close() }
            onEvent(.served(counters.all))
            life.withLock { $0.isClosed = true }
            life.wakeAll()
        }
        if own.contains(where: \.isCurrent) { _ = try? WorkerThread(finish) } else { finish() }
    }

    /// The number of open connections to the primary that run closures, lent or idle.
    ///
    /// For tests.
    var connectionCount: Int { pool.size }
}

/// What the threads that watch the servers do until the database closes.
private struct Watching: Sendable {
    let life: Monitor<PostgreSQLDatabase.Life>
    /// The queues of jobs that fail while the primary is away.
    let queues: [JobQueue]
    let counters: StatisticsCollector

    /// The time between two reports of repeated transactions, in milliseconds.
    private static let reportInterval: Int64 = 60_000

    /// Watches the primary and older nodes, and reports repeated transactions once a minute.
    func watch(
        _ pool: PostgreSQLPool,
        _ configuration: PostgreSQLConfiguration,
        progress: WriteProgress?,
        _ olderNodes: OlderNodes
    ) {
        let watch = ServerWatch(pool, configuration, progress: progress, olderNodes: olderNodes)
        var reported = Deadline.now
        untilClosing {
            watch.look()
            if let absence = pool.absence {
                for queue in queues { queue.failAll(absence) }
            }
            guard Deadline.now - reported > Self.reportInterval else { return }
            reported = Deadline.now
            let news = counters.repetitions()
            if !news.isEmpty { configuration.onEvent(.repeated(news)) }
        }
    }

    /// Watches the replica.
    func watch(replica: PostgreSQLPool, _ configuration: PostgreSQLConfiguration, progress: WriteProgress?) {
        let watch = ServerWatch(replica, configuration, progress: progress, isReplica: true)
        untilClosing { watch.look() }
    }

    private func untilClosing(_ body: () -> Void) {
        while life.wait(milliseconds: ServerWatch.pause, for: { $0.isClosing ? true : nil }) == nil { body() }
    }
}
