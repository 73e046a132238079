internal import CMicrohttpd
internal import Glibc
internal import Network
internal import Synchronization

/// All open connections.
///
/// A connection is expected from the moment at which it was accepted, and registered once its thread knows it. A
/// registered socket is open, and stays open while the lock is held. Code that shuts down a socket holds the lock, so
/// that the descriptor cannot have been reused for another socket.
final class ConnectionRegistry: Sendable {
    private struct State {
        var records: [UInt64: ConnectionRecord] = [:]
        /// The clients of the connections that were handed to a thread and are not registered yet, by their sockets.
        var expected: [Int32: IPAddress] = [:]
        /// The number of connections of each thread.
        var loads: [Int]
        /// The number of connections of each client, and of each network around it that has a limit.
        var counts: [NetworkPrefix: Int] = [:]
        var lastID: UInt64 = 0
        /// The connections that were shut down to make room and are not closed yet.
        var evicted: Set<UInt64> = []
        /// The time before which no search for connections to evict is made, as a `Moment`.
        var nextEviction: Int64 = 0
    }

    /// How long no search for connections to evict is made after one that found too few, in milliseconds.
    private static let evictionPause: Int64 = 50
    /// How long a connection must wait for its client before it can be evicted, in milliseconds.
    ///
    /// A client that has just connected is about to send its request.
    private static let evictionGrace: Int64 = 100

    private let shares: NetworkShares
    private let state: Mutex<State>

    /// Creates a registry without connections.
    ///
    /// - Parameters:
    ///   - shares: the networks whose connections are counted, with their limits as multiples of a client's.
    ///   - threads: the number of serving threads.
    init(shares: NetworkShares = NetworkShares(), threads: Int = 1) {
        self.shares = shares
        state = Mutex(State(loads: Array(repeating: 0, count: max(1, threads))))
    }

    /// Returns the index of the thread that should serve a connection: one with the fewest connections, and of several the
    /// one that ``Daemon/add(_:_:_:)`` offers the socket to.
    func thread(for socket: Int32) -> Int {
        state.withLock { state in
            let own = Int(socket) % state.loads.count
            let least = state.loads.min() ?? 0
            return state.loads[own] == least ? own : state.loads.firstIndex(of: least) ?? own
        }
    }

    /// Counts a connection before it is handed to its thread.
    func expect(_ socket: Int32, from address: IPAddress) {
        state.withLock { state in
            // An entry of this socket is of a connection that its thread could not start.
            if let earlier = state.expected.updateValue(address, forKey: socket) {
                discount(&state, socket, earlier)
            }
            count(&state, socket, address)
        }
    }

    /// Ends the counting of a connection that could not be handed to a thread.
    func abandon(_ socket: Int32) {
        state.withLock { state in
            if let address = state.expected.removeValue(forKey: socket) { discount(&state, socket, address) }
        }
    }

    private func count(_ state: inout State, _ socket: Int32, _ address: IPAddress) {
        state.loads[Int(socket) % state.loads.count] += 1
        for share in shares.shares(of: address) { state.counts[share.network, default: 0] += 1 }
    }

    private func discount(_ state: inout State, _ socket: Int32, _ address: IPAddress) {
        state.loads[Int(socket) % state.loads.count] -= 1
        for share in shares.shares(of: address) {
            let count = state.counts[share.network, default: 1] - 1
            state.counts[share.network] = count == 0 ? nil : count
        }
    }

    /// Adds a connection before anything is read from it.
    func add(socket: Int32, address: IPAddress, isTrusted: Bool = false, deadline: Int64) -> ConnectionRecord {
        state.withLock { state in
            state.lastID += 1
            let record = ConnectionRecord(
                id: state.lastID,
                socket: socket,
                address: address,
                isTrusted: isTrusted,
                deadline: deadline
            )
            state.records[record.id] = record
            if let expected = state.expected.removeValue(forKey: socket) { discount(&state, socket, expected) }
            count(&state, socket, address)
            return record
        }
    }

