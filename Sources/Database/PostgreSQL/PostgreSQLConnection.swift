/// One connection to a PostgreSQL server, with its current transaction.
///
/// Nothing is sent before it is needed. BEGIN is sent with the first statement whose result is awaited, and COMMIT with
/// the last changes. A transaction therefore takes one round trip for each awaited result and one for its COMMIT.
///
/// Used by one thread at a time; the pool lends it.
@safe final class PostgreSQLConnection {
    let dialect = Dialect.postgreSQL
    let context: AnyObject?
    var health: DatabaseHealth { configuration.health }
    let link: PostgreSQLLink
    let configuration: PostgreSQLConfiguration
    var pipeline = Pipeline<PostgreSQLResult>()
    var prepared: PreparedStatements
    /// The number of times that a result was awaited on this connection so far.
    var roundTrips = 0
    /// The number of statements sent on this connection so far, without those that begin and end transactions.
    var statements = 0
    /// The number of rows inserted, changed or deleted on this connection so far.
    var changes = 0
    /// The maximum time for an answer, in milliseconds.
    var patience: Int

    /// Connects; ``setUp(_:)`` then sets up the session.
    ///
    /// - Throws: `unavailable`; `internal` if libpq cannot set up the connection.
    init(_ configuration: PostgreSQLConfiguration) throws(DatabaseError) {
        self.configuration = configuration
        // A slow server reports the statement timeout itself. A longer silence means that the server or the network is
        // gone.
        patience = configuration.statementTimeout + 1000
        context = configuration.makeContext?()
        // Unique to this connection: behind an unknown pooler, another client's statement could have the same name.
        let prefix = "s\(String(UInt64.random(in: .min ... .max), radix: 36))_"
        prepared = PreparedStatements(limit: configuration.statementCacheLimit, prefix: prefix)
        link = try PostgreSQLLink(url: configuration.url, by: Deadline(in: configuration.connectTimeout))
    }

    /// Whether the server still answers on this connection within a time.
    ///
    /// Rolls back an open transaction.
    func isAlive(within milliseconds: Int) -> Bool {
        patience = milliseconds
        defer { patience = configuration.statementTimeout + 1000 }
        begin(.single)
        let isAlive = (try? open("SELECT 1")) != nil
        rollback()
        return isAlive
    }

    /// Whether the connection can be lent again: no transaction is open, and neither side has broken it off.
    var isUsable: Bool { pipeline.isIdle && !link.isBroken && !link.isClosedByServer }

    /// Begins a transaction with the next statement.
    ///
    /// An open transaction is rolled back.
    func begin(_ mode: Mode) {
        rollback()
        pipeline.begin(with: mode.begin(settingLimits: !configuration.prepares))
    }

    /// Commits, and returns once the commit is durable.
    ///
    /// - Throws: the error of a statement that was not awaited, or of COMMIT itself, such as a conflict;
    ///   `outcomeUnknown` if the server went away during the commit.
    func commit() throws(DatabaseError) {
        switch pipeline.commit() {
        case .nothing: return
        case .read: _ = try answers()
        case .commit:
            try send(Steering.commit)
            let last: PostgreSQLResult?
            do throws(DatabaseError) {
                last = try answers()
            } catch {
                guard link.isBroken else { throw error }
                throw DatabaseError(.outcomeUnknown, message: "the server went away during COMMIT: \(error.message)")
            }
            pipeline.committed()
            // COMMIT of a failed transaction answers ROLLBACK without an error.
            guard last?.command == "COMMIT" else {
                throw DatabaseError(.internal, message: "the transaction had failed before its COMMIT")
            }
        }
    }

    /// Rolls back without waiting for the server.
    func rollback() {
        let (endsBatch, rollsBack) = pipeline.rollback()
        guard !link.isBroken else { return }
        if endsBatch { try? endBatch() }
        guard rollsBack else { return }
        try? send(Steering.rollback)
        try? endBatch()
    }

    /// The statements that steer a transaction.
    private enum Steering {
        static let commit = Array("COMMIT".utf8)
        static let rollback = Array("ROLLBACK".utf8)
    }
}
