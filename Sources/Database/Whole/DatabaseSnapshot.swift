/// A database as it was at one moment, for whoever reads all of it: nothing in it is migrated or changed, and a server may
/// go on writing to it.
///
/// Blocks the calling thread, and is for one thread. The look lasts until it is closed, however long that takes.
package final class DatabaseSnapshot {
    enum Connection {
        case sqlite(SQLiteConnection)
        case postgreSQL(PostgreSQLConnection)
    }

    /// Reads the snapshot.
    package let transaction: Transaction
    let connection: Connection
    /// Tells this state from later ones.
    private let mark: Int64
    private var isClosed = false

    /// Looks at a file.
    ///
    /// - Parameters:
    ///   - path: the file.
    ///   - migrations: the steps that its schema must have, all of them and no others.
    /// - Throws: ``DatabaseError``: `io` where there is none; `schema` where its schema is another one.
    package init(sqlite path: String, migrations: [Migration]) throws(DatabaseError) {
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
            // Takes the snapshot: BEGIN alone does not.
            let runner = MigrationRunner(connection, migrations, clock: SQLiteConfiguration.machineClock)
            try Self.require(migrations, applied: try runner.applied())
            mark = try Self.mark(connection)
        } catch {
            connection.rollback()
            connection.close()
            throw error
        }
        self.connection = .sqlite(connection)
        self.mark = mark
        transaction = Transaction(connection, now: SQLiteConfiguration.machineClock())
    }

    /// Looks at a database of a server.
    ///
    /// - Parameters:
    ///   - configuration: how it is reached.
    ///   - migrations: the steps that its schema must have, all of them and no others.
    /// - Throws: ``DatabaseError``: `unavailable`; `schema` where its schema is another one.
    package init(_ configuration: PostgreSQLConfiguration, migrations: [Migration]) throws(DatabaseError) {
        let connection = try PostgreSQLConnection(configuration.unhurried)
        let clock = DatabaseClock(configuration.clock)
        try connection.readClock(clock)
        connection.begin(.single)
        mark = try Self.mark(connection)
        connection.begin(.snapshot)
        let transaction = Transaction(connection, now: clock.now)
        try transaction.liftTimeLimits()
        // Rows that policies hide from this role would be missed by nobody.
        try transaction.configure("row_security", "off")
        let applied: Int
        do { applied = try PostgreSQLMigrations(configuration, migrations).applied(transaction) } catch {
            throw error as? DatabaseError ?? DatabaseError(.internal, message: "the schema could not be read")
        }
        try Self.require(migrations, applied: applied)
        self.connection = .postgreSQL(connection)
        self.transaction = transaction
    }

    deinit { close() }

    /// Ends the look.
    ///
    /// Called again it does nothing.
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

    /// Ends the look, and tells whether the database is another one by now.
    ///
    /// What a server of PostgreSQL's has only just taken may not be noticed.
    package func wasOvertaken() throws -> Bool {
        if isClosed { throw DatabaseError.closed }
        transaction.end()
        switch connection {
        case .sqlite(let connection):
            connection.rollback()
            return try Self.mark(connection) != mark
        case .postgreSQL(let connection):
            connection.rollback()
            connection.begin(.single)
            return try Self.mark(connection) != mark
        }
    }

    /// The operator's own tables, by name.
    package func operatorsTables() throws -> [String] { try transaction.operatorsTables() }

    private static func mark(_ engine: any TransactionEngine) throws(DatabaseError) -> Int64 {
        let cursor =
            switch engine.dialect {
            // "… different if changes were committed to the database by any other connection in the interim."
            case .sqlite: try engine.open("SELECT data_version FROM pragma_data_version")
            case .postgreSQL:
                try engine.open(
                    """
                    SELECT CAST(COALESCE(SUM(n_tup_ins + n_tup_upd + n_tup_del), 0) AS BIGINT) FROM pg_stat_user_tables
                    WHERE schemaname = current_schema() AND relname IN \(in: SchemaContent.ownTables.sorted())
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
            throw DatabaseError(.schema, message: "there is nothing of Latchkey's in this database")
        }
        guard applied == migrations.count else {
            throw DatabaseError(
                .schema,
                message:
                    "the schema has \(applied) steps, this program's has \(migrations.count): it was made by an older "
                    + "version; start this one on it first"
            )
        }
    }
}

extension PostgreSQLConfiguration {
    /// For work on all of a database: how long that takes is nobody's fault.
    var unhurried: PostgreSQLConfiguration {
        var configuration = self
        configuration.statementTimeout = 24 * 3_600_000
        return configuration
    }
}

extension Transaction {
    /// Lifts the server's limits of time from this transaction, whoever has set them.
    func liftTimeLimits() throws(DatabaseError) {
        try configure("statement_timeout", "0")
        try configure("idle_in_transaction_session_timeout", "0")
    }
}
