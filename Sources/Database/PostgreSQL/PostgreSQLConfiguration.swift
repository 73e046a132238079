/// How a PostgreSQL database is reached.
package struct PostgreSQLConfiguration: Sendable {
    /// Where the server is, as libpq takes it: `postgresql://user:password@host:port/name?sslmode=verify-full`.
    ///
    /// Holds the password, so it belongs in no log.
    package var url: String
    /// Where the server is reached without a pooler, for the connection on which nodes hear one another; `nil` where ``url`` is
    /// such a way.
    package var listenURL: String?
    /// Connections, each with a thread of its own.
    package var connections = 16
    /// Connections beside those, for threads that read at once on their own.
    package var maximumReaders = 16
    /// Whether statements are prepared once for each connection.
    ///
    /// Off for poolers that give each transaction another server connection.
    package var prepares = true
    /// How long reaching the server may take, in milliseconds.
    package var connectTimeout = 5_000
    /// How long one answer of the server may take, in milliseconds: its own limit for a statement, and a little later ours for
    /// a server, or a network, that has gone silent.
    package var statementTimeout = 10_000
    /// How long a transaction may stand still before the server ends it, in milliseconds; `nil` for as long as a statement.
    var stillness: Int?
    /// How often the connection on which nodes hear one another is put to the test, in milliseconds.
    package var listenCheck = 10_000
    /// How many closures may wait before further ones are answered `overloaded`.
    package var maximumQueued = 10_000
    /// For how long after it came a closure may wait, or be run again because others got in its way, in milliseconds.
    package var patience = 10_000
    /// After what time a connection that nobody uses is closed, in milliseconds.
    package var idleLimit = 300_000
    /// A server that follows the first, for reads that may lag; `nil` without one.
    package var replicaURL: String?
    /// Prepared statements kept on each connection.
    package var statementCacheLimit = 512
    /// The clock to go by, in milliseconds since 1970, in place of the server's.
    ///
    /// For tests.
    package var clock: (@Sendable () -> Int64)?
    /// What the operator declared about tables of their own.
    package var assets = AssetSettings()
    /// Told of what an operator should know.
    ///
    /// Called on the database's threads; must be short.
    package var onEvent: @Sendable (DatabaseEvent) -> Void = { _ in }
    /// Told of each statement that a closure is about to run, by its text without values, on the thread that runs it; what it
    /// throws the statement fails with.
    ///
    /// For tests.
    package var onStatement: (@Sendable (String) throws(DatabaseError) -> Void)?

    /// What is learned of the database goes here.
    let health = DatabaseHealth()

    /// Makes a configuration with the defaults.
    package init(url: String) {
        self.url = url
    }
}

extension PostgreSQLConfiguration {
    /// What holds in our sessions, whatever server, database and role say of theirs: the server's own limits, in milliseconds,
    /// and the form of binary data that we read.
    var sessionSettings: [(name: String, value: String)] {
        [
            ("statement_timeout", String(statementTimeout)),
            // For what a node holds that stopped in the middle, nobody waits longer than for a statement.
            ("idle_in_transaction_session_timeout", String(stillness ?? statementTimeout)),
            ("bytea_output", "hex"),
        ]
    }
}
