/// A file as the target of a copy: made under another name beside it, which it loses only when it is complete.
final class SQLiteCopyTarget: CopyTarget {
    private let path: String
    private let replaces: Bool
    private var file: FileSystem.TakenFile?
    private var open: (connection: SQLiteConnection, transaction: Transaction)?

    /// How each row is put into the table that is being filled, but for its values.
    private var insert: SQL = ""

    /// Where the file is while it is not complete.
    private var partial: String { path + ".copying" }

    init(path: String, replaces: Bool) {
        // Else the link would be replaced, and the file go on elsewhere.
        self.path = FileSystem.resolved(path)
        self.replaces = replaces
    }

    func prepare(_ migrations: [Migration], source: DatabaseSnapshot) throws {
        if case .sqlite(let connection) = source.connection, FileSystem.isSame(path, connection.path) {
            throw DatabaseError(.misuse, message: "source and target are one database")
        }
        if FileSystem.exists(path) { try checkExisting() }
        try requireClosed()
        // What a copy left that was killed is taken over.
        file = try FileSystem.TakenFile(partial)
        let connection = try SQLiteConnection(path: partial, busyTimeout: 0, cacheLimit: 8)
        open = (connection, Transaction(connection, now: SQLiteConfiguration.machineClock()))
        // Durable by one fsync at the end: until then the file has another name.
        try connection.runScript(
            "PRAGMA journal_mode = MEMORY; PRAGMA synchronous = OFF; PRAGMA cache_size = -262144;"
        )
        try MigrationRunner(connection, migrations, clock: SQLiteConfiguration.machineClock).run()
        // What refers to what is looked at once, at the end.
        try connection.runScript("PRAGMA foreign_keys = OFF")
    }

    func begin(_ table: CopiedTable) throws {
        try opened().connection.run(.begin)
        insert = "INSERT INTO \(identifier: table.name) (\(table.columnList)) VALUES ("
    }

    func put(_ lines: RowLines) throws {
        let (transaction, insert) = (try opened().transaction, insert)
        // Columns of integers make integers of what looks like some, and hold nothing else.
        try RowText.parse(lines.bytes) { values in
            try transaction.perform(insert + .joined(values, by: ", ") { "\($0)" } + ")")
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
        if let broken { throw DatabaseError.damagedSource("rows of \(broken) refer to what is not there") }
        transaction.end()
        connection.close()
        open = nil
        try FileSystem.synchronize(partial)
        // A server may have been started on what is there.
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

    /// A file that may be replaced is one of ours, with nothing in it that is not.
    private func checkExisting() throws {
        guard replaces else { throw DatabaseError.occupied("\(path) exists; --force replaces it") }
        let connection = try SQLiteConnection(path: path, busyTimeout: 1_000, cacheLimit: 8)
        defer { connection.close() }
        guard try connection.value("PRAGMA application_id") == String(SQLiteConnection.applicationID) else {
            throw DatabaseError.occupied("\(path) is no database of Latchkey's")
        }
        let transaction = Transaction(connection, now: 0)
        defer { transaction.end() }
        let tables = try transaction.operatorsTables()
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
