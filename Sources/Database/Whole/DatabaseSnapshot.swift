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

    /// Looks at a file.
    ///
    /// - Parameters:
    ///   - path: the file.
    ///   - migrations: the steps that its schema must have, all of them and no others.
    /// - Throws: ``DatabaseError``: `io` where there is none; `schema` where its schema is another one.
    package init(sqlite path: String, migrations: [Migration]) throws(DatabaseError) {
        guard FileSystem.exists(path) else { throw DatabaseError(.io, message: "there is no database at \(path)") }
        let connection = try SQLiteConnection(path: path, busyTimeout: 5_000, cacheLimit: 64)
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
        } catch {
            connection.rollback()
            connection.close()
            throw error
        }
        self.connection = .sqlite(connection)
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
        connection.begin(.snapshot)
        let transaction = Transaction(connection, now: clock.now)
        try transaction.lastAsLongAsNeeded()
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
        transaction.end()
        switch connection {
        case .sqlite(let connection):
            connection.rollback()
            connection.close()
        case .postgreSQL(let connection): connection.rollback()
        }
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
    func lastAsLongAsNeeded() throws(DatabaseError) {
        try perform("SELECT set_config('statement_timeout', '0', true)")
        try perform("SELECT set_config('idle_in_transaction_session_timeout', '0', true)")
    }
}
