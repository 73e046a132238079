internal import CPostgreSQL

/// One connection to a PostgreSQL server, with its current transaction.
///
/// Nothing is sent before it is needed. BEGIN is sent with the first statement whose result is awaited, and COMMIT with
/// the last changes. A transaction therefore takes one round trip for each awaited result and one for its COMMIT.
///
/// Used by one thread at a time; the pool lends it.
@safe final class PostgreSQLConnection: TransactionEngine {
    /// The kind of transaction to begin.
    enum Mode: Sendable {
        /// Each statement sees the newest state by itself; only for reads.
        case single
        /// Reads on one snapshot.
        case snapshot
        /// Reads and writes with serializable isolation.
        case serializable
        /// Reads and writes with READ COMMITTED isolation: for leases, which skip rows that other transactions have
        /// locked, and for migrations.
        case readCommitted

        private static let beginSnapshot = Array("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY".utf8)
        private static let beginSerializable = Array("BEGIN ISOLATION LEVEL SERIALIZABLE".utf8)
        private static let beginReadCommitted = Array("BEGIN ISOLATION LEVEL READ COMMITTED".utf8)
        private static let beginSingle = Array("BEGIN ISOLATION LEVEL READ COMMITTED READ ONLY".utf8)

        /// Returns the BEGIN statement for this mode; `nil` if the mode needs no transaction.
        ///
        /// `single` needs a transaction only behind a pooler. There the caller sets the session settings with SET LOCAL,
        /// because the server connection serves other clients afterwards and must stay as the operator configured it.
        ///
        /// - Parameter settingLimits: whether the caller sets the session settings in the transaction.
        fileprivate func begin(settingLimits: Bool) -> [UInt8]? {
            switch self {
            case .single: settingLimits ? Self.beginSingle : nil
            case .snapshot: Self.beginSnapshot
            case .serializable: Self.beginSerializable
            case .readCommitted: Self.beginReadCommitted
            }
        }
    }

    let dialect = Dialect.postgreSQL
    let context: AnyObject?
    var health: DatabaseHealth { configuration.health }
    let link: PostgreSQLLink
    let configuration: PostgreSQLConfiguration
    private var pipeline = Pipeline<PostgreSQLResult>()
    private var prepared: PreparedStatements
    /// The number of times that a result was awaited on this connection so far.
    private(set) var roundTrips = 0
    /// The number of statements sent on this connection so far, without those that begin and end transactions.
    private(set) var statements = 0
    /// The number of rows inserted, changed or deleted on this connection so far.
    private(set) var changes = 0
    /// The maximum time for an answer, in milliseconds.
    private var patience: Int

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

    // MARK: The transaction around a closure

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

    // MARK: TransactionEngine

    let prefetches = true

    func prefetch(_ sql: SQL) throws(DatabaseError) {
        try sendStatement(sql)
        pipeline.awaitLast(Pipeline.Question(sql))
    }

    func flush() throws(DatabaseError) {
        if pipeline.unanswered > 0 { _ = try answers() }
    }

    func open(_ sql: SQL) throws(DatabaseError) -> any StatementCursor {
        switch pipeline.lookUp(sql) {
        case .known(let result): return result
        case .awaited:
            _ = try answers()
            if case .known(let result) = pipeline.lookUp(sql) { return result }
        case .unknown: break
        }
        return try openBesidePrefetched(sql)
    }

    func openBesidePrefetched(_ sql: SQL) throws(DatabaseError) -> any StatementCursor {
        try sendStatement(sql)
        guard let result = try answers() else {
            throw DatabaseError(.internal, message: "the server did not answer a statement")
        }
        return result
    }

    func queue(_ sql: SQL) throws(DatabaseError) {
        pipeline.forgetPrefetched()
        try sendStatement(sql)
        if pipeline.isFull { _ = try answers() }
    }

    func attempt(_ sql: SQL) throws(DatabaseError) -> Int {
        pipeline.forgetPrefetched()
        try beginIfWanted()
        try send(Array("SAVEPOINT attempt".utf8))
        _ = try answers()
        do throws(DatabaseError) {
            let changes = try open(sql).changes
            try send(Array("RELEASE SAVEPOINT attempt".utf8))
            return changes
        } catch {
            guard !link.isBroken else { throw error }
            try send(Array("ROLLBACK TO SAVEPOINT attempt".utf8))
            try send(Array("RELEASE SAVEPOINT attempt".utf8))
            throw error
        }
    }

    func beginDryRun() throws(DatabaseError) {
        try beginIfWanted()
        try send(Array("SAVEPOINT dry_run".utf8))
    }

    func endDryRun() throws(DatabaseError) {
        pipeline.forgetPrefetched()
        // A failure that has not been read yet would have failed the commit.
        try flush()
        try send(Array("ROLLBACK TO SAVEPOINT dry_run".utf8))
        try send(Array("RELEASE SAVEPOINT dry_run".utf8))
    }

    func deferForeignKeys() throws(DatabaseError) {
        try beginIfWanted()
        try send(Array("SET CONSTRAINTS ALL DEFERRED".utf8))
    }

