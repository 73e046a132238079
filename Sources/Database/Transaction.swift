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

    /// The first row of an answer, nil if there is none.
    ///
    /// Never answers a second row, so order matters where there may be more.
    ///
    /// - Throws: ``DatabaseError``, or what `read` throws.
    package func first<T>(_ sql: SQL, _ read: (borrowing Row) throws -> T) throws -> T? {
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
        let cursor = try open(sql)
        defer { cursor.close() }
        var results: [T] = []
        while try step(cursor, sql) { results.append(try read(Row(cursor))) }
        return results
    }

    /// Walks over the rows of an answer for as long as `body` says true; the rest is never read.
    ///
    /// - Throws: ``DatabaseError``, or what `body` throws.
    package func forEach(_ sql: SQL, _ body: (borrowing Row) throws -> Bool) throws {
        let cursor = try open(sql)
        defer { cursor.close() }
        while try step(cursor, sql), try body(Row(cursor)) {}
    }

    /// Whoever started the transaction ends it: its closure returned, and must not reach the connection any more.
    func end() {
        isOver = true
    }

    private func open(_ sql: SQL) throws(DatabaseError) -> any StatementCursor {
        if isOver { throw DatabaseError(.misuse, message: "a transaction was used after its closure ended") }
        if let failure { throw failure }
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
        return error
    }
}

/// What a transaction needs of an engine's connection.
protocol TransactionEngine: AnyObject {
    var dialect: Dialect { get }
    /// Makes a statement ready to run, its values bound.
    func open(_ sql: SQL) throws(DatabaseError) -> any StatementCursor
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
