/// How to reach a PostgreSQL database.
package struct PostgreSQLConfiguration: Sendable {
    /// The server's address in libpq's form: `postgresql://user:password@host:port/name?sslmode=verify-full`.
    ///
    /// The URL contains the password, so it must not be logged.
    package var url: String
    /// A URL that reaches the server without a pooler, for the notification connection.
    ///
    /// `nil` if ``url`` does so itself.
    package var listenURL: String?
    /// The number of connections that run queued closures, each with its own thread.
    ///
    /// On two cores more connections are slower: their transactions only compete for the processors and for locks.
    package var connections = 8
    /// The maximum number of further connections, above all for threads that read synchronously.
    package var maximumReaders = 16
    /// Whether each connection prepares its statements once.
    ///
    /// Must be off for poolers that assign a different server connection to each transaction.
    package var prepares = true
    /// The maximum time to connect, in milliseconds.
    package var connectTimeout = 5_000
    /// The maximum time for one answer, in milliseconds.
    ///
    /// The server enforces it for each statement. A slightly longer limit on this side detects a server or network that
    /// has gone silent.
    package var statementTimeout = 10_000
    /// The maximum time that a transaction waits for a lock, in milliseconds; 0 for ``statementTimeout``.
    ///
    /// Then its closure gives the connection back and runs again later, so that calls about a row that is locked for long
    /// do not occupy all connections.
    package var lockTimeout = 100
    /// How long a transaction may be idle before the server ends it, in milliseconds; `nil` for ``statementTimeout``.
    var stillness: Int?
    /// How often the notification connection is tested, in milliseconds.
    package var listenCheck = 10_000
    /// How long no node of an earlier version must have been seen before this node does without their protection
    /// (``OlderNodes``), in milliseconds.
    ///
    /// Longer than a node needs to open its notification connection again.
    package var olderNodeAbsence: Int64 = 30_000
    /// The number of closures that may wait.
    ///
    /// Further ones fail with `overloaded`.
    package var maximumQueued = 10_000
    /// From when calls are refused instead of waiting for a connection (``Database/isCongested``).
    package var queueBounds = QueueBounds()
    /// How long a closure may wait and be retried after conflicts, counted from its arrival, in milliseconds.
    package var patience = 10_000
    /// The time after which an unused connection is closed, in milliseconds.
    package var idleLimit = 300_000
    /// The URL of a replica of the server, for reads that may lag; `nil` without one.
    package var replicaURL: String?
    /// The number of prepared statements kept on each connection.
    package var statementCacheLimit = 512
    /// A clock to use instead of the server's, in milliseconds since 1970; `nil` to use the server's.
    ///
    /// For tests.
    package var clock: (@Sendable () -> Int64)?
    /// The names of the unique keys whose violation means that another transaction was quicker, and not that the closure
    /// was wrong.
    ///
    /// Such a closure runs again, three times in all. It then finds the other transaction's row.
    package var contestedKeys: Set<String> = []
    /// The names of the protections that transactions do without: of row locks, table locks and contested keys, and of
    /// reasons to be serializable.
    ///
    /// For tests, which show that they fail without the protection.
    package var omittedProtections: Set<String> = []
    /// Runs a closure that passes the results of one transaction to the completions of several calls.
    ///
    /// Called on the thread that ran the transaction.
    package var completing: @Sendable (_ completions: () -> Void) -> Void = { $0() }
    /// Makes the ``Transaction/context`` of each new connection; `nil` for none.
    package var makeContext: (@Sendable () -> AnyObject)?
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

    /// Collects what is learned about the state of the database.
    let health = DatabaseHealth()

    /// Creates a configuration with the defaults.
    package init(url: String) {
        self.url = url
    }
}

extension PostgreSQLConfiguration {
    /// The further settings of sessions that keep the plans of prepared statements.
    static let planSettings: [(name: String, value: String)] = [
        // A plan that was made while a table had a few rows, and scans the table, would be used until the table is analysed.
        ("enable_seqscan", "off"),
        // Statements that cannot but scan a table look so expensive now that each would be compiled.
        ("jit", "off"),
    ]

    /// The session settings, which override those of the server, database and role.
    ///
    /// The settings are the server's time limits in milliseconds, and the format of binary data that
    /// ``PostgreSQLResult`` reads.
    var sessionSettings: [(name: String, value: String)] {
        [
            ("statement_timeout", String(statementTimeout)),
            ("lock_timeout", String(lockTimeout)),
            // A node that stops mid-transaction must not block others for longer than a statement may take.
            ("idle_in_transaction_session_timeout", String(stillness ?? statementTimeout)),
            ("bytea_output", "hex"),
        ]
    }
}
