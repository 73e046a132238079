internal import Glibc

/// Brings the schema up to date, one step in each transaction; nodes that start at the same moment wait for one another.
struct PostgreSQLMigrations {
    /// The key of the advisory lock: "latchkey" in ASCII.
    private static let lock: Int64 = 0x6c61_7463_686b_6579
    /// A step may have millions of rows to change, and a node waits for the others' steps.
    private static let timeout = 3_600_000
    /// How long a step waits for a table, in milliseconds: meanwhile everybody else waits behind it.
    private static let lockTimeout = 2_000
    /// How long a step is tried again whose tables somebody holds, and the pause between, in milliseconds.
    private static let patience = 60_000, pause: UInt32 = 1_000

    private var configuration: PostgreSQLConfiguration
    private let migrations: [Migration]
    private var history: MigrationHistory { MigrationHistory(migrations) }

    init(_ configuration: PostgreSQLConfiguration, _ migrations: [Migration]) {
        self.configuration = configuration
        // Whoever waits for a node that stopped in the middle of a step waits no longer than otherwise.
        self.configuration.stillness = configuration.statementTimeout
        self.configuration.statementTimeout = Self.timeout
        self.migrations = migrations
    }

    /// - Throws: `schema` when the schema is newer or made by other steps; what a step's statements throw.
    func run() throws(DatabaseError) {
        try history.checkNumbers()
        let connection = try PostgreSQLConnection(configuration)
        try connection.setUp(DatabaseClock())
        // Usually there is nothing to do, and no lock to be taken.
        if try inTransaction(connection, { try applied($0) }) == migrations.count { return }
        while try step(on: connection) {}
    }

    /// One step, tried again while somebody else has its tables in hand, such as pg_dump.
    ///
    /// - Returns: whether there was a step to apply.
    private func step(on connection: PostgreSQLConnection) throws(DatabaseError) -> Bool {
        let deadline = Deadline(in: Self.patience)
        while true {
            do throws(DatabaseError) {
                return try inTransaction(connection, { try applyNext($0) })
            } catch {
                // A server that sees two wait for one another ends one of them, and that may be the step.
                guard error.kind == .busy || error.kind == .conflict, !deadline.isOver else { throw error }
                // Whoever waited behind the step has their turn.
                usleep(Self.pause * 1000)
            }
        }
    }

    /// - Returns: whether there was a step to apply.
    private func applyNext(_ transaction: Transaction) throws -> Bool {
        // Held until the transaction's end, also through a pooler.
        try transaction.perform("SELECT pg_advisory_xact_lock(\(Self.lock))")
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
            let hint = error.kind == .busy ? "; somebody else uses the tables for long, such as pg_dump" : ""
            let message = "migration \(migration.number) (\(migration.name)): \(error.message)\(hint)"
            throw DatabaseError(error.kind, code: error.code, message: message, statement: error.statement)
        }
        return true
    }

    /// How many steps the database has, after checking that they are ours.
    func applied(_ transaction: Transaction) throws -> Int {
        // By a query, whose snapshot is of after the lock: a look-up by name would answer what this session remembers.
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

    /// The statements of a script: what stands between semicolons, which no string or body of ours holds.
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
