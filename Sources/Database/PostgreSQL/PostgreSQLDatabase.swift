internal import Synchronization

/// The database on a PostgreSQL server, which any number of nodes share.
///
/// Durable: a write is answered when the server has committed it. Each closure is a transaction of its own, SERIALIZABLE, on one
/// of a few connections with a thread each; when others got in its way it runs again, up to a limit.
package final class PostgreSQLDatabase: Database {
    private let configuration: PostgreSQLConfiguration
    private let pool: PostgreSQLPool
    private let queue: JobQueue
    private let threads: [WorkerThread]
    private let timekeeper: WorkerThread
    private let newswire: Newswire
    private let life = Monitor(Life())
    private let retries: Retries

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
        let queue = JobQueue(limit: configuration.maximumQueued)
        let retries = Retries()
        try pool.withConnection { try $0.requireDurability() }
        self.configuration = configuration
        self.pool = pool
        self.queue = queue
        self.retries = retries
        newswire = try Newswire(configuration, pool.clock)
        threads = try (0..<max(1, configuration.connections)).map { _ throws(DatabaseError) in
            try WorkerThread {
                let runner = JobRunner(pool: pool, configuration: configuration, retries: retries)
                while let jobs = queue.take(atMost: 1) {
                    for job in jobs { runner.run(job) }
                }
            }
        }
        let life = life
        timekeeper = try WorkerThread {
            while life.wait(milliseconds: 10_000, for: { $0.isClosing ? true : nil }) == nil {
                try? pool.withConnection { try $0.readClock(pool.clock) }
            }
        }
    }

    deinit {
        close()
    }

    package var now: Int64 { pool.clock.now }
    package var isLocal: Bool { false }

    package func read<T: Sendable>(
        snapshot: Bool,
        _ body: @escaping @Sendable (Transaction) throws -> T,
        completion: @escaping @Sendable (Result<T, any Error>) -> Void
    ) {
        queue.push(ClosureJob(mode: .reading(snapshot: snapshot), body: body, completion: completion))
    }

    package func write<T: Sendable>(
        _ kind: String,
        alone: Bool,
        _ body: @escaping @Sendable (Transaction) throws -> T,
        completion: @escaping @Sendable (Result<T, any Error>) -> Void
    ) {
        queue.push(ClosureJob(mode: .writing(alone: alone), kind: kind, body: body, completion: completion))
    }

    package func lease<T: Sendable>(
        _ kind: String,
        _ body: @escaping @Sendable (Transaction) throws -> T,
        completion: @escaping @Sendable (Result<T, any Error>) -> Void
    ) {
        queue.push(ClosureJob(mode: .leasing, kind: kind, body: body, completion: completion))
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
        let own = threads + [timekeeper]
        guard isFirst else {
            if !own.contains(where: \.isCurrent) { life.wait { $0.isClosed ? () : nil } }
            return
        }
        life.wakeAll()
        newswire.stop()
        queue.close()
        let life = life, pool = pool
        let finish: @Sendable () -> Void = {
            for thread in own { thread.join() }
            pool.close()
            life.withLock { $0.isClosed = true }
            life.wakeAll()
        }
        if own.contains(where: \.isCurrent) { _ = try? WorkerThread(finish) } else { finish() }
    }

    /// How often closures ran again because others got in their way.
    package var retryCount: Int { retries.count.load(ordering: .relaxed) }
}
