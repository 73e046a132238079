internal import Synchronization

/// The database on a PostgreSQL server, which any number of nodes share.
///
/// Durable: a write is answered when the server has committed it. Each closure is a transaction of its own, SERIALIZABLE, on one
/// of a few connections with a thread each; when others got in its way it runs again, for some time.
package final class PostgreSQLDatabase: Database {
    private let configuration: PostgreSQLConfiguration
    private let pool: PostgreSQLPool
    private let replica: PostgreSQLPool?
    private let queue: JobQueue
    private let contended: JobQueue
    private let threads: [WorkerThread]
    /// Takes those that others got in the way of, one after the other.
    private let referee: WorkerThread
    private let watches: [WorkerThread]
    private let newswire: Newswire
    private let life = Monitor(Life())
    private let counters: Tallies

    private struct Life {
        var isClosing = false
        var isClosed = false
    }

    /// Reaches the server and brings the schema up to date.
    ///
    /// - Parameters:
    ///   - configuration: where the server is, and limits.
    ///   - migrations: the whole schema in steps, numbered from 1.
    /// - Throws: ``DatabaseError``: `unavailable`; `schema` when the schema is newer than the migrations, or made by
    ///   others; `misuse` for a server that promises durability without keeping it.
    package init(_ configuration: PostgreSQLConfiguration, migrations: [Migration]) throws {
        try PostgreSQLMigrations(configuration, migrations).run()
        let pool = PostgreSQLPool(configuration)
        try pool.withConnection { try $0.requireSoundness() }
        var atReplica = configuration
        if let url = configuration.replicaURL { atReplica.url = url }
        let replica = configuration.replicaURL.map { _ in PostgreSQLPool(atReplica, isReplica: true) }
        let progress = replica.map { _ in WriteProgress() }
        let queue = JobQueue(limit: configuration.maximumQueued)
        let contended = JobQueue(limit: configuration.maximumQueued)
        let counters = Tallies()
        self.configuration = configuration
        self.pool = pool
        self.replica = replica
        self.queue = queue
        self.contended = contended
        self.counters = counters
        newswire = try Newswire(configuration, pool.clock)
        @Sendable func runAll(of own: JobQueue, passingOnTo contended: JobQueue?) {
            let runner = JobRunner(
                primary: pool,
                replica: replica,
                configuration: configuration,
                tallies: counters,
                contended: contended
            )
            while let jobs = own.take(atMost: 1) {
                for job in jobs { runner.run(job) }
            }
        }
        threads = try (0..<max(1, configuration.connections)).map { _ throws(DatabaseError) in
            try WorkerThread { runAll(of: queue, passingOnTo: contended) }
        }
        referee = try WorkerThread { runAll(of: contended, passingOnTo: nil) }
        let life = life
        @Sendable func untilClosing(_ body: () -> Void) {
            while life.wait(milliseconds: ServerWatch.pause, for: { $0.isClosing ? true : nil }) == nil { body() }
        }
        var watches = [
            try WorkerThread {
                let watch = ServerWatch(pool, configuration, progress: progress)
                var reported = Deadline.now
                untilClosing {
                    watch.look()
                    if let absence = pool.absence {
                        queue.failAll(absence)
                        contended.failAll(absence)
                    }
                    guard Deadline.now - reported > 60_000 else { return }
                    reported = Deadline.now
                    let news = counters.repetitions()
                    if !news.isEmpty { configuration.onEvent(.repeated(news)) }
                }
            }
        ]
        if let replica {
            watches.append(
                try WorkerThread { [atReplica] in
                    let watch = ServerWatch(replica, atReplica, progress: progress, isReplica: true)
                    untilClosing { watch.look() }
                }
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
        _ body: @escaping @Sendable (Transaction) throws -> T,
        completion: @escaping @Sendable (Result<T, any Error>) -> Void
    ) {
        push(ClosureJob(mode: .writing(alone: alone), kind: kind, body: body, completion: completion))
    }

    package func lease<T: Sendable>(
        _ kind: String,
        _ body: @escaping @Sendable (Transaction) throws -> T,
        completion: @escaping @Sendable (Result<T, any Error>) -> Void
    ) {
        push(ClosureJob(mode: .leasing, kind: kind, body: body, completion: completion))
    }

    /// Queues a job; while the server is away it is answered at once.
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

    package func announce(_ news: News) {
        newswire.announce(news)
    }

    package func hear(_ body: @escaping @Sendable ([News]) -> Void) throws {
        try newswire.start(body)
    }

    package func backup(to path: String, replacing: Bool) throws {
        throw DatabaseError(.misuse, message: "PostgreSQL has backups of its own: pg_dump, pg_basebackup")
    }

    package func close() {
        let isFirst = life.withLock { life in
            defer { life.isClosing = true }
            return !life.isClosing
        }
        let own = threads + [referee] + watches
        guard isFirst else {
            if !own.contains(where: \.isCurrent) { life.wait { $0.isClosed ? () : nil } }
            return
        }
        life.wakeAll()
        newswire.stop()
        queue.close()
        let life = life, pools = [pool, replica], threads = threads, contended = contended, counters = counters,
            onEvent = configuration.onEvent
        let finish: @Sendable () -> Void = {
            for thread in threads { thread.join() }
            // Now nobody queues there any more.
            contended.close()
            for thread in own { thread.join() }
            for pool in pools { pool?.close() }
            onEvent(.served(counters.all))
            life.withLock { $0.isClosed = true }
            life.wakeAll()
        }
        if own.contains(where: \.isCurrent) { _ = try? WorkerThread(finish) } else { finish() }
    }

    /// What closures came to, by what they were for.
    ///
    /// For tests; an operator reads it in the log.
    var tallies: [Tally] { counters.all }
    /// How many connections are open on which closures run.
    ///
    /// For tests.
    var connectionCount: Int { pool.size }
}
