internal import Glibc

/// A database of a server as the target of a copy: one transaction from the first row to the last.
final class PostgreSQLCopyTarget: CopyTarget {
    private let configuration: PostgreSQLConfiguration
    private let replaces: Bool
    /// How many rows one COPY takes: the server remembers each of them until its end, for the foreign keys.
    private let rowsAtOnce: Int64
    private var rows: Int64 = 0
    private var statement: SQL = ""
    private var open: (connection: PostgreSQLConnection, transaction: Transaction)?

    init(_ configuration: PostgreSQLConfiguration, replaces: Bool, rowsAtOnce: Int64 = 1_000_000) {
        self.configuration = configuration.unhurried
        self.replaces = replaces
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
        // Where this machine vanishes, the locks are gone in minutes.
        try transaction.configure("tcp_keepalives_idle", "60")
        try transaction.configure("tcp_keepalives_interval", "10")
        try transaction.configure("tcp_keepalives_count", "6")
        try requireNoServers(transaction)
        try requireOther(than: source, transaction)
        let tables = SchemaContent.copiedTables.sorted()
        let list = SQL.joined(tables, by: ", ") { "\(identifier: $0)" }
        try lock(list, transaction)
        guard try tables.contains(where: { try transaction.hasRows($0) }) else { return }
        guard replaces else { throw DatabaseError.occupied("the target is not empty; --force removes what is there") }
        let keepers = try transaction.schemaContents(attached: []).values.flatMap(\.tables.values)
            .filter { table in table.foreignKeys.contains { SchemaContent.isOurs($0.parent) } }
        guard keepers.isEmpty else { throw DatabaseError.occupied(by: Set(keepers.map(\.name.text)).sorted()) }
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
        // With this it has new storage, which goes when the transaction is given up; what setval sets would stay.
        try transaction.execute("ALTER TABLE \(identifier: table.name) ALTER COLUMN id RESTART")
        try transaction.perform("SELECT setval(pg_get_serial_sequence(\(table.name), 'id'), \(table.highest))")
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
        // Else it would be planned for empty tables until somebody looks.
        for table in SchemaContent.ownTables.sorted() { try transaction.perform("ANALYZE \(identifier: table)") }
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

    /// Servers that do nothing just now hold no lock, and what comes to them meanwhile would see tables without rows.
    private func requireNoServers(_ transaction: Transaction) throws {
        // One that was stopped a moment ago may be known still.
        let deadline = Deadline(in: 5_000)
        while true {
            try transaction.perform("SELECT pg_stat_clear_snapshot()")
            let isInUse = try transaction.first(
                """
                SELECT 1 FROM pg_stat_activity
                WHERE datname = current_database() AND application_name = \(NewsLine.applicationName) LIMIT 1
                """
            ) { _ in true }
            guard isInUse == true else { return }
            if deadline.isOver { throw DatabaseError.targetInUse }
            usleep(100_000)
        }
    }

    /// The source holds a lock that it shares with nobody; whoever cannot have it is in the same database and schema.
    private func requireOther(than source: DatabaseSnapshot, _ transaction: Transaction) throws {
        guard case .postgreSQL = source.connection else { return }
        let key = Int64.random(in: 1...Int64(Int32.max))
        try source.transaction.execute("SELECT pg_advisory_xact_lock(\(Self.lock(key)))")
        let isFree = try transaction.first("SELECT CAST(pg_try_advisory_xact_lock(\(Self.lock(key))) AS INTEGER)") {
            row in
            try row.integer(0) == 1
        }
        guard isFree == true else { throw DatabaseError(.misuse, message: "source and target are one database") }
    }

    private static func lock(_ key: Int64) -> SQL { "CAST(\(key) AS INTEGER), hashtext(current_schema())" }
}

extension DatabaseError {
    fileprivate static let targetInUse = DatabaseError(
        .busy,
        message: "somebody else is at work in the target; stop the servers on it"
    )
}

extension Transaction {
    fileprivate func hasRows(_ table: String) throws -> Bool {
        try first("SELECT 1 FROM \(identifier: table) LIMIT 1") { _ in true } ?? false
    }
}