    /// Removes a connection before its socket is closed.
    func remove(_ record: ConnectionRecord) {
        state.withLock { state in
            guard state.records.removeValue(forKey: record.id) != nil else { return }
            state.evicted.remove(record.id)
            discount(&state, record.socket, record.address)
        }
    }

    subscript(_ id: UInt64) -> ConnectionRecord? {
        state.withLock { $0.records[id] }
    }

    var all: [ConnectionRecord] {
        state.withLock { Array($0.records.values) }
    }

    /// The number of connections, expected ones included.
    var count: Int {
        state.withLock { $0.records.count + $0.expected.count }
    }

    /// The number of connections that their threads know.
    var registeredCount: Int {
        state.withLock(\.records.count)
    }

    /// Whether a client, and each network around it, is below its connection limit.
    ///
    /// - Parameters:
    ///   - address: the client.
    ///   - limit: the maximum number of connections of one client.
    func hasRoom(for address: IPAddress, limit: Int) -> Bool {
        state.withLock { state in
            shares.shares(of: address).allSatisfy { share in
                state.counts[share.network, default: 0] / share.factor < limit
            }
        }
    }

    /// Shuts down connections that wait for their clients, once `limit` connections are open, to make room for new
    /// ones.
    ///
    /// Connections of trusted proxies, and those with unread data, are not shut down. Connections that are already shut
    /// down do not count. To a connection's thread, the shutdown looks as if the client had left. The method does
    /// nothing for a short time after a search that found too few connections.
    ///
    /// - Parameters:
    ///   - limit: the number of open connections from which connections are shut down.
    ///   - count: how many to shut down at once, because each search scans all connections.
    ///   - now: the time as a `Moment`.
    /// - Returns: the number of connections shut down.
    func makeRoom(limit: Int, closing count: Int, at now: Int64) -> Int {
        state.withLock { state in
            guard state.records.count + state.expected.count - state.evicted.count >= limit, now >= state.nextEviction
            else { return 0 }
            let latest = now - Self.evictionGrace
            let waiting = state.records.values.filter { record in
                !record.isTrusted && record.isReceiving.load(ordering: .relaxed)
                    && record.idleSince.load(ordering: .relaxed) <= latest && !state.evicted.contains(record.id)
            }
            let chosen = EvictionOrder.first(count, of: waiting) { record in
                // Unread data may be the rest of a request, so the client is not the one that delays.
                latchkey_http_unread(record.socket) == 0
            }
            for record in chosen {
                shutdown(record.socket, Int32(SHUT_RDWR))
                state.evicted.insert(record.id)
            }
            if chosen.count < count { state.nextEviction = now + Self.evictionPause }
            return chosen.count
        }
    }

    /// Returns the connections whose deadline has passed, each once.
    ///
    /// Their deadlines are cleared. Connections without a suspended request or stream are shut down at once, which
    /// looks to their threads as if the client had left. The caller ends the others.
    func overdue(at now: Int64) -> [ConnectionRecord] {
        state.withLock { state in
            var overdue: [ConnectionRecord] = []
            for record in state.records.values where record.deadline.load(ordering: .relaxed) <= now {
                record.deadline.store(Moment.never, ordering: .relaxed)
                if case .nothing = record.current { shutdown(record.socket, Int32(SHUT_RDWR)) }
                overdue.append(record)
            }
            return overdue
        }
    }

    /// Stops reading from connections that have neither a request nor unread data and have been silent since a moment,
    /// so that they end.
    ///
    /// - Parameters:
    ///   - moment: the moment for connections whose first request was answered.
    ///   - earlier: the moment for connections that have not sent a request yet.
    func endIdle(since moment: Int64, new earlier: Int64) {
        state.withLock { state in
            for record in state.records.values {
                let latest = record.hasAnswered.load(ordering: .relaxed) ? moment : earlier
                let isIdle =
                    !record.isBusy.load(ordering: .acquiring) && record.idleSince.load(ordering: .relaxed) <= latest
                // Closes only the reading half, so that a request arriving at this moment is still read and answered.
                if isIdle, latchkey_http_unread(record.socket) == 0 { shutdown(record.socket, Int32(SHUT_RD)) }
            }
        }
    }
}
