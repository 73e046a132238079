/// A SQLite file as the target of a copy.
///
/// The file has a temporary name next to the final one until it is complete.
final class SQLiteCopyTarget: CopyTarget {
    private let path: String
    private let replaces: Bool
    private let obstacles: (Transaction) throws -> [String]
    private var file: FileSystem.TakenFile?
    private var open: (connection: SQLiteConnection, transaction: Transaction)?

    /// The beginning of the INSERT statement for the current table, up to its values.
    private var insert: SQL = ""

    /// The temporary name of the incomplete file.
    private var partial: String { path + ".copying" }

    /// Creates a target without touching any file; ``prepare(_:source:)`` creates the temporary one.
    ///
    /// - Parameters:
    ///   - path: the final path of the file.
    ///   - replaces: whether an existing Latchkey database may be replaced.
    ///   - obstacles: returns the names of tables in the existing database that must not be replaced.
    init(path: String, replaces: Bool, obstacles: @escaping (Transaction) throws -> [String]) {
        // Otherwise a symbolic link would be replaced instead of the file it refers to.
        self.path = FileSystem.resolved(path)
        self.replaces = replaces
        self.obstacles = obstacles
    }

    func prepare(_ migrations: [Migration], source: DatabaseSnapshot) throws {
        if case .sqlite(let connection) = source.connection, FileSystem.isSame(path, connection.path) {
            throw DatabaseError(.misuse, message: "source and target are the same database")
        }
        if FileSystem.exists(path) { try checkExisting() }
        try requireClosed()
        // A file left by a copy that was killed is reused.
        file = try FileSystem.TakenFile(partial)
        let connection = try SQLiteConnection(path: partial, busyTimeout: 0, cacheLimit: 8)
        open = (connection, Transaction(connection, now: SQLiteConfiguration.machineClock()))
        // One fsync at the end makes the copy durable. Until then the file has a temporary name.
        try connection.runScript(
            "PRAGMA journal_mode = MEMORY; PRAGMA synchronous = OFF; PRAGMA cache_size = -262144;"
        )
        try MigrationRunner(connection, migrations, clock: SQLiteConfiguration.machineClock).run()
        // Foreign keys are checked once, at the end.
        try connection.runScript("PRAGMA foreign_keys = OFF")
    }

    func begin(_ table: CopiedTable) throws {
        try opened().connection.run(.begin)
        insert = "INSERT INTO \(identifier: table.name) (\(table.columnList)) VALUES ("
    }

    func put(_ lines: RowLines) throws {
        let (transaction, insert) = (try opened().transaction, insert)
        // Integer columns convert text to integers, and contain nothing else.
        try RowText.parse(lines.bytes) { values in
            try transaction.enqueue(insert + .joined(values, by: ", ") { "\($0)" } + ")")
        }
    }

    func end(_ table: CopiedTable) throws {
        try opened().connection.run(.commit)
    }

    func read(_ table: CopiedTable, _ take: (RowLines) throws -> Void) throws {
        let (connection, transaction) = try opened()
        try TableReader(connection: .sqlite(connection), transaction: transaction).read(table, take)
    }

    func commit() throws {
        let (connection, transaction) = try opened()
        let broken = try transaction.first("SELECT DISTINCT \"table\" FROM pragma_foreign_key_check") { try $0.text(0) }
        if let broken { throw DatabaseError.damagedSource("rows of \(broken) have dangling references") }
        transaction.end()
        connection.close()
        open = nil
        try FileSystem.synchronize(partial)
        // A server may have been started on the existing file.
        try requireClosed()
        try FileSystem.rename(partial, to: path, replacing: replaces)
        file = nil
    }

    func abandon() {
        open?.transaction.end()
        open?.connection.close()
        open = nil
        guard file != nil else { return }
        for suffix in ["", "-journal", "-wal", "-shm"] { FileSystem.remove(partial + suffix) }
        file = nil
    }

    /// Checks that the existing file may be replaced: it is a Latchkey database without tables that must not be
    /// replaced.
    ///
    /// - Throws: `misuse` otherwise.
    private func checkExisting() throws {
        guard replaces else { throw DatabaseError.occupied("\(path) exists; --force replaces it") }
        let connection = try SQLiteConnection(path: path, busyTimeout: 1_000, cacheLimit: 8)
        defer { connection.close() }
        guard try connection.value("PRAGMA application_id") == String(SQLiteConnection.applicationID) else {
            throw DatabaseError.occupied("\(path) is not a database of Latchkey's")
        }
        let transaction = Transaction(connection, now: 0)
        defer { transaction.end() }
        let tables = try obstacles(transaction)
        guard tables.isEmpty else { throw DatabaseError.occupied(by: tables) }
    }

    private func requireClosed() throws {
        for suffix in ["-wal", "-journal"] where FileSystem.exists(path + suffix) {
            throw DatabaseError.occupied("\(path + suffix) exists: a database is in use there, or was not closed")
        }
    }

    private func opened() throws -> (connection: SQLiteConnection, transaction: Transaction) {
        guard let open else { throw DatabaseError(.misuse, message: "the target was not prepared") }
        return open
    }
}
