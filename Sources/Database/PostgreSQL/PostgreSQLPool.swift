/// Connections to one server, lent to one thread at a time and opened as they are needed.
///
/// The one given back last is lent first, its statements still prepared. Whether the server is there is known from the last
/// attempt to reach it, by whoever made it: while it is away everybody is told at once, and only ``ServerWatch`` goes on trying.
final class PostgreSQLPool: Sendable {
    private struct State {
        /// Each with the time since when nobody used it, by ``Deadline/now``.
        var idle: [(connection: PostgreSQLConnection, since: Int64)] = []
        var lent = 0
        var isClosed = false
        /// Why the server cannot be used, while it cannot.
        var absence: DatabaseError?
    }

    /// A connection that nobody used for so long is asked whether the server is still at its other end, in milliseconds: what
    /// stands in between may have forgotten it without a word.
    private static let trust: Int64 = 30_000

    let clock: DatabaseClock
    private let configuration: PostgreSQLConfiguration
    private let limit: Int
    private let monitor = Monitor(State())

    private let isReplica: Bool

    /// - Parameters:
    ///   - configuration: where the server is.
    ///   - isReplica: whether it follows another one; then it is not used before it was looked at.
    init(_ configuration: PostgreSQLConfiguration, isReplica: Bool = false) {
        self.configuration = configuration
        self.isReplica = isReplica
        clock = DatabaseClock(configuration.clock)
        limit = configuration.connections + configuration.maximumReaders
        if isReplica { monitor.withLock { $0.absence = .unavailable("the replica was not looked at yet") } }
    }

    /// Lends a connection to a closure.
    ///
    /// - Throws: `closed`; `unavailable`; `overloaded` when too many are lent; what the closure throws.
    func withConnection<Result>(_ body: (PostgreSQLConnection) throws -> Result) throws -> Result {
        let connection = try take()
        defer { giveBack(connection) }
        return try body(connection)
    }

    /// Whether the server is known to be away.
    var isAway: Bool { absence != nil }

    /// Why the server cannot be used; `nil` when it can, as far as is known.
    var absence: DatabaseError? { monitor.withLock { $0.absence } }

    /// Takes note of whether the server is there.
    ///
    /// - Parameter absence: why it cannot be used; `nil` when it can.
    func note(absence: DatabaseError?) {
        let (isNews, dropped) = monitor.withLock { state in
            let isNews = (state.absence == nil) != (absence == nil)
            state.absence = absence
            // None of them leads anywhere any more.
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

    /// Closes the connections that nobody has used for a while.
    func closeIdle() {
        closeIdle(for: Int64(configuration.idleLimit))
    }

    private func closeIdle(for milliseconds: Int64) {
        let oldest = Deadline.now - milliseconds
        let dropped = monitor.withLock { state in
            // The one given back last is last.
            let unused = state.idle.prefix { $0.since < oldest }
            state.idle.removeFirst(unused.count)
            return Array(unused)
        }
        _ = dropped
    }

    /// How many connections are open.
    var size: Int { monitor.withLock { $0.lent + $0.idle.count } }

    /// Lends no more, waits for those that are lent, closes all.
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
                // Whatever has forgotten this one has forgotten those that are as old, and each would be asked for as long.
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
            // A server that has no room for one connection more is there, and others may be using theirs.
            if error.kind == .unavailable, !error.isAboutRoom, isLast { note(absence: error) }
            throw error
        }
    }

    /// Counts one more as lent.
    ///
    /// - Returns: an idle one; `nil` where one is to be opened.
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
