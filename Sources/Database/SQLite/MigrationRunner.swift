/// Migrates the schema: a new file in one transaction, an existing one in a transaction for each step.
///
/// Several processes may migrate the same file at once; each step is applied once.
struct MigrationRunner {
    private let connection: SQLiteConnection
    private let migrations: [Migration]
    private let latestSchema: String?
    private let clock: () -> Int64
    private var history: MigrationHistory { MigrationHistory(migrations) }

    /// Creates a runner.
    ///
    /// - Parameters:
    ///   - connection: the connection that migrates.
    ///   - migrations: the whole schema in steps, numbered from 1.
    ///   - latestSchema: what all steps together make, as one script for a new file; `nil` to run the steps there, too.
    ///   - clock: returns the time in milliseconds since 1970.
    init(
        _ connection: SQLiteConnection,
        _ migrations: [Migration],
        latestSchema: String? = nil,
        clock: @escaping () -> Int64
    ) {
        self.connection = connection
        self.migrations = migrations
        self.latestSchema = latestSchema
        self.clock = clock
    }

    /// Applies all steps that the database lacks.
    ///
    /// - Throws: `schema` when the database is of another program, newer, or made by other steps; errors of the steps'
    ///   statements.
    func run() throws(DatabaseError) {
        try history.checkNumbers()
        // Usually there is nothing to do, and no lock is needed.
        if try inTransaction(.begin, { () throws(DatabaseError) in try applied() }) == migrations.count { return }
        // "Foreign key constraints … cannot be enabled or disabled within a transaction". They are off so that a step
        // may rebuild a table without deleting the rows that refer to it. Each step is checked as a whole instead.
        try connection.runScript("PRAGMA foreign_keys = OFF")
        defer { try? connection.runScript("PRAGMA foreign_keys = ON") }
        while try inTransaction(.beginImmediate, { () throws(DatabaseError) in try applySteps() }) {}
    }

    /// Applies the next step that the database lacks, or makes the whole schema in an empty file, in the open transaction.
    ///
    /// An existing database keeps the steps before one that fails. An empty one has nothing to keep, and one commit takes
    /// far less time than one for each step.
    ///
    /// - Returns: whether there may be another step to apply.
    private func applySteps() throws(DatabaseError) -> Bool {
        guard try applied() == 0 else { return try applyNext() }
        if let latestSchema {
            try make(latestSchema)
        } else {
            while try applyNext() {}
        }
        return false
    }

    /// Makes the latest schema in an empty file, in the open transaction, and records all steps as applied.
    ///
    /// SQLite reads the whole schema again after each ALTER TABLE, so the steps themselves take several times as long.
    private func make(_ latestSchema: String) throws(DatabaseError) {
        try markAsOurs()
        try connection.runScript(latestSchema)
        for migration in migrations { try record(migration) }
    }

    /// Applies the next step that the database lacks, in the open transaction.
    ///
    /// - Returns: whether there was a step to apply.
    private func applyNext() throws(DatabaseError) -> Bool {
        let done = try applied()
        guard done < migrations.count else { return false }
        let migration = migrations[done]
        do throws(DatabaseError) {
            if done == 0 { try markAsOurs() }
            try connection.runScript(connection.dialect.expand(migration.sql))
            guard connection.isInTransaction else {
                throw DatabaseError(.misuse, message: "it controls transactions itself")
            }
            if let table = try connection.value("PRAGMA foreign_key_check") {
                throw DatabaseError(.constraint(.foreignKey), message: "it leaves dangling references in \(table)")
            }
            try record(migration)
        } catch {
            let message = "migration \(migration.number) (\(migration.name)): \(error.message)"
            throw DatabaseError(error.kind, code: error.code, message: message, statement: error.statement)
        }
        return true
    }

    private func markAsOurs() throws(DatabaseError) {
        try connection.runScript(
            """
            PRAGMA application_id = \(SQLiteConnection.applicationID);
            CREATE TABLE schema_migrations (
                number INTEGER PRIMARY KEY,
                name TEXT NOT NULL,
                checksum TEXT NOT NULL,
                applied_at INTEGER NOT NULL
            ) STRICT;
            """
        )
    }

    private func record(_ migration: Migration) throws(DatabaseError) {
        try MigrationHistory.record(migration, in: Transaction(connection, now: clock()))
        try connection.runScript("PRAGMA user_version = \(migration.number)")
    }

    /// Returns the number of applied steps, after checking that they are the program's; 0 for an empty file.
    ///
    /// - Throws: `schema` if they are not, or if the file is the database of another program.
    func applied() throws(DatabaseError) -> Int {
        let identifier = try connection.value("PRAGMA application_id")
        let objects = try connection.value("SELECT count(*) FROM sqlite_schema")
        if identifier == "0", objects == "0" { return 0 }
        guard identifier == String(SQLiteConnection.applicationID) else {
            throw DatabaseError(.schema, message: "the file is the database of another program")
        }
        let transaction = Transaction(connection, now: clock())
        return try history.check(try MigrationHistory.recorded(in: transaction))
    }

    private func inTransaction<Result>(
        _ begin: SQLiteConnection.Control,
        _ body: () throws(DatabaseError) -> Result
    ) throws(DatabaseError) -> Result {
        try connection.run(begin)
        do {
            let result = try body()
            try connection.run(.commit)
            return result
        } catch {
            connection.rollback()
            throw error
        }
    }
}
