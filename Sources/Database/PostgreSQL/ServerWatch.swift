/// Monitors a server on a connection of its own: whether the server answers, its clock, and how far a replica lags.
///
/// A silent server delays the requests that already wait for it. Once the watch has noticed the silence, further
/// requests fail at once.
final class ServerWatch {
    private let pool: PostgreSQLPool
    private let configuration: PostgreSQLConfiguration
    /// The primary's write positions, which its watch records and the replica's watch reads; `nil` without a replica.
    private let progress: WriteProgress?
    private let isReplica: Bool
    /// Nodes of an earlier version, which the primary knows.
    private let olderNodes: OlderNodes?
    private var connection: PostgreSQLConnection?

    /// The intervals between checks in milliseconds, while the server is there and while it is away.
    private static let interval = (present: Int64(1_000), away: Int64(250))
    private var last: Int64 = 0

    /// The longest pause between calls of ``look()``, in milliseconds.
    static let pause = 250

    init(
        _ pool: PostgreSQLPool,
        _ configuration: PostgreSQLConfiguration,
        progress: WriteProgress?,
        isReplica: Bool = false,
        olderNodes: OlderNodes? = nil
    ) {
        self.pool = pool
        self.progress = progress
        self.isReplica = isReplica
        self.olderNodes = olderNodes
        var own = configuration
        own.statementTimeout = configuration.connectTimeout
        own.onStatement = nil
        self.configuration = own
    }

    /// Checks whether the server can be used, if a check is due, and records the result in the pool.
    func look() {
        guard Deadline.now - last >= (pool.isAway ? Self.interval.away : Self.interval.present) else { return }
        do throws(DatabaseError) {
            let connection = try answering()
            self.connection = connection
            if let progress { try compare(progress, connection) }
            try olderNodes?.look(over: connection, at: pool.clock.now)
            pool.record(absence: nil)
        } catch {
            connection = nil
            // Without a free connection for the watch, nothing is known.
            if !error.isAboutRoom { pool.record(absence: error) }
        }
        pool.closeIdle()
        last = Deadline.now
    }

    /// Returns a connection over which the server has just told the time.
    ///
    /// A cut connection says nothing about the server, so another connection is tried.
    ///
    /// - Throws: why the server cannot be used.
    private func answering() throws(DatabaseError) -> PostgreSQLConnection {
        if let known = connection, known.isUsable {
            let asked = Deadline.now
            do throws(DatabaseError) {
                try known.setUp(pool.clock)
                return known
            } catch {
                // A new connection would meet the same silence.
                guard error.kind == .unavailable, Deadline.now - asked < Self.interval.present else { throw error }
            }
        }
        let fresh = try PostgreSQLConnection(configuration)
        try fresh.setUp(pool.clock)
        return fresh
    }

    /// Records the primary's write position, or checks that of a replica.
    ///
    /// - Throws: `unavailable` for a replica that has fallen behind.
    private func compare(_ progress: WriteProgress, _ connection: PostgreSQLConnection) throws(DatabaseError) {
        connection.begin(.single)
        defer { connection.rollback() }
        let place: SQL = isReplica ? "pg_last_wal_replay_lsn()" : "pg_current_wal_lsn()"
        let cursor = try connection.open("SELECT CAST(pg_wal_lsn_diff(\(place), '0/0') AS BIGINT)")
        guard try cursor.step(), let position = try cursor.integer(0) else {
            throw .unavailable("the server does not report its position")
        }
        guard isReplica else { return progress.record(position) }
        guard progress.isRecent(position) else { throw .unavailable("the replica has fallen behind") }
    }
}
