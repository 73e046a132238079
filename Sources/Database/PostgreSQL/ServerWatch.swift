/// Looks after a server on a connection of its own: whether it answers, and what time it is there.
///
/// A server that has gone silent holds up those who wait for it until their time is over, and nobody who comes after it was
/// found to be silent.
final class ServerWatch {
    private let pool: PostgreSQLPool
    private let configuration: PostgreSQLConfiguration
    /// How the primary's watch tells the replica's how far it is; `nil` without a replica.
    private let progress: WriteProgress?
    private let isReplica: Bool
    private var connection: PostgreSQLConnection?

    /// How often it looks, in milliseconds: while the server is there, and while it is away.
    private static let interval = (present: Int64(1_000), away: Int64(250))
    private var last: Int64 = 0

    /// How often ``look()`` is to be called at least, in milliseconds.
    static let pause = 250

    init(
        _ pool: PostgreSQLPool,
        _ configuration: PostgreSQLConfiguration,
        progress: WriteProgress?,
        isReplica: Bool = false
    ) {
        self.pool = pool
        self.progress = progress
        self.isReplica = isReplica
        var own = configuration
        own.statementTimeout = configuration.connectTimeout
        own.onStatement = nil
        self.configuration = own
    }

    /// Looks whether the server is there, where it is time to.
    func look() {
        guard Deadline.now - last >= (pool.isAway ? Self.interval.away : Self.interval.present) else { return }
        do throws(DatabaseError) {
            let connection = try answering()
            self.connection = connection
            if let progress { try compare(progress, connection) }
            pool.note(absence: nil)
        } catch {
            connection = nil
            // Without room for its own connection it knows nothing.
            if !error.isAboutRoom { pool.note(absence: error) }
        }
        pool.closeIdle()
        last = Deadline.now
    }

    /// A connection over which the server has just told the time.
    ///
    /// One that was cut says nothing about the server: it is asked over another one then.
    ///
    /// - Throws: why the server cannot be used.
    private func answering() throws(DatabaseError) -> PostgreSQLConnection {
        if let known = connection, known.isUsable {
            let asked = Deadline.now
            do throws(DatabaseError) {
                try known.setUp(pool.clock)
                return known
            } catch {
                // Silence would be the answer to the next one, too.
                guard error.kind == .unavailable, Deadline.now - asked < Self.interval.present else { throw error }
            }
        }
        let fresh = try PostgreSQLConnection(configuration)
        try fresh.setUp(pool.clock)
        return fresh
    }

    /// Asks how far the server has come in what was written.
    ///
    /// - Throws: `unavailable` for a replica that has fallen behind.
    private func compare(_ progress: WriteProgress, _ connection: PostgreSQLConnection) throws(DatabaseError) {
        connection.begin(.single)
        defer { connection.rollback() }
        let place: SQL = isReplica ? "pg_last_wal_replay_lsn()" : "pg_current_wal_lsn()"
        let cursor = try connection.open("SELECT CAST(pg_wal_lsn_diff(\(place), '0/0') AS BIGINT)")
        guard try cursor.step(), let position = try cursor.integer(0) else {
            throw .unavailable("the server does not say how far it has come")
        }
        guard isReplica else { return progress.note(position) }
        guard progress.isRecent(position) else { throw .unavailable("the replica has fallen behind") }
    }
}
