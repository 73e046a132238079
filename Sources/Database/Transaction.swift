/// One unit of work.
///
/// Either all of it happens, or none.
///
/// A transaction lives as long as its closure. A failed statement ends it: every later statement fails with the same
/// error, and nothing is kept even if the closure catches the error and returns. PostgreSQL behaves this way, so both
/// engines agree. Data that must survive a rejection is returned, not thrown.
@usableFromInline
package final class Transaction {
    /// The database's clock in milliseconds since 1970, the same throughout the transaction.
    package let now: Int64
    /// The error of the statement that failed; `nil` without one.
    ///
    /// After a failed statement, nothing of the transaction is kept.
    package private(set) var failure: DatabaseError?
    @usableFromInline let engine: any TransactionEngine
    /// The isolation of the transaction; `serializable` with SQLite and for closures that only read.
    package let isolation: Isolation
    /// What earlier runs of the closure have shown that it needs, and this transaction has.
    let needs: TransactionNeeds
    /// What the closure must run again with; `nil` if it needs no more.
    var unmetNeeds: TransactionNeeds?
    /// Whether the transaction is a part of another one, in a savepoint.
    @usableFromInline let isNested: Bool
    /// The statements that run before the commit, by their subjects (``checkBeforeCommit(_:_:)``).
    var finalChecks: [String: SQL] = [:]
    /// The changes that the closure makes and that are not enqueued yet; `nil` unless they are gathered.
    package var gathered: (any GatheredChanges)?
    private var isOver = false
    /// Whether the last statement ran (``finish(_:_:then:)``).
    @usableFromInline var isFinished = false
    /// Whether queries are only passed to the engine for prefetching, and return no rows.
    @usableFromInline package private(set) var isPrefetching = false
    /// Whether a closure runs that must not write, because its queries may be sent before it runs.
    @usableFromInline var refusesWrites = false

    init(
        _ engine: any TransactionEngine,
        now: Int64,
        isolation: Isolation = .serializable,
        needs: TransactionNeeds = TransactionNeeds(),
        isNested: Bool = false
    ) {
        self.engine = engine
        self.now = now
        self.isolation = isolation
        self.needs = needs
        self.isNested = isNested
    }

    /// The engine's differences in SQL, for closures that depend on them.
    package var dialect: Dialect { engine.dialect }

    /// The object that the opener of the database made for this connection (`makeContext`); `nil` without one.
    package var context: AnyObject? { engine.context }

    /// Runs a statement.
    ///
    /// - Returns: the number of rows inserted, changed or deleted, without those of triggers and cascades; 0 for a
    ///   query.
    /// - Throws: ``DatabaseError``.
    @discardableResult
    package func execute(_ sql: SQL) throws(DatabaseError) -> Int {
        let cursor = try open(sql)
        defer { cursor.close() }
        while try step(cursor, sql) {}
        return cursor.changes
    }

    /// Enqueues a change whose result is not needed.
    ///
    /// PostgreSQL gets the change with the next statement whose result is awaited; SQLite runs it at once.
    ///
    /// - Throws: ``DatabaseError``. An error of the statement itself may be thrown by a later statement or the commit.
    package func enqueue(_ sql: SQL) throws(DatabaseError) {
        try requireOpen()
        try requireWrites(sql)
        do {
            try engine.queue(sql)
        } catch {
            throw remember(error, sql)
        }
    }

    /// Prefetches queries.
    ///
    /// An engine across a network sends them in one round trip and keeps the results until the same queries are made,
    /// unless a change happens first.
    ///
    /// - Parameter questions: makes the queries on the transaction. Each returns no rows here. A write is refused. With
    ///   SQLite, the closure runs in debug builds only, so that a write in it is found with both engines.
    @usableFromInline
    package func prefetch(_ questions: (Transaction) throws -> Void) throws {
        try requireOpen()
        guard engine.prefetches || Self.isDebugBuild, !isPrefetching else { return }
        isPrefetching = true
        defer { isPrefetching = false }
        try withoutWrites { try questions(self) }
    }

    /// Lets the prefetched result of one query answer another, which returns the same rows.
    ///
    /// For queries that depend on a result of the same round trip: when they are prefetched, they take its values from a
    /// subquery.
    package func answer(_ query: SQL, withPrefetched other: SQL) { engine.answer(query, withPrefetched: other) }

    private static var isDebugBuild: Bool {
        #if DEBUG
            true
        #else
            false
        #endif
    }

    /// Runs a closure, and makes each statement in it that may write fail with `misuse`.
    @inlinable
    func withoutWrites<T>(_ body: () throws -> T) throws -> T {
        let before = refusesWrites
        refusesWrites = true
        defer { refusesWrites = before }
        return try body()
    }

    /// Checks that a statement that may write is allowed now.
    ///
    /// - Throws: `misuse` in a closure that must not write, and this fails the transaction.
    func requireWrites(_ sql: SQL) throws(DatabaseError) {
        guard refusesWrites else { return }
        throw remember(DatabaseError(.misuse, message: "a closure that makes queries in advance may not write"), sql)
    }

    @usableFromInline
    func prefetch(_ sql: SQL) throws(DatabaseError) {
        try requireOpen()
        if !sql.isQuery { try requireWrites(sql) }
        do {
            try engine.prefetch(sql)
        } catch {
            throw remember(error, sql)
        }
    }

    /// Waits for the results of all enqueued changes.
    ///
    /// - Throws: ``DatabaseError``, also of a change that was enqueued earlier.
    package func flush() throws(DatabaseError) {
        try requireOpen()
        do {
            try engine.flush()
        } catch {
            throw remember(error, "flush")
        }
    }

    /// Returns the first row of a result, nil if there is none.
    ///
    /// Use ORDER BY where there may be more rows.
    ///
    /// - Throws: ``DatabaseError``, or what `read` throws.
    @inlinable
    package func first<T>(_ sql: SQL, _ read: (borrowing Row) throws -> T) throws -> T? {
        if isPrefetching {
            try prefetch(sql)
            return nil
        }
        let cursor = try open(sql)
        defer { cursor.close() }
        guard try step(cursor, sql) else { return nil }
        let result = try read(Row(cursor))
        // A change that returns rows is complete only when all rows were read.
        if !cursor.isReadOnly { while try step(cursor, sql) {} }
        return result
    }

    /// Returns all rows of a result.
    ///
    /// - Throws: ``DatabaseError``, or what `read` throws.
    @inlinable
    package func all<T>(_ sql: SQL, _ read: (borrowing Row) throws -> T) throws -> [T] {
        if isPrefetching {
            try prefetch(sql)
            return []
        }
        return try rows(of: try open(sql), sql, read)
    }

    @inlinable
    func rows<T>(
        of cursor: any StatementCursor,
        _ sql: SQL,
        _ read: (borrowing Row) throws -> T
    ) throws -> [T] {
        defer { cursor.close() }
        var results: [T] = []
        while try step(cursor, sql) { results.append(try read(Row(cursor))) }
        return results
    }

    /// Returns all rows that a change returns, and the results of queries that do not depend on it.
    ///
    /// An engine across a network needs one round trip for both.
    ///
    /// - Parameters:
    ///   - change: the change.
    ///   - read: reads a row of its result.
    ///   - questions: makes the queries on the transaction, as of before the change. It may be called twice, first with
    ///     results without rows. A write in it is refused.
    /// - Throws: ``DatabaseError``, or what `read` and `questions` throw.
    @inlinable
    package func all<T, Answers>(
        _ change: SQL,
        _ read: (borrowing Row) throws -> T,
        beside questions: (Transaction) throws -> Answers
    ) throws -> (rows: [T], answers: Answers) {
        guard engine.prefetches, !isPrefetching else {
            let answers = try withoutWrites { try questions(self) }
            return (try all(change, read), answers)
        }
        try prefetch { _ = try questions($0) }
        let rows = try rows(of: try openBesidePrefetched(change), change, read)
        return (rows, try withoutWrites { try questions(self) })
    }

    /// Iterates over the rows of a result while `body` returns true.
    ///
    /// The remaining rows are not read.
    ///
    /// - Throws: ``DatabaseError``, or what `body` throws.
    @inlinable
    package func forEach(_ sql: SQL, _ body: (borrowing Row) throws -> Bool) throws {
        if isPrefetching { return try prefetch(sql) }
        let cursor = try open(sql)
        defer { cursor.close() }
        while try step(cursor, sql), try body(Row(cursor)) {}
    }

    /// Runs a change that may violate a unique constraint, without failing the transaction.
    ///
    /// - Parameters:
    ///   - sql: the change.
    ///   - isExpected: returns whether the violation of a unique constraint was expected.
    /// - Returns: the number of changed rows; `nil` for an expected violation, and then nothing was changed.
    /// - Throws: ``DatabaseError`` for any other failure, which fails the transaction.
    package func attempt(_ sql: SQL, _ isExpected: (DatabaseError) -> Bool) throws(DatabaseError) -> Int? {
        try requireOpen()
        try requireWrites(sql)
        do throws(DatabaseError) {
            return try engine.attempt(sql)
        } catch {
            if error.kind == .constraint(.unique), isExpected(error) { return nil }
            throw remember(error, sql)
        }
    }

    /// Runs a closure in a savepoint, rolls back everything that it did, and returns its result.
    ///
    /// - Throws: what `body` throws; ``DatabaseError`` when a statement in it ended the whole transaction.
    package func dryRun<T>(_ body: (Transaction) throws -> T) throws -> T {
        let dryRun = try nested()
        let result = Result { try body(dryRun) }
        dryRun.end()
        unmetNeeds = unmetNeeds ?? dryRun.unmetNeeds
        do throws(DatabaseError) {
            try engine.rollBackToSavepoint()
        } catch {
            throw remember(dryRun.failure ?? error, "ROLLBACK TO")
        }
        // Conflicts and failures of the machine concern the whole transaction, not just the dry run.
        if let failure = dryRun.failure, !failure.kind.isOfTheSchema { self.failure = failure }
        return try result.get()
    }

    /// Runs a job in a savepoint.
    ///
    /// If the job fails, the transaction is as it was before.
    ///
    /// - Parameters:
    ///   - job: the job, which keeps its outcome.
    ///   - mayBeRolledBackAlone: returns whether an error of the database does not end the whole transaction.
    /// - Throws: the error that ends the whole transaction.
    func run(part job: any Job, rollingBackAlone mayBeRolledBackAlone: (DatabaseError) -> Bool) throws(DatabaseError) {
        let part = try nested()
        part.finalChecks = finalChecks
        var isKept = job.attempt(part)
        if isKept {
            do throws(DatabaseError) {
                try engine.flush()
            } catch {
                job.fail(part.remember(error, "flush"))
                isKept = false
            }
        }
        unmetNeeds = unmetNeeds ?? part.unmetNeeds
        if let failure = part.failure, unmetNeeds != nil || !mayBeRolledBackAlone(failure) {
            self.failure = failure
            throw failure
        }
        do throws(DatabaseError) {
            try isKept ? engine.releaseSavepoint() : engine.rollBackToSavepoint()
        } catch {
            throw remember(error, "SAVEPOINT")
        }
        if isKept { finalChecks = part.finalChecks }
    }

    /// Sets a savepoint, and makes the transaction of a closure that runs in it.
    private func nested() throws(DatabaseError) -> Transaction {
        if let failure { throw failure }
        try requireWrites("SAVEPOINT")
        do throws(DatabaseError) {
            try engine.setSavepoint()
        } catch {
            throw remember(error, "SAVEPOINT")
        }
        return Transaction(engine, now: now, isolation: isolation, needs: needs, isNested: true)
    }

    /// Defers the checks of foreign keys to the end of the transaction: of all keys in SQLite, of those declared
    /// `DEFERRABLE` in PostgreSQL.
    package func deferForeignKeys() throws(DatabaseError) {
        do throws(DatabaseError) {
            try engine.deferForeignKeys()
        } catch {
            throw remember(error, "PRAGMA defer_foreign_keys")
        }
    }

    /// Returns the violation of a deferred constraint that would prevent a commit now; `nil` without one.
    ///
    /// The transaction continues.
    package func unresolvedConstraint() throws(DatabaseError) -> DatabaseError? {
        do throws(DatabaseError) {
            return try engine.unresolvedConstraint()
        } catch {
            throw remember(error, "SET CONSTRAINTS")
        }
    }

    /// Attaches another SQLite file until the end of the transaction, unless one is attached under this name.
    ///
    /// - Throws: ``DatabaseError``: `misuse` in PostgreSQL.
    package func attach(_ path: String, as name: String) throws(DatabaseError) {
        try engine.attach(path, as: name)
    }

    /// Ends the transaction after its closure returned, so that the closure can no longer use the connection.
    func end() {
        isOver = true
    }

    /// Checks that another statement may run.
    ///
    /// - Throws: `misuse` after the end of the transaction's closure; otherwise the error of an earlier failed
    ///   statement.
    func requireOpen() throws(DatabaseError) {
        if isOver || isFinished { throw DatabaseError(.misuse, message: "a transaction was used after its end") }
        if let failure { throw failure }
    }

    @usableFromInline
    func open(_ sql: SQL) throws(DatabaseError) -> any StatementCursor {
        try requireOpen()
        if refusesWrites, !sql.isQuery { try requireWrites(sql) }
        if gathered != nil {
            throw remember(DatabaseError(.misuse, message: "a query would miss gathered changes"), sql)
        }
        do {
            return try engine.open(sql)
        } catch {
            throw remember(error, sql)
        }
    }

    @usableFromInline
    func openBesidePrefetched(_ change: SQL) throws(DatabaseError) -> any StatementCursor {
        try requireOpen()
        do {
            return try engine.openBesidePrefetched(change)
        } catch {
            throw remember(error, change)
        }
    }

    @inlinable
    func step(_ cursor: any StatementCursor, _ sql: SQL) throws(DatabaseError) -> Bool {
        do {
            return try cursor.step()
        } catch {
            throw remember(error, sql)
        }
    }

    @usableFromInline
    func remember(_ error: DatabaseError, _ sql: SQL) -> DatabaseError {
        let error = error.blaming(sql)
        failure = error
        engine.health.record(error)
        return error
    }
}
