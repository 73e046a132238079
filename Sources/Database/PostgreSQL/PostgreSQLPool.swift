/// Connections, lent to one thread at a time and opened as they are needed.
///
/// The one given back last is lent first, its statements still prepared. While the server is away, only one thread in a while
/// tries to reach it, and all others are told at once.
final class PostgreSQLPool: Sendable {
    private struct State {
        var idle: [PostgreSQLConnection] = []
        var lent = 0
        var isClosed = false
        /// When the server may be tried again, by ``Deadline/now``.
        var tryAgainAt: Int64 = 0
        var lastFailure: DatabaseError?
    }

    /// How long after a connect that failed the next is tried, in milliseconds.
    private static let pause: Int64 = 250

    let clock: DatabaseClock
    private let configuration: PostgreSQLConfiguration
    private let limit: Int
    private let monitor = Monitor(State())

    init(_ configuration: PostgreSQLConfiguration) {
        self.configuration = configuration
        clock = DatabaseClock(configuration.clock)
        limit = configuration.connections + configuration.maximumReaders
    }

    /// Lends a connection to a closure.
    ///
    /// - Throws: `closed`; `unavailable`; `overloaded` when too many are lent; what the closure throws.
    func withConnection<Result>(_ body: (PostgreSQLConnection) throws -> Result) throws -> Result {
        let connection = try take()
        defer { giveBack(connection) }
        return try body(connection)
    }

    /// Lends no more, waits for those that are lent, closes all.
    func close() {
        monitor.withLock { $0.isClosed = true }
        _ = monitor.wait { state -> [PostgreSQLConnection]? in
            guard state.lent == 0 else { return nil }
            defer { state.idle = [] }
            return state.idle
        }
    }

    private func take() throws(DatabaseError) -> PostgreSQLConnection {
        while let idle = try next() {
            if idle.isUsable { return idle }
            monitor.withLock { $0.lent -= 1 }
        }
        do throws(DatabaseError) {
            let connection = try PostgreSQLConnection(configuration)
            try connection.setUp(clock)
            monitor.withLock { $0.lastFailure = nil }
            return connection
        } catch {
            monitor.withLock { state in
                state.lent -= 1
                state.lastFailure = error
                state.tryAgainAt = Deadline.now + Self.pause
            }
            monitor.wakeAll()
            throw error
        }
    }

    /// Counts one more as lent.
    ///
    /// - Returns: an idle one; `nil` where one is to be opened.
    private func next() throws(DatabaseError) -> PostgreSQLConnection? {
        try monitor.withLock { (state: inout State) throws(DatabaseError) -> PostgreSQLConnection? in
            if state.isClosed { throw .closed }
            if state.lent >= limit { throw .overloaded }
            if let connection = state.idle.popLast() {
                state.lent += 1
                return connection
            }
            if let failure = state.lastFailure {
                guard Deadline.now >= state.tryAgainAt else { throw failure }
                // Whoever comes next is told at once; this one tries.
                state.tryAgainAt = Deadline.now + Int64(configuration.connectTimeout)
            }
            state.lent += 1
            return nil
        }
    }

    private func giveBack(_ connection: PostgreSQLConnection) {
        let isUsable = connection.isUsable
        monitor.withLock { state in
            state.lent -= 1
            if isUsable, !state.isClosed { state.idle.append(connection) }
        }
        monitor.wakeAll()
    }
}
