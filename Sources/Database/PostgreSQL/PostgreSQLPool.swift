/// Connections to one server, lent to one thread at a time and opened on demand.
///
/// The most recently returned connection is lent first, because its statements are prepared. The last attempt to reach
/// the server, by any thread, decides whether the server counts as present. While the server is away, all requests fail
/// at once and only ``ServerWatch`` keeps trying.
final class PostgreSQLPool: Sendable {
    private struct State {
        /// The idle connections, each with the time of its last use by ``Deadline/now``.
        var idle: [(connection: PostgreSQLConnection, since: Int64)] = []
        var lent = 0
        var isClosed = false
        /// Why the server cannot be used; `nil` while it can.
        var absence: DatabaseError?
    }

    /// The idle time in milliseconds after which a connection is tested before use, because network equipment may have
    /// dropped it silently.
    private static let trust: Int64 = 30_000

    let clock: DatabaseClock
    private let configuration: PostgreSQLConfiguration
    private let limit: Int
    private let monitor = Monitor(State())

    private let isReplica: Bool

    /// Creates a pool without open connections.
    ///
    /// - Parameters:
    ///   - configuration: the server's address.
    ///   - isReplica: whether the server is a replica, which is not used before its first check.
    init(_ configuration: PostgreSQLConfiguration, isReplica: Bool = false) {
        self.configuration = configuration
        self.isReplica = isReplica
        clock = DatabaseClock(configuration.clock)
        limit = configuration.connections + configuration.maximumReaders
        if isReplica { monitor.withLock { $0.absence = .unavailable("the replica was not checked yet") } }
    }

    /// Lends a connection to a closure.
    ///
    /// - Throws: `closed`; `unavailable`; `overloaded` when too many connections are lent; what the closure throws.
    func withConnection<Result>(_ body: (PostgreSQLConnection) throws -> Result) throws -> Result {
        let connection = try take()
        defer { giveBack(connection) }
        return try body(connection)
    }

    /// The numbers of open connections, of those that are lent, and of those that may be open.
    var counts: (open: Int, lent: Int, limit: Int) { monitor.withLock { ($0.idle.count + $0.lent, $0.lent, limit) } }

    /// Whether the server cannot be used, as far as is known: it is away, or a replica that lags or was not checked
    /// yet.
    var isAway: Bool { absence != nil }

    /// Why the server cannot be used; `nil` if it can, as far as is known.
    var absence: DatabaseError? { monitor.withLock { $0.absence } }

    /// Records whether the server can be used, and reports a change as an event.
    ///
    /// If the server cannot be used, drops the idle connections.
    ///
    /// - Parameter absence: why the server cannot be used; `nil` if it can.
    func record(absence: DatabaseError?) {
        let (isNews, dropped) = monitor.withLock { state in
            let isNews = (state.absence == nil) != (absence == nil)
            state.absence = absence
            // The idle connections are dead.
            let dropped = absence == nil ? [] : state.idle
            if absence != nil { state.idle = [] }
            return (isNews, dropped)
        }
        _ = dropped  // Closed outside of the lock.
        guard isNews else { return }
        if let absence {
            configuration.onEvent(isReplica ? .replicaAway(absence) : .serverAway(absence))
        } else {
            configuration.onEvent(isReplica ? .replicaBack : .serverBack)
        }
    }

    /// Closes connections that have been idle for too long.
    func closeIdle() {
        closeIdle(for: Int64(configuration.idleLimit))
    }

    private func closeIdle(for milliseconds: Int64) {
        let oldest = Deadline.now - milliseconds
        let dropped = monitor.withLock { state in
            // The most recently returned connection is last.
            let unused = state.idle.prefix { $0.since < oldest }
            state.idle.removeFirst(unused.count)
            return Array(unused)
        }
        _ = dropped
    }

    /// The number of open connections, lent or idle.
    var size: Int { monitor.withLock { $0.lent + $0.idle.count } }

    /// Stops lending, waits for all lent connections, and closes them.
    func close() {
        monitor.withLock { $0.isClosed = true }
        let dropped = monitor.wait { state -> [(PostgreSQLConnection, Int64)]? in
            guard state.lent == 0 else { return nil }
            defer { state.idle = [] }
            return state.idle
        }
        _ = dropped
    }

    private func take() throws(DatabaseError) -> PostgreSQLConnection {
        while let (connection, since) = try next() {
            if connection.isUsable {
                if Deadline.now - since < Self.trust || connection.isAlive(within: 2_000) { return connection }
                // Connections that are as old were probably dropped too, and each test would take as long.
                closeIdle(for: Self.trust)
            }
            monitor.withLock { $0.lent -= 1 }
            monitor.wakeAll()
        }
        do throws(DatabaseError) {
            let connection = try PostgreSQLConnection(configuration)
            try connection.setUp(clock)
            return connection
        } catch {
            let isLast = monitor.withLock { state in
                state.lent -= 1
                return state.lent == 0
            }
            monitor.wakeAll()
            // A server without a free connection is there, and other threads may be using theirs.
            if error.kind == .unavailable, !error.isAboutRoom, isLast { record(absence: error) }
            throw error
        }
    }

    /// Counts one more connection as lent.
    ///
    /// - Returns: an idle connection; `nil` if a new one must be opened.
    private func next() throws(DatabaseError) -> (connection: PostgreSQLConnection, since: Int64)? {
        try monitor.withLock {
            (state: inout State) throws(DatabaseError) -> (connection: PostgreSQLConnection, since: Int64)? in
            if state.isClosed { throw .closed }
            if let absence = state.absence { throw absence }
            if state.lent >= limit { throw .overloaded }
            state.lent += 1
            return state.idle.popLast()
        }
    }

    private func giveBack(_ connection: PostgreSQLConnection) {
        let isUsable = connection.isUsable
        monitor.withLock { state in
            state.lent -= 1
            if isUsable, !state.isClosed, state.absence == nil { state.idle.append((connection, Deadline.now)) }
        }
        monitor.wakeAll()
    }
}
