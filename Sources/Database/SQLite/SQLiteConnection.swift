internal import CSQLite

/// One SQLite connection.
///
/// A connection is used by one thread at a time, and its owner must close it.
@safe final class SQLiteConnection: TransactionEngine, @unchecked Sendable {
    // Unchecked: opened with SQLITE_OPEN_NOMUTEX ("separate threads … as long as each is using a different database
    // connection"). Its owner, a thread or the pool that lends it, never lets two threads use it.

    /// The transaction control statements, prepared once.
    enum Control: Int, CaseIterable {
        case beginImmediate, begin, commit, rollback, savepoint, release, rollbackToSavepoint

        fileprivate var text: StaticString {
            switch self {
            case .beginImmediate: "BEGIN IMMEDIATE"
            case .begin: "BEGIN"
            case .commit: "COMMIT"
            case .rollback: "ROLLBACK"
            case .savepoint: "SAVEPOINT closure"
            case .release: "RELEASE closure"
            case .rollbackToSavepoint: "ROLLBACK TO closure"
            }
        }
    }

    let dialect = Dialect.sqlite
    let path: String
    /// SQLite's handle, valid until ``close()``; used in the files of this type only.
    let handle: OpaquePointer
    private var isOpen = true
    var cache: StatementCache
    private var controls = [SQLiteStatement?](repeating: nil, count: Control.allCases.count)
    private let onStatement: (@Sendable (String) throws(DatabaseError) -> Void)?
    let context: AnyObject?
    let health: DatabaseHealth
    /// The names of the files attached until the end of the transaction.
    var attached: [String] = []
    /// How long to wait for locks of other connections, in milliseconds.
    let busyTimeout: Int

    /// Opens an existing file.
    ///
    /// - Parameters:
    ///   - path: the file.
    ///   - busyTimeout: how long to wait for locks of other connections, in milliseconds.
    ///   - cacheLimit: the number of prepared statements to keep.
    ///   - attachedFiles: the maximum number of files that a transaction attaches.
    ///   - context: the ``Transaction/context`` of all transactions on the connection.
    ///   - health: records errors that report damaged data.
    ///   - onStatement: receives each statement before a closure runs it. If it throws, the statement fails with that
    ///     error.
    /// - Throws: `io`, `readOnly` or `corrupt` when the file cannot be opened.
    init(
        path: String,
        busyTimeout: Int,
        cacheLimit: Int,
        attachedFiles: Int = 0,
        context: AnyObject? = nil,
        health: DatabaseHealth = DatabaseHealth(),
        onStatement: (@Sendable (String) throws(DatabaseError) -> Void)? = nil
    ) throws(DatabaseError) {
        guard Self.isLibraryReady else { throw DatabaseError(.internal, message: "SQLite could not be initialised") }
        var opened: OpaquePointer?
        let flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE
        let code = unsafe sqlite3_open_v2(path, &opened, flags, nil)
        guard code == SQLITE_OK, let opened = unsafe opened else {
            let error = DatabaseError.sqlite(opened, code: code)
            // "Whether or not an error occurs when it is opened, resources … should be released".
            unsafe sqlite3_close_v2(opened)
            throw error
        }
        unsafe handle = opened
        self.path = path
        cache = StatementCache(limit: cacheLimit)
        self.context = context
        self.health = health
        self.onStatement = onStatement
        self.busyTimeout = busyTimeout
        unsafe sqlite3_busy_timeout(handle, Int32(clamping: busyTimeout))
        // A misspelt column in double quotes is an error, not a string. The schema table cannot be edited.
        for (option, on) in [
            (SQLITE_DBCONFIG_DQS_DML, 0), (SQLITE_DBCONFIG_DQS_DDL, 0), (SQLITE_DBCONFIG_DEFENSIVE, 1),
        ] {
            unsafe latchkey_sqlite3_db_config(handle, Int32(option), Int32(on))
        }
        unsafe sqlite3_limit(handle, SQLITE_LIMIT_ATTACHED, Int32(clamping: attachedFiles))
    }

    deinit {
        if isOpen { close() }
    }

    /// Finalises the statements and closes the handle.
    ///
    /// Calling it again does nothing.
    func close() {
        guard isOpen else { return }
        isOpen = false
        cache.removeAll()
        controls = []
        assert(openStatements.isEmpty, "statements left open: \(openStatements)")
        // Never fails: SQLite defers closing until the last open statement is finalised.
        unsafe sqlite3_close_v2(handle)
    }

    // MARK: Statements

    func open(_ sql: SQL) throws(DatabaseError) -> any StatementCursor {
        if let onStatement { try onStatement(String(decoding: try dialect.render(sql), as: UTF8.self)) }
        let statement = try prepared(sql)
        try statement.start(sql.values)
        return statement
    }

    func queue(_ sql: SQL) throws(DatabaseError) {
        _ = try attempt(sql)
    }

    func attempt(_ sql: SQL) throws(DatabaseError) -> Int {
        let cursor = try open(sql)
        defer { cursor.close() }
        while try cursor.step() {}
        return cursor.changes
    }

