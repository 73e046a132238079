internal import CSQLite

/// One connection.
///
/// Used by one thread at a time; whoever owns it closes it.
@safe final class SQLiteConnection: TransactionEngine, @unchecked Sendable {
    // Unchecked: opened with SQLITE_OPEN_NOMUTEX ("separate threads … as long as each is using a different database
    // connection"); its owner (a thread, or the pool that lends it) never lets two threads in.

    /// The statements around closures, prepared once.
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
    private let handle: OpaquePointer
    private var isOpen = true
    private var cache: StatementCache
    private var controls = [SQLiteStatement?](repeating: nil, count: Control.allCases.count)
    private let onStatement: (@Sendable (String) throws(DatabaseError) -> Void)?
    let assets: AssetCache
    let health: DatabaseHealth
    /// The files that are attached until the transaction's end.
    private var attached: [String] = []
    /// How long to wait for the locks of others, in milliseconds.
    private let busyTimeout: Int
    /// The same while other files are attached: everybody's writes wait behind a merge that waits for a stranger's lock.
    private static let attachedBusyTimeout = 200

    /// Opens a file that is there.
    ///
    /// - Parameters:
    ///   - path: the file.
    ///   - busyTimeout: how long to wait for the locks of others, in milliseconds.
    ///   - cacheLimit: how many prepared statements are kept.
    ///   - assets: what the operator declared about their tables.
    ///   - health: takes note of damage.
    ///   - onStatement: told of each statement that a closure is about to run; what it throws the statement fails with.
    /// - Throws: `io`, `readOnly` or `corrupt` when it cannot be opened.
    init(
        path: String,
        busyTimeout: Int,
        cacheLimit: Int,
        assets: AssetSettings = AssetSettings(),
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
        self.assets = AssetCache(assets)
        self.health = health
        self.onStatement = onStatement
        self.busyTimeout = busyTimeout
        unsafe sqlite3_busy_timeout(handle, Int32(clamping: busyTimeout))
        // A misspelt column in double quotes is an error, not a string. Nobody edits the schema's own table.
        for (option, on) in [
            (SQLITE_DBCONFIG_DQS_DML, 0), (SQLITE_DBCONFIG_DQS_DDL, 0), (SQLITE_DBCONFIG_DEFENSIVE, 1),
        ] {
            unsafe latchkey_sqlite3_db_config(handle, Int32(option), Int32(on))
        }
        unsafe sqlite3_limit(handle, SQLITE_LIMIT_ATTACHED, Int32(clamping: assets.attached.count))
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
        // Never fails: a statement that is still open makes it wait for that one instead.
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

    /// Runs one of the statements around closures.
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

    /// Runs several statements, ending at `;`.
    ///
    /// SQLite itself finds where each ends, so triggers are no matter.
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

    /// Runs one statement and answers the first column of its first row as text, nil if there is no row.
    func value(_ statement: StaticString) throws(DatabaseError) -> String? {
        let statement = try prepare(statement.withUTF8Buffer { unsafe Array($0) })
        defer { statement.close() }
        guard try statement.step() else { return nil }
        do { return try statement.text(0) } catch { return try statement.integer(0).map(String.init) }
    }

    // MARK: State

    /// Whether a transaction is open.
    ///
    /// A statement that fails, or a trigger, may have ended it.
    var isInTransaction: Bool { unsafe isOpen && sqlite3_get_autocommit(handle) == 0 }

    /// Whether the transaction breaks a deferred foreign key, so that it could not be committed as it is.
    var hasUnresolvedForeignKeys: Bool {
        var current: Int32 = 0
        var highest: Int32 = 0
        let code = unsafe sqlite3_db_status(handle, SQLITE_DBSTATUS_DEFERRED_FKS, &current, &highest, 0)
        return code == SQLITE_OK && current != 0
    }

    func unresolvedConstraint() -> DatabaseError? {
        guard hasUnresolvedForeignKeys else { return nil }
        return DatabaseError(.constraint(.foreignKey), message: "a foreign key is left unsatisfied")
    }

    /// Rolls back, if a transaction is still open.
    func rollback() {
        // "If the transaction has already been rolled back automatically … the ROLLBACK command will fail with an error
        // but no harm is caused".
        if isInTransaction { try? run(.rollback) }
        detachAll()
    }

    /// Commits; the files that were attached go.
    func commit() throws(DatabaseError) {
        try run(.commit)
        detachAll()
    }

    // MARK: Foreign keys, attached files, rehearsals

    func deferForeignKeys() throws(DatabaseError) {
        // "The defer_foreign_keys pragma is automatically switched off at each COMMIT or ROLLBACK."
        try runScript("PRAGMA defer_foreign_keys = ON")
    }

    func attach(_ path: String, as name: String) throws(DatabaseError) {
        guard !attached.contains(name) else { return }
        let statement = try prepare(Array("ATTACH DATABASE ?1 AS ?2".utf8))
        try statement.start([.text(path), .text(name)])
        defer { statement.close() }
        while try statement.step() {}
        attached.append(name)
        unsafe sqlite3_busy_timeout(handle, Int32(clamping: min(busyTimeout, Self.attachedBusyTimeout)))
    }

    func beginRehearsal() throws(DatabaseError) {
        try run(.savepoint)
    }

    func endRehearsal() throws(DatabaseError) {
        guard isInTransaction else { throw DatabaseError(.internal, message: "a statement ended the transaction") }
        try run(.rollbackToSavepoint)
        try run(.release)
    }

    /// Lets the attached files go: only outside a transaction can it be done.
    private func detachAll() {
        guard !attached.isEmpty else { return }
        // Statements that read an attached file refer to it until they are finalised.
        cache.removeAll()
        for name in attached {
            guard let statement = try? prepare(Array("DETACH DATABASE ?1".utf8)) else { continue }
            try? statement.start([.text(name)])
            while (try? statement.step()) == true {}
            statement.close()
        }
        unsafe sqlite3_busy_timeout(handle, Int32(clamping: busyTimeout))
        attached = []
    }

    /// The statements that were prepared and not finalised.
    var openStatements: [String] { unsafe statements { _ in true } }

    /// The statements that were stepped and not reset: each would hold a lock or an old snapshot.
    var busyStatements: [String] { unsafe statements { (unsafe sqlite3_stmt_busy($0)) != 0 } }

    /// How many statements are cached.
    var cachedStatements: Int { cache.count }

    /// Lends the handle to the parts of SQLite that work on whole connections (backup, checkpoints).
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

    // MARK: Preparing

    private func prepared(_ sql: SQL) throws(DatabaseError) -> SQLiteStatement {
        if let statement = cache.statement(sql.text) { return statement }
        let text = try dialect.render(sql)
        let statement = try prepare(text)
        if sql.steersConnection { throw .steering }
        cache.insert(statement, text: sql.text)
        return statement
    }

    private func prepare(_ text: [UInt8]) throws(DatabaseError) -> SQLiteStatement {
        let (statement, tail) = try prepareFirst(text)
        guard let statement, tail.allSatisfy({ $0 <= 0x20 || $0 == UInt8(ascii: ";") }) else {
            throw DatabaseError(.misuse, message: "not exactly one statement")
        }
        return statement
    }

    /// - Returns: the first statement (nil where there are only spaces and comments) and the text after it.
    private func prepareFirst(_ text: [UInt8]) throws(DatabaseError) -> (statement: SQLiteStatement?, tail: [UInt8]) {
        var prepared: OpaquePointer?
        var consumed = text.count
        let code = unsafe text.withUnsafeBytes { bytes -> Int32 in
            guard let start = unsafe bytes.baseAddress?.assumingMemoryBound(to: CChar.self) else { return SQLITE_OK }
            var tail: UnsafePointer<CChar>?
            let code = unsafe sqlite3_prepare_v3(
                handle,
                start,
                Int32(clamping: bytes.count),
                UInt32(SQLITE_PREPARE_PERSISTENT),
                &prepared,
                &tail
            )
            if let tail = unsafe tail { consumed = unsafe start.distance(to: tail) }
            return code
        }
        guard code == SQLITE_OK else { throw unsafe .sqlite(handle, code: code) }
        let statement = unsafe prepared.map { unsafe SQLiteStatement(owning: $0) }
        return (statement, Array(text[consumed...]))
    }

    /// Once per process, before SQLite's first use: its memory statistics cost a global lock at each allocation.
    private static let isLibraryReady: Bool = {
        latchkey_sqlite3_config_memstatus(0)
        return sqlite3_initialize() == SQLITE_OK
    }()
}
