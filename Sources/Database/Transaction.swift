/// One unit of work: everything in it happens, or nothing.
///
/// Lives as long as the closure that got it. A statement that fails ends it: every later one fails in the same way, and
/// nothing is kept even if the closure catches the error and returns (as PostgreSQL has it, and so that both engines agree).
/// What must survive a refusal is a returned value, not a thrown error.
package final class Transaction {
    /// The database's clock in milliseconds since 1970, the same throughout the transaction.
    package let now: Int64
    /// The statement that failed first, if any: the engine keeps nothing then.
    private(set) var failure: DatabaseError?
    private let engine: any TransactionEngine
    private var isOver = false
    /// Whether questions are only told to the engine, so that it can ask them together.
    private var isForeseeing = false

    init(_ engine: any TransactionEngine, now: Int64) {
        self.engine = engine
        self.now = now
    }

    /// In what the engine differs from others.
    package var dialect: Dialect { engine.dialect }

    /// Runs a statement.
    ///
    /// - Returns: how many rows it inserted, changed or deleted, those of triggers and cascades not counted.
    /// - Throws: ``DatabaseError``.
    @discardableResult
    package func execute(_ sql: SQL) throws(DatabaseError) -> Int {
        let cursor = try open(sql)
        defer { cursor.close() }
        while try step(cursor, sql) {}
        return cursor.changes
    }

    /// Runs a change whose answer nobody waits for: an engine across a network sends it along with what comes next.
    ///
    /// - Throws: ``DatabaseError``; what the statement itself says may come out of a later one, or of the commit.
    package func perform(_ sql: SQL) throws(DatabaseError) {
        try check()
        do {
            try engine.queue(sql)
        } catch {
            throw remember(error, sql)
        }
    }

    /// Tells what is about to be asked: an engine across a network asks it all in one round trip, and has the answers when the
    /// same questions come, if nothing was changed until then.
    ///
    /// - Parameter questions: asks them of the transaction; each is answered as if there were no rows.
    package func foresee(_ questions: (Transaction) throws -> Void) throws {
        try check()
        guard engine.foresees, !isForeseeing else { return }
        isForeseeing = true
        defer { isForeseeing = false }
        try questions(self)
    }

    private func foresee(_ sql: SQL) throws(DatabaseError) {
        try check()
        do {
            try engine.foresee(sql)
        } catch {
            throw remember(error, sql)
        }
    }

    /// Waits for what the engine says to the changes whose answers nobody waited for.
    ///
    /// - Throws: ``DatabaseError``.
    package func settle() throws(DatabaseError) {
        try check()
        do {
            try engine.settle()
        } catch {
            throw remember(error, "settle")
        }
    }

    /// The first row of an answer, nil if there is none.
    ///
    /// Never answers a second row, so order matters where there may be more.
    ///
    /// - Throws: ``DatabaseError``, or what `read` throws.
    package func first<T>(_ sql: SQL, _ read: (borrowing Row) throws -> T) throws -> T? {
        if isForeseeing {
            try foresee(sql)
            return nil
        }
        let cursor = try open(sql)
        defer { cursor.close() }
        guard try step(cursor, sql) else { return nil }
        let result = try read(Row(cursor))
        // A change that answers rows is only complete when all were taken.
        if !cursor.isReadOnly { while try step(cursor, sql) {} }
        return result
    }

    /// All rows of an answer.
    ///
    /// - Throws: ``DatabaseError``, or what `read` throws.
    package func all<T>(_ sql: SQL, _ read: (borrowing Row) throws -> T) throws -> [T] {
        if isForeseeing {
            try foresee(sql)
            return []
        }
        return try rows(of: try open(sql), sql, read)
    }

    private func rows<T>(
        of cursor: any StatementCursor,
        _ sql: SQL,
        _ read: (borrowing Row) throws -> T
    ) throws -> [T] {
        defer { cursor.close() }
        var results: [T] = []
        while try step(cursor, sql) { results.append(try read(Row(cursor))) }
        return results
    }

    /// All rows that a change answers, and the answers to questions that do not depend on it: in one round trip where the engine
    /// is across a network.
    ///
    /// - Parameters:
    ///   - change: the change.
    ///   - read: reads a row of its answer.
    ///   - questions: asks them of the transaction, as of before the change. It may be called twice, first with answers without
    ///     rows.
    /// - Throws: ``DatabaseError``, or what `read` and `questions` throw.
    package func all<T, Answers>(
        _ change: SQL,
        _ read: (borrowing Row) throws -> T,
        beside questions: (Transaction) throws -> Answers
    ) throws -> (rows: [T], answers: Answers) {
        guard engine.foresees, !isForeseeing else {
            let answers = try questions(self)
            return (try all(change, read), answers)
        }
        try foresee { _ = try questions($0) }
        try check()
        let cursor: any StatementCursor
        do {
            cursor = try engine.openBesideForeseen(change)
        } catch {
            throw remember(error, change)
        }
        let rows = try rows(of: cursor, change, read)
        return (rows, try questions(self))
    }

    /// Walks over the rows of an answer for as long as `body` says true; the rest is never read.
    ///
    /// - Throws: ``DatabaseError``, or what `body` throws.
    package func forEach(_ sql: SQL, _ body: (borrowing Row) throws -> Bool) throws {
        if isForeseeing { return try foresee(sql) }
        let cursor = try open(sql)
        defer { cursor.close() }
        while try step(cursor, sql), try body(Row(cursor)) {}
    }

    /// Runs a change that may break a unique constraint, without harm to the transaction.
    ///
    /// - Parameter isExpected: whether a violation is the one that was reckoned with.
    /// - Returns: how many rows it changed; `nil` for the violation, and then nothing was changed.
    func attempt(_ sql: SQL, _ isExpected: (DatabaseError) -> Bool) throws(DatabaseError) -> Int? {
        try check()
        do throws(DatabaseError) {
            return try engine.attempt(sql)
        } catch {
            if error.kind == .constraint(.unique), isExpected(error) { return nil }
            throw remember(error, sql)
        }
    }

    /// Does something to see what comes of it, and undoes it.
    ///
    /// - Throws: what `body` throws; ``DatabaseError`` when it ended the whole transaction.
    func rehearse<T>(_ body: (Transaction) throws -> T) throws -> T {
        if let failure { throw failure }
        do throws(DatabaseError) {
            try engine.beginRehearsal()
        } catch {
            throw remember(error, "SAVEPOINT")
        }
        let rehearsal = Transaction(engine, now: now)
        let result = Result { try body(rehearsal) }
        rehearsal.end()
        do throws(DatabaseError) {
            try engine.endRehearsal()
        } catch {
            throw remember(rehearsal.failure ?? error, "ROLLBACK TO")
        }
        // Others in the way, or a machine that fails, are nothing that was rehearsed.
        if let failure = rehearsal.failure, !failure.kind.isOfTheSchema { self.failure = failure }
        return try result.get()
    }

    /// What is known of the operator's tables.
    var assets: AssetCache { engine.assets }

    /// Lets foreign keys be broken until the transaction's end; those that forbid at once wait too.
    func deferForeignKeys() throws(DatabaseError) {
        do throws(DatabaseError) {
            try engine.deferForeignKeys()
        } catch {
            throw remember(error, "PRAGMA defer_foreign_keys")
        }
    }

    /// What is wrong where the transaction breaks a rule that was deferred, so that it could not be committed as it stands.
    func unresolvedConstraint() throws(DatabaseError) -> DatabaseError? {
        do throws(DatabaseError) {
            return try engine.unresolvedConstraint()
        } catch {
            throw remember(error, "SET CONSTRAINTS")
        }
    }

    /// Opens another file beside the database, until the transaction's end.
    func attach(_ path: String, as name: String) throws(DatabaseError) {
        try engine.attach(path, as: name)
    }

    /// Whoever started the transaction ends it: its closure returned, and must not reach the connection any more.
    func end() {
        isOver = true
    }

    /// - Throws: why no statement may run any more.
    private func check() throws(DatabaseError) {
        if isOver { throw DatabaseError(.misuse, message: "a transaction was used after its closure ended") }
        if let failure { throw failure }
    }

    private func open(_ sql: SQL) throws(DatabaseError) -> any StatementCursor {
        try check()
        do {
            return try engine.open(sql)
        } catch {
            throw remember(error, sql)
        }
    }

    private func step(_ cursor: any StatementCursor, _ sql: SQL) throws(DatabaseError) -> Bool {
        do {
            return try cursor.step()
        } catch {
            throw remember(error, sql)
        }
    }

    private func remember(_ error: DatabaseError, _ sql: SQL) -> DatabaseError {
        let error = error.blaming(sql)
        failure = error
        engine.health.note(error)
        return error
    }
}