    /// Runs a transaction control statement.
    func run(_ control: Control) throws(DatabaseError) {
        let statement: SQLiteStatement
        if let known = controls[control.rawValue] {
            statement = known
        } else {
            statement = try prepare(control.text.withUTF8Buffer { unsafe Array($0) })
            controls[control.rawValue] = statement
        }
        defer { statement.close() }
        while try statement.step() {}
    }

    /// Runs several statements separated by `;`.
    ///
    /// SQLite itself finds the end of each statement, so triggers need no special care.
    func runScript(_ script: String) throws(DatabaseError) {
        var rest = Array(script.utf8)
        while true {
            let (statement, tail) = try prepareFirst(rest)
            if let statement {
                defer { statement.close() }
                while try statement.step() {}
            }
            if tail.isEmpty { return }
            rest = tail
        }
    }

    /// Runs one statement and returns the first column of its first row as text; `nil` if there is no row or the value
    /// is NULL.
    func value(_ statement: StaticString) throws(DatabaseError) -> String? {
        let statement = try prepare(statement.withUTF8Buffer { unsafe Array($0) })
        defer { statement.close() }
        guard try statement.step() else { return nil }
        do { return try statement.text(0) } catch { return try statement.integer(0).map(String.init) }
    }

    // MARK: State

    /// Whether a transaction is open.
    ///
    /// A failed statement or a trigger may have ended it.
    var isInTransaction: Bool { unsafe isOpen && sqlite3_get_autocommit(handle) == 0 }

    /// Whether a deferred foreign key is violated, so that the transaction could not be committed now.
    var hasUnresolvedForeignKeys: Bool {
        var current: Int32 = 0
        var highest: Int32 = 0
        let code = unsafe sqlite3_db_status(handle, SQLITE_DBSTATUS_DEFERRED_FKS, &current, &highest, 0)
        return code == SQLITE_OK && current != 0
    }

    /// The number of rows that statements of this connection have inserted, updated or deleted so far.
    var totalChanges: Int64 { unsafe sqlite3_total_changes64(handle) }

    func unresolvedConstraint() -> DatabaseError? {
        guard hasUnresolvedForeignKeys else { return nil }
        return DatabaseError(.constraint(.foreignKey), message: "a foreign key is left unsatisfied")
    }

    /// Rolls back if a transaction is still open, and detaches the attached files.
    func rollback() {
        // "If the transaction has already been rolled back automatically … the ROLLBACK command will fail with an error
        // but no harm is caused".
        if isInTransaction { try? run(.rollback) }
        detachAll()
    }

    /// Commits durably, and detaches the attached files.
    func commit() throws(DatabaseError) {
        try run(.commit)
        detachAll()
    }

    // MARK: Foreign keys and dry runs

    func deferForeignKeys() throws(DatabaseError) {
        // "The defer_foreign_keys pragma is automatically switched off at each COMMIT or ROLLBACK."
        try runScript("PRAGMA defer_foreign_keys = ON")
    }

    func setSavepoint() throws(DatabaseError) {
        try run(.savepoint)
    }

    func rollBackToSavepoint() throws(DatabaseError) {
        guard isInTransaction else { throw DatabaseError(.internal, message: "a statement ended the transaction") }
        try run(.rollbackToSavepoint)
        try run(.release)
    }

    func releaseSavepoint() throws(DatabaseError) {
        guard isInTransaction else { throw DatabaseError(.internal, message: "a statement ended the transaction") }
        try run(.release)
    }

    /// The texts of the statements that are prepared and not finalised.
    var openStatements: [String] { unsafe statements { _ in true } }

    /// The texts of the statements that were stepped and not reset.
    ///
    /// Each would hold a lock or an old snapshot.
    var busyStatements: [String] { unsafe statements { (unsafe sqlite3_stmt_busy($0)) != 0 } }

    /// The number of cached statements.
    var cachedStatements: Int { cache.count }

    /// Passes SQLite's handle to a closure, for functions that work on whole connections (backup, checkpoints).
    @unsafe func withHandle<Result>(_ body: (OpaquePointer) throws(DatabaseError) -> Result) throws(DatabaseError)
        -> Result
    {
        try unsafe body(handle)
    }

    private func statements(where isWanted: (OpaquePointer) -> Bool) -> [String] {
        var found: [String] = []
        var next = unsafe sqlite3_next_stmt(handle, nil)
        while let statement = unsafe next {
            if unsafe isWanted(statement), let text = unsafe sqlite3_sql(statement) {
                found.append(unsafe String(cString: text))
            }
            unsafe next = sqlite3_next_stmt(handle, statement)
        }
        return found
    }

    /// Whether SQLite was initialised, which happens once per process, before its first use.
    ///
    /// SQLite's memory statistics are switched off, because they would take a global lock at each allocation.
    private static let isLibraryReady: Bool = {
        latchkey_sqlite3_config_memstatus(0)
        return sqlite3_initialize() == SQLITE_OK
    }()
}
