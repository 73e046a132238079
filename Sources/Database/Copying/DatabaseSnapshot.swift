/// A read-only snapshot of a whole database.
///
/// The database is not migrated, and a server may keep writing to it.
///
/// Blocks the calling thread, and is for one thread only. The snapshot lasts until it is closed, however long that
/// takes.
package final class DatabaseSnapshot {
    enum Connection {
        case sqlite(SQLiteConnection)
        case postgreSQL(PostgreSQLConnection)
    }

    /// The transaction that reads the snapshot.
    package let transaction: Transaction
    /// The tables of the database, referenced tables first, without the migration history.
    let tables: [String]
    let connection: Connection
    /// A number that differs after a commit of another connection: SQLite's data version, or PostgreSQL's count of
    /// changed rows.
    private let mark: Int64
    private var isClosed = false

    /// Opens a snapshot of a file.
    ///
    /// - Parameters:
    ///   - path: the file.
    ///   - migrations: the migrations that its schema must have, all of them and no others.
    ///   - tables: the tables that the migrations create, referenced tables first.
    /// - Throws: ``DatabaseError``: `io` if there is no file; `schema` if its schema differs.
    package init(sqlite path: String, migrations: [Migration], tables: [String]) throws(DatabaseError) {
        guard FileSystem.exists(path) else { throw DatabaseError(.io, message: "there is no database at \(path)") }
        let connection = try SQLiteConnection(path: path, busyTimeout: 5_000, cacheLimit: 64)
        let mark: Int64
        do throws(DatabaseError) {
            try connection.runScript(
                """
                PRAGMA trusted_schema = OFF; PRAGMA cell_size_check = ON; PRAGMA query_only = ON;
                PRAGMA cache_size = -65536;
                """
            )
            try connection.run(.begin)
            // This query takes the snapshot; BEGIN alone does not.
            let runner = MigrationRunner(connection, migrations, clock: SQLiteConfiguration.machineClock)
            try Self.require(migrations, applied: try runner.applied())
            mark = try Self.mark(connection, tables)
        } catch {
            connection.rollback()
            connection.close()
            throw error
        }
        self.tables = tables
        self.connection = .sqlite(connection)
        self.mark = mark
        transaction = Transaction(connection, now: SQLiteConfiguration.machineClock())
    }

    /// Opens a snapshot of a database on a server.
    ///
    /// - Parameters:
    ///   - configuration: how to reach the server.
    ///   - migrations: the migrations that its schema must have, all of them and no others.
    ///   - tables: the tables that the migrations create, referenced tables first.
    /// - Throws: ``DatabaseError``: `unavailable`; `schema` if its schema differs.
    package init(
        _ configuration: PostgreSQLConfiguration,
        migrations: [Migration],
        tables: [String]
    ) throws(DatabaseError) {
        let connection = try PostgreSQLConnection(configuration.unhurried)
        let clock = DatabaseClock(configuration.clock)
        try connection.readClock(clock)
        connection.begin(.single)
        mark = try Self.mark(connection, tables)
        connection.begin(.snapshot)
        let transaction = Transaction(connection, now: clock.now)
        try transaction.liftTimeLimits()
        // Otherwise, rows that row-level security hides from this role would be missing silently.
        try transaction.configure("row_security", "off")
        let applied: Int
        do { applied = try PostgreSQLMigrations(configuration, migrations).applied(transaction) } catch {
            throw error as? DatabaseError ?? DatabaseError(.internal, message: "the schema could not be read")
        }
        try Self.require(migrations, applied: applied)
        self.tables = tables
        self.connection = .postgreSQL(connection)
        self.transaction = transaction
    }

    deinit { close() }

    /// Closes the snapshot.
    ///
    /// Calling it again does nothing.
    package func close() {
        guard !isClosed else { return }
        isClosed = true
        transaction.end()
        switch connection {
        case .sqlite(let connection):
            connection.rollback()
            connection.close()
        case .postgreSQL(let connection): connection.rollback()
        }
    }

    /// Ends the reading of the snapshot, and returns whether the database has changed since the snapshot was opened.
    ///
    /// Changes of the last moments on a PostgreSQL server may be missed. Afterwards only ``close()`` may be called.
    ///
    /// - Throws: ``DatabaseError``: `closed` if the snapshot was closed.
    package func wasOvertaken() throws -> Bool {
        if isClosed { throw DatabaseError.closed }
        transaction.end()
        switch connection {
        case .sqlite(let connection):
            connection.rollback()
            return try Self.mark(connection, tables) != mark
        case .postgreSQL(let connection):
            connection.rollback()
            connection.begin(.single)
            return try Self.mark(connection, tables) != mark
        }
    }

    private static func mark(_ engine: any TransactionEngine, _ tables: [String]) throws(DatabaseError) -> Int64 {
        let cursor =
            switch engine.dialect {
            // "… different if changes were committed to the database by any other connection in the interim."
            case .sqlite: try engine.open("SELECT data_version FROM pragma_data_version")
            case .postgreSQL:
                try engine.open(
                    """
                    SELECT CAST(COALESCE(SUM(n_tup_ins + n_tup_upd + n_tup_del), 0) AS BIGINT) FROM pg_stat_user_tables
                    WHERE schemaname = current_schema() AND relname IN \(in: (tables + [MigrationHistory.table]).sorted())
                    """
                )
            }
        defer { cursor.close() }
        guard try cursor.step(), let mark = try cursor.integer(0) else {
            throw DatabaseError(.internal, message: "the state of the database could not be read")
        }
        return mark
    }

    private static func require(_ migrations: [Migration], applied: Int) throws(DatabaseError) {
        guard applied > 0 else {
            throw DatabaseError(.schema, message: "this database has no tables of Latchkey's")
        }
        guard applied == migrations.count else {
            throw DatabaseError(
                .schema,
                message:
                    "the schema has \(applied) steps, but this program's has \(migrations.count): it is of an older "
                    + "version; start this one on it first"
            )
        }
    }
}

extension PostgreSQLConfiguration {
    /// The configuration with a statement time limit of a day, for work on a whole database.
    var unhurried: PostgreSQLConfiguration {
        var configuration = self
        configuration.statementTimeout = 24 * 3_600_000
        return configuration
    }
}

extension Transaction {
    /// Removes the server's time limits from this transaction, wherever they were set.
    func liftTimeLimits() throws(DatabaseError) {
        try configure("statement_timeout", "0")
        try configure("idle_in_transaction_session_timeout", "0")
    }
}
