/// Connections that only read, each lent to one thread at a time.
///
/// The most recently returned connection is lent first, so that a thread that reads again finds its statements and
/// pages cached. At most one connection is open for each thread that reads at the same moment.
final class ReaderPool: Sendable {
    private struct State {
        var idle: [SQLiteConnection] = []
        var lent = 0
        var isClosed = false
    }

    private let limit: Int
    private let open: @Sendable () throws(DatabaseError) -> SQLiteConnection
    private let monitor = Monitor(State())

    /// Creates a pool without open connections.
    ///
    /// - Parameters:
    ///   - limit: the number of connections that may be lent at the same moment.
    ///   - open: opens another connection.
    init(limit: Int, open: @escaping @Sendable () throws(DatabaseError) -> SQLiteConnection) {
        self.limit = limit
        self.open = open
    }

    /// Lends a connection to a closure.
    ///
    /// - Throws: `closed`; `overloaded` when too many are lent; what opening or the closure throws.
    func withReader<Result>(_ body: (SQLiteConnection) throws -> Result) throws -> Result {
        let connection = try take()
        defer { giveBack(connection) }
        return try body(connection)
    }

    /// The numbers of open connections, and of those that are lent.
    var counts: (open: Int, lent: Int) { monitor.withLock { ($0.idle.count + $0.lent, $0.lent) } }

    /// Whether ``close()`` was called.
    ///
    /// Long work then stops at its next step.
    var isClosed: Bool { monitor.withLock { $0.isClosed } }

    /// Stops lending, waits for all lent connections, and closes them.
    func close() {
        monitor.withLock { $0.isClosed = true }
        let idle = monitor.wait { state -> [SQLiteConnection]? in
            guard state.lent == 0 else { return nil }
            defer { state.idle = [] }
            return state.idle
        }
        for connection in idle { connection.close() }
    }

    private func take() throws(DatabaseError) -> SQLiteConnection {
        let idle = try monitor.withLock { (state: inout State) throws(DatabaseError) -> SQLiteConnection? in
            if state.isClosed { throw .closed }
            if state.lent >= limit { throw .overloaded }
            state.lent += 1
            return state.idle.popLast()
        }
        if let idle { return idle }
        do {
            return try open()
        } catch {
            giveBack(nil)
            throw error
        }
    }

    private func giveBack(_ connection: SQLiteConnection?) {
        let isClosed = monitor.withLock { state in
            state.lent -= 1
            if let connection { state.idle.append(connection) }
            return state.isClosed
        }
        if isClosed { monitor.wakeAll() }
    }
}
