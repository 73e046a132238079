internal import Glibc

/// A database on a server as the target of a copy, in one transaction from the first row to the last.
final class PostgreSQLCopyTarget: CopyTarget {
    private let configuration: PostgreSQLConfiguration
    private let replaces: Bool
    private let obstacles: (Transaction) throws -> [String]
    /// The maximum number of rows in one COPY.
    ///
    /// Until the end of a COPY, the server keeps an entry for each row in memory, to check foreign keys.
    private let rowsAtOnce: Int64
    private var rows: Int64 = 0
    /// The names of the copied tables.
    private var tables: [String] = []
    private var statement: SQL = ""
    private var open: (connection: PostgreSQLConnection, transaction: Transaction)?

    /// Creates a target without connecting; ``prepare(_:source:)`` connects.
    ///
    /// - Parameters:
    ///   - configuration: how to reach the server.
    ///   - replaces: whether existing rows may be replaced.
    ///   - obstacles: returns the tables in the target that replacing the rows would touch, by name.
    ///   - rowsAtOnce: the maximum number of rows in one COPY.
    init(
        _ configuration: PostgreSQLConfiguration,
        replaces: Bool,
        obstacles: @escaping (Transaction) throws -> [String],
        rowsAtOnce: Int64 = 1_000_000
    ) {
        self.configuration = configuration.unhurried
        self.replaces = replaces
        self.obstacles = obstacles
        self.rowsAtOnce = rowsAtOnce
    }

    func prepare(_ migrations: [Migration], source: DatabaseSnapshot) throws {
        let connection = try PostgreSQLConnection(configuration)
        try connection.requireSoundness()
        let schema = PostgreSQLMigrations(configuration, migrations)
        connection.begin(.single)
        let applied = try schema.applied(Transaction(connection, now: 0))
        guard applied == 0 || applied == migrations.count else {
            throw DatabaseError(
                .schema,
                message: "the target's schema is of an older version; start this one on it first"
            )
        }
        try schema.run()
        connection.begin(.readCommitted)
        let transaction = Transaction(connection, now: 0)
        open = (connection, transaction)
        try transaction.liftTimeLimits()
        // If this machine vanishes, the locks are released within minutes.
        try transaction.configure("tcp_keepalives_idle", "60")
        try transaction.configure("tcp_keepalives_interval", "10")
        try transaction.configure("tcp_keepalives_count", "6")
        try requireNoServers(transaction)
        try requireOther(than: source, transaction)
        let tables = source.tables.sorted()
        self.tables = tables
        let list = SQL.joined(tables, by: ", ") { "\(identifier: $0)" }
        try lock(list, transaction)
        guard try tables.contains(where: { try transaction.hasRows($0) }) else { return }
        guard replaces else { throw DatabaseError.occupied("the target is not empty; --force deletes its data") }
        let obstacles = try obstacles(transaction)
        guard obstacles.isEmpty else { throw DatabaseError.occupied(by: obstacles) }
        try transaction.execute("TRUNCATE TABLE ONLY \(.joined(tables, by: ", ONLY ") { "\(identifier: $0)" })")
    }

    func begin(_ table: CopiedTable) throws {
        statement = "COPY \(identifier: table.name) (\(table.columnList)) FROM STDIN"
        rows = 0
        try opened().connection.beginCopyIn(statement)
    }

    func put(_ lines: RowLines) throws {
        let connection = try opened().connection
        if rows >= rowsAtOnce {
            try endCopy(connection)
            try connection.beginCopyIn(statement)
            rows = 0
        }
        try connection.putCopyIn(lines)
        rows += lines.rows
    }

    func end(_ table: CopiedTable) throws {
        let (connection, transaction) = try opened()
        try endCopy(connection)
        guard table.highest > 0 else { return }
        // This gives the sequence new storage, which a rollback discards. The effect of setval alone would remain.
        try transaction.execute("ALTER TABLE \(identifier: table.name) ALTER COLUMN id RESTART")
        try transaction.enqueue("SELECT setval(pg_get_serial_sequence(\(table.name), 'id'), \(table.highest))")
    }

    private func endCopy(_ connection: PostgreSQLConnection) throws(DatabaseError) {
        do throws(DatabaseError) {
            try connection.endCopyIn()
        } catch {
            guard case .constraint = error.kind else { throw error }
            throw .damagedSource(error.message)
        }
    }

    func read(_ table: CopiedTable, _ take: (RowLines) throws -> Void) throws {
        let (connection, transaction) = try opened()
        try TableReader(connection: .postgreSQL(connection), transaction: transaction).read(table, take)
    }

    func commit() throws {
        let (connection, transaction) = try opened()
        // Otherwise, queries would be planned for empty tables until the next ANALYZE.
        for table in (tables + [MigrationHistory.table]).sorted() {
            try transaction.enqueue("ANALYZE \(identifier: table)")
        }
        transaction.end()
        try connection.commit()
        open = nil
    }

    func abandon() {
        open?.connection.rollback()
        open = nil
    }

    private func opened() throws -> (connection: PostgreSQLConnection, transaction: Transaction) {
        guard let open else { throw DatabaseError(.misuse, message: "the target was not prepared") }
        return open
    }

    private func lock(_ tables: SQL, _ transaction: Transaction) throws(DatabaseError) {
        try transaction.configure("lock_timeout", "5000")
        do throws(DatabaseError) {
            try transaction.execute("LOCK TABLE \(tables) IN ACCESS EXCLUSIVE MODE")
        } catch {
            guard error.kind == .busy else { throw error }
            throw .targetInUse
        }
    }

    /// Rejects a target that running Latchkey servers use, which it recognises by their notification connections.
    ///
    /// Idle servers hold no lock, and their requests would meanwhile see empty tables.
    ///
    /// - Throws: `busy`.
    private func requireNoServers(_ transaction: Transaction) throws {
        // The statistics may still list a server that was just stopped.
        let deadline = Deadline(in: 5_000)
        while true {
            try transaction.enqueue("SELECT pg_stat_clear_snapshot()")
            let isInUse = try transaction.first(
                """
                SELECT 1 FROM pg_stat_activity
                WHERE datname = current_database() AND application_name = \(NotificationChannel.applicationName) LIMIT 1
                """
            ) { _ in true }
            guard isInUse == true else { return }
            if deadline.isOver { throw DatabaseError.targetInUse }
            usleep(100_000)
        }
    }

    /// Checks that the target is not the source.
    ///
    /// The source takes an exclusive advisory lock. If the target cannot take it too, both are in the same database and
    /// schema.
    private func requireOther(than source: DatabaseSnapshot, _ transaction: Transaction) throws {
        guard case .postgreSQL = source.connection else { return }
        let key = Int64.random(in: 1...Int64(Int32.max))
        try source.transaction.execute("SELECT pg_advisory_xact_lock(\(Self.lock(key)))")
        let isFree = try transaction.first("SELECT CAST(pg_try_advisory_xact_lock(\(Self.lock(key))) AS INTEGER)") {
            row in
            try row.integer(0) == 1
        }
        guard isFree == true else { throw DatabaseError(.misuse, message: "source and target are the same database") }
    }

    private static func lock(_ key: Int64) -> SQL { "CAST(\(key) AS INTEGER), hashtext(current_schema())" }
}

extension DatabaseError {
    fileprivate static let targetInUse = DatabaseError(
        .busy,
        message: "another program uses the target; stop the servers on it"
    )
}

extension Transaction {
    fileprivate func hasRows(_ table: String) throws -> Bool {
        try first("SELECT 1 FROM \(identifier: table) LIMIT 1") { _ in true } ?? false
    }
}
