internal import Synchronization

/// Watches for nodes of an earlier version that still use the database.
///
/// All their transactions that write, except those of workers (``Database/lease(_:_:completion:)``), are SERIALIZABLE and
/// take no row locks. PostgreSQL finds no conflict between such a transaction and one at READ COMMITTED. So while they run,
/// this node's transactions are SERIALIZABLE, too, with the same exception.
///
/// A node does not start on a schema that is newer than itself. So older nodes do not come back once they have stopped,
/// and a database whose whole schema was made at once never had any.
///
/// A node of this version is recognized by an advisory lock, which the server releases when the node's connection ends.
final class OlderNodes: Sendable {
    private struct State {
        /// When an older node was last seen, or the watch began, by ``Deadline/now``.
        var lastSeen = Deadline.now
        var isAnySeen = false
    }

    /// The statement by which a node of this version makes itself known, on its notification connection.
    static let registration: SQL = "SELECT pg_advisory_lock_shared(CAST(\(lock) AS INTEGER), CAST(\(rules) AS INTEGER))"
    /// The first key of the advisory lock: "node" in ASCII.
    private static let lock: Int64 = 0x6e6f_6465
    /// The second key: the number of the rules by which nodes order their transactions.
    ///
    /// A release whose transactions may not run beside those of the previous one raises it.
    private static let rules: Int64 = 1
    /// The most time between the first and the last step of a schema that was made at once, in milliseconds.
    private static let oneGo: Int64 = 60_000
    /// How long after the newest migration older nodes are assumed to run if this node cannot see them, in milliseconds.
    private static let unseenLife: Int64 = 3_600_000

    private let mayRunNow: Atomic<Bool>
    private let state = Mutex(State())
    private let configuration: PostgreSQLConfiguration
    /// When the newest step of the schema was applied, in milliseconds since 1970.
    private let schemaTime: Int64

    /// Reads when the schema was made.
    init(_ connection: PostgreSQLConnection, _ configuration: PostgreSQLConfiguration) throws(DatabaseError) {
        self.configuration = configuration
        let times: SQL = "SELECT COALESCE(min(applied_at), 0), COALESCE(max(applied_at), 0) FROM schema_migrations"
        let (first, newest) = try connection.once(times) { row throws(DatabaseError) in
            (try row.integer(0) ?? 0, try row.integer(1) ?? 0)
        }
        schemaTime = newest
        mayRunNow = Atomic(newest - first > Self.oneGo)
    }

    /// Whether older nodes may still run.
    var mayRun: Bool { mayRunNow.load(ordering: .relaxed) }

    /// Looks for older nodes, unless there are none any more.
    ///
    /// - Parameters:
    ///   - connection: a connection that is used for nothing else meanwhile.
    ///   - now: the database's time in milliseconds since 1970.
    func look(over connection: PostgreSQLConnection, at now: Int64) throws(DatabaseError) {
        guard mayRun, try isOver(connection, now) else { return }
        mayRunNow.store(false, ordering: .relaxed)
        if state.withLock(\.isAnySeen) { configuration.onEvent(.nodesNew) }
    }

    private func isOver(_ connection: PostgreSQLConnection, _ now: Int64) throws(DatabaseError) -> Bool {
        let isLongAgo = now - schemaTime > Self.unseenLife
        // Nodes that know no way around a pooler have no notification connection.
        guard configuration.prepares || configuration.listenURL != nil else { return isLongAgo }
        let older: Int64
        do throws(DatabaseError) {
            older = try number(over: connection)
        } catch {
            // The role may not look at connections.
            guard error.kind != .unavailable else { throw error }
            return isLongAgo
        }
        let isFirst = state.withLock { state in
            guard older > 0 else { return false }
            defer { state.isAnySeen = true }
            state.lastSeen = Deadline.now
            return !state.isAnySeen
        }
        if isFirst { configuration.onEvent(.nodesOlder) }
        return Deadline.now - state.withLock(\.lastSeen) >= configuration.olderNodeAbsence
    }

    /// The number of notification connections of older nodes.
    private func number(over connection: PostgreSQLConnection) throws(DatabaseError) -> Int64 {
        try connection.once(
            """
            SELECT count(*) FROM pg_stat_activity a
            WHERE datname = current_database() AND application_name = \(NotificationChannel.applicationName)
                AND NOT EXISTS (
                    SELECT 1 FROM pg_locks l
                    WHERE l.pid = a.pid AND locktype = 'advisory' AND CAST(classid AS BIGINT) = \(Self.lock)
                        AND CAST(objid AS BIGINT) >= \(Self.rules) AND objsubid = 2
                )
            """
        ) { row throws(DatabaseError) in try row.integer(0) ?? 0 }
    }
}

extension PostgreSQLConnection {
    /// Runs a query with one row, in a transaction of its own that writes nothing.
    fileprivate func once<Value>(
        _ query: SQL,
        _ read: (any StatementCursor) throws(DatabaseError) -> Value
    ) throws(DatabaseError) -> Value {
        begin(.single)
        defer { rollback() }
        let cursor = try open(query)
        guard try cursor.step() else { throw .unavailable("the server answered a query without a row") }
        return try read(cursor)
    }
}