/// What a transaction needs of an engine's connection.
protocol TransactionEngine: AnyObject {
    var dialect: Dialect { get }
    /// What is known of the operator's tables.
    var assets: AssetCache { get }
    var health: DatabaseHealth { get }
    /// What is wrong where the transaction breaks a rule that was deferred.
    func unresolvedConstraint() throws(DatabaseError) -> DatabaseError?
    /// Makes a statement ready to run, its values bound.
    func open(_ sql: SQL) throws(DatabaseError) -> any StatementCursor
    /// Runs a change, at the latest before the next statement that somebody waits for.
    func queue(_ sql: SQL) throws(DatabaseError)
    /// Waits for what there is to be said to the changes that were queued.
    func settle() throws(DatabaseError)
    /// Whether it gains anything from knowing questions beforehand.
    var foresees: Bool { get }
    /// Asks what will be asked.
    func foresee(_ sql: SQL) throws(DatabaseError)
    /// Runs a change together with the questions that were foreseen, whose answers stay as of before the change.
    func openBesideForeseen(_ change: SQL) throws(DatabaseError) -> any StatementCursor
    /// Runs a change; when it breaks a constraint, the transaction is as it was before.
    ///
    /// - Returns: how many rows it changed.
    func attempt(_ sql: SQL) throws(DatabaseError) -> Int
    func deferForeignKeys() throws(DatabaseError)
    func attach(_ path: String, as name: String) throws(DatabaseError)
    /// Marks a place in the transaction to come back to.
    func beginRehearsal() throws(DatabaseError)
    /// Goes back to that place.
    ///
    /// - Throws: when the transaction was ended in the meantime.
    func endRehearsal() throws(DatabaseError)
}

extension TransactionEngine {
    // Where the data is local a question costs as much whenever it is asked, and a change is done when it is told.
    var foresees: Bool { false }
    func foresee(_ sql: SQL) throws(DatabaseError) {}
    func openBesideForeseen(_ change: SQL) throws(DatabaseError) -> any StatementCursor { try open(change) }
    func settle() throws(DatabaseError) {}
}

/// A statement that runs.
protocol StatementCursor: RowSource {
    /// Goes to the next row.
    ///
    /// - Returns: whether there is one.
    func step() throws(DatabaseError) -> Bool
    /// Whether it only reads.
    var isReadOnly: Bool { get }
    /// How many rows it changed, known once all its rows were taken.
    var changes: Int { get }
    /// Gives it back: no longer running, no value bound. Called exactly once.
    func close()
}
