internal import Glibc

/// Migrates the schema, one step in each transaction.
///
/// Nodes that start at the same moment wait for one another.
struct PostgreSQLMigrations {
    /// The key of the advisory lock: "latchkey" in ASCII.
    private static let lock: Int64 = 0x6c61_7463_686b_6579
    /// The time limit of each statement of a step, in milliseconds.
    ///
    /// A step may change millions of rows, and a node waits for other nodes' steps.
    private static let timeout = 3_600_000
    /// How long a step waits for a table, in milliseconds.
    ///
    /// While the step waits, all other transactions on that table queue behind it.
    private static let lockTimeout = 2_000
    /// How long a step whose tables are locked is retried, and the pause between two attempts, in milliseconds.
    private static let patience = 60_000, pause: UInt32 = 1_000

    private var configuration: PostgreSQLConfiguration
    private let migrations: [Migration]
    private var history: MigrationHistory { MigrationHistory(migrations) }

    init(_ configuration: PostgreSQLConfiguration, _ migrations: [Migration]) {
        self.configuration = configuration
        // A node that stops in the middle of a step must not block others for longer than usual.
        self.configuration.stillness = configuration.statementTimeout
        self.configuration.statementTimeout = Self.timeout
        self.configuration.lockTimeout = 0
        self.migrations = migrations
    }

    /// Applies all steps that the database lacks.
    ///
    /// - Throws: `schema` when the schema is newer or made by other steps; `unavailable`; errors of the steps'
    ///   statements.
    func run() throws(DatabaseError) {
        try history.checkNumbers()
        let connection = try PostgreSQLConnection(configuration)
        try connection.setUp(DatabaseClock())
        // Usually there is nothing to do, and no lock is needed.
        if try inTransaction(connection, { try applied($0) }) == migrations.count { return }
        while try step(on: connection) {}
    }

    /// Applies one step, and retries it while another client such as pg_dump has locked its tables.
    ///
    /// - Returns: whether there was a step to apply.
    private func step(on connection: PostgreSQLConnection) throws(DatabaseError) -> Bool {
        let deadline = Deadline(in: Self.patience)
        while true {
            do throws(DatabaseError) {
                return try inTransaction(connection, { try applyNext($0) })
            } catch {
                // The server resolves a deadlock by aborting one transaction, which may be the step.
                guard error.kind == .busy || error.kind == .conflict, !deadline.isOver else { throw error }
                // The transactions that queued behind the step run now.
                usleep(Self.pause * 1000)
            }
        }
    }

    /// Applies the next step that the database lacks, in this transaction.
    ///
    /// - Returns: whether there was a step to apply.
    private func applyNext(_ transaction: Transaction) throws -> Bool {
        // Held until the end of the transaction, also through a pooler.
        try transaction.enqueue("SELECT pg_advisory_xact_lock(\(Self.lock))")
        let done = try applied(transaction)
        guard done < migrations.count else { return false }
        try transaction.configure("lock_timeout", String(Self.lockTimeout))
        let migration = migrations[done]
        do throws(DatabaseError) {
            if done == 0 {
                try transaction.execute(
                    """
                    CREATE TABLE schema_migrations (
                        number BIGINT PRIMARY KEY,
                        name TEXT NOT NULL,
                        checksum TEXT NOT NULL,
                        applied_at BIGINT NOT NULL
                    )
                    """
                )
            }
            for statement in Self.statements(of: try Dialect.postgreSQL.expand(migration.sql)) {
                try transaction.execute(SQL(migration: statement))
            }
            try MigrationHistory.record(migration, in: transaction)
        } catch {
            let hint = error.kind == .busy ? "; another program locks the tables for long, such as pg_dump" : ""
            let message = "migration \(migration.number) (\(migration.name)): \(error.message)\(hint)"
            throw DatabaseError(error.kind, code: error.code, message: message, statement: error.statement)
        }
        return true
    }

    /// Returns the number of applied steps, after checking that they are the program's; 0 without a schema.
    ///
    /// - Throws: `schema` if they are not.
    func applied(_ transaction: Transaction) throws -> Int {
        // A query takes its snapshot after the lock. A look-up by name could use a stale catalogue cache of this
        // session.
        let count = try transaction.first(
            "SELECT count(*) FROM pg_tables WHERE schemaname = current_schema() AND tablename = 'schema_migrations'"
        ) { row in try row.integer(0) }
        guard count == 1 else { return 0 }
        return try history.check(try MigrationHistory.recorded(in: transaction))
    }

    private func inTransaction<Result>(
        _ connection: PostgreSQLConnection,
        _ body: (Transaction) throws -> Result
    ) throws(DatabaseError) -> Result {
        let clock = DatabaseClock()
        try connection.readClock(clock)
        connection.begin(.readCommitted)
        let transaction = Transaction(connection, now: clock.now)
        defer { transaction.end() }
        do {
            let result = try body(transaction)
            try connection.commit()
            return result
        } catch {
            connection.rollback()
            throw error as? DatabaseError ?? DatabaseError(.internal, message: "\(error)")
        }
    }

    /// Splits a script at semicolons.
    ///
    /// The migrations have none inside strings or bodies.
    private static func statements(of script: String) -> [String] {
        let lines = script.split(separator: "\n", omittingEmptySubsequences: false)
        let code = lines.map { line in
            line.firstRange(of: "--").map { line[..<$0.lowerBound] } ?? line
        }
        return code.joined(separator: "\n").split(separator: ";")
            .map { $0.drop(while: \.isWhitespace) }
            .filter { !$0.isEmpty }
            .map(String.init)
    }
}