    func unresolvedConstraint() throws(DatabaseError) -> DatabaseError? {
        pipeline.forgetPrefetched()
        try beginIfWanted()
        try send(Array("SAVEPOINT unresolved".utf8))
        _ = try answers()
        var unresolved: DatabaseError?
        do throws(DatabaseError) {
            try send(Array("SET CONSTRAINTS ALL IMMEDIATE".utf8))
            _ = try answers()
        } catch {
            guard case .constraint = error.kind, !link.isBroken else { throw error }
            unresolved = error
        }
        // Later violations may be deferred again.
        try send(Array("ROLLBACK TO SAVEPOINT unresolved".utf8))
        try send(Array("RELEASE SAVEPOINT unresolved".utf8))
        return unresolved
    }

    func attach(_ path: String, as name: String) throws(DatabaseError) {
        throw DatabaseError(.misuse, message: "only SQLite attaches files")
    }

    // MARK: Sending and receiving

    private func sendStatement(_ sql: SQL) throws(DatabaseError) {
        if sql.steersConnection { throw .steering }
        var text: [UInt8]?
        if let onStatement = configuration.onStatement {
            let rendered = try dialect.render(sql)
            try onStatement(String(decoding: rendered, as: UTF8.self))
            text = rendered
        }
        if text == nil, !configuration.prepares || sql.hasInvalidIdentifier { text = try dialect.render(sql) }
        try beginIfWanted()
        statements += 1
        if let text, !configuration.prepares { return try send(text, sql.values) }
        let name = try name(of: sql, rendered: text)
        try link.send(prepared: name, sql.values)
        pipeline.sent()
    }

    func beginIfWanted() throws(DatabaseError) {
        guard let begin = pipeline.takeBegin() else { return }
        try send(begin)
        guard !configuration.prepares else { return }
        for (name, value) in configuration.sessionSettings {
            try send(Array("SET LOCAL \(name) = \(value)".utf8))
        }
    }

    private func send(_ text: [UInt8], _ values: [SQLValue] = []) throws(DatabaseError) {
        try link.send(text, values)
        pipeline.sent()
    }

    /// Returns the name of a prepared statement, and first prepares the statement if the server does not know it.
    ///
    /// The caller must send the statement next.
    ///
    /// - Parameters:
    ///   - sql: the statement.
    ///   - rendered: the statement's text for the server, if the caller has it already.
    private func name(of sql: SQL, rendered: [UInt8]?) throws(DatabaseError) -> String {
        let text = StatementText(sql.text)
        switch prepared.use(text) {
        case .known(let name, let isConfirmed):
            if isConfirmed { pipeline.planNext() }
            return name
        case .new(let name, let afterClearing):
            if afterClearing {
                try send(Array("DEALLOCATE ALL".utf8))
                prepared.cleared()
            }
            let rendered = if let rendered { rendered } else { try dialect.render(sql) }
            try link.prepare(name, rendered)
            pipeline.sent()
            prepared.sent(text, as: name)
            return name
        }
    }

    private func endBatch() throws(DatabaseError) {
        try link.synchronize()
        try link.flush()
        pipeline.endBatch()
    }

    /// Ends the batch and reads the answers to everything sent.
    ///
    /// - Returns: the answer to the last statement; `nil` if none was sent.
    /// - Throws: the error of the first failed statement.
    func answers() throws(DatabaseError) -> PostgreSQLResult? {
        try endBatch()
        roundTrips += 1
        // The server sends nothing before the end of a batch, so this deadline covers the whole batch.
        let deadline = Deadline(in: patience)
        var last: PostgreSQLResult?
        var failure: DatabaseError?
        while let batch = pipeline.nextBatch {
            // Errors of abandoned transactions are ignored.
            (last, failure) = try read(batch, by: deadline)
            pipeline.finishBatch()
        }
        prepared.confirm()
        if let failure { throw failure }
        return last
    }

    private func read(
        _ batch: Pipeline<PostgreSQLResult>.Batch,
        by deadline: Deadline
    ) throws(DatabaseError) -> (PostgreSQLResult?, DatabaseError?) {
        var last: PostgreSQLResult?
        var failure: DatabaseError?
        for place in 0..<batch.statements {
            while let handle = unsafe try link.receive(by: deadline) {
                let result = unsafe PostgreSQLResult(owning: handle)
                if let error = result.error, failure == nil {
                    let isOfServer = result.status != PGRES_FATAL_ERROR || result.sqlState != nil
                    guard isOfServer else { throw link.broken("the answer could not be read") }
                    failure = record(error, result.sqlState, at: batch.isCurrent ? place : nil)
                }
                last = result
                changes &+= result.changes
                if batch.isCurrent { pipeline.received(result, at: place) }
            }
        }
        guard let handle = unsafe try link.receive(by: deadline) else {
            throw link.broken("the server left out an answer")
        }
        unsafe PQclear(handle)
        return (last, failure)
    }

    /// Forgets statements that the server may not know, and turns errors about them into conflicts, so that the closure
    /// is retried.
    ///
    /// - Parameters:
    ///   - error: the server's error.
    ///   - sqlState: the error's SQLSTATE; `nil` if libpq itself failed.
    ///   - place: the statement's place in the current batch; `nil` if it belongs to an abandoned batch.
    private func record(_ error: DatabaseError, _ sqlState: String?, at place: Int?) -> DatabaseError {
        prepared.forgetUnconfirmed()
        switch pipeline.failure(sqlState, at: place) {
        case .ofStatement: return error
        case .ofStandby: return DatabaseError(.readOnly, message: error.message)
        case .ofPlans:
            prepared.forgetAll()
            return DatabaseError(.conflict, message: error.message)
        }
    }
}
