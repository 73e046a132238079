internal import CMicrohttpd
internal import Glibc
internal import Network
internal import Synchronization

/// All open connections.
///
/// A socket in here is open, and stays so while the lock is held: whoever wants to shut one down does it under the
/// lock, and so never meets a number that the system has given to another.
final class ConnectionRegistry: Sendable {
    private struct State {
        var records: [UInt64: ConnectionRecord] = [:]
        /// The connections of each client, and of each network around it that a limit is kept for.
        var counts: [NetworkPrefix: Int] = [:]
        var lastID: UInt64 = 0
        /// The connections that were shut down to make room and are not closed yet.
        var evicted: Set<UInt64> = []
        /// Before this moment nothing can be evicted that was not looked at just now.
        var nextEviction: Int64 = 0
    }

    /// How long to wait after a search that found too few connections to evict, in milliseconds.
    private static let evictionPause: Int64 = 50
    /// How long a connection may wait for its client before it can be evicted, in milliseconds: a client that has just
    /// connected is about to send its request.
    private static let evictionGrace: Int64 = 100

    private let shares: NetworkShares
    private let state = Mutex(State())

    /// - Parameter shares: the networks to count connections of, and what each may have.
    init(shares: NetworkShares = NetworkShares()) {
        self.shares = shares
    }

    /// Adds a connection, before anything is read from it.
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
            for share in shares.shares(of: address) { state.counts[share.network, default: 0] += 1 }
            return record
        }
    }

    /// Removes a connection, before its socket is closed.
    func remove(_ record: ConnectionRecord) {
        state.withLock { state in
            guard state.records.removeValue(forKey: record.id) != nil else { return }
            state.evicted.remove(record.id)
            for share in shares.shares(of: record.address) {
                let count = state.counts[share.network, default: 1] - 1
                state.counts[share.network] = count == 0 ? nil : count
            }
        }
    }

    subscript(_ id: UInt64) -> ConnectionRecord? {
        state.withLock { $0.records[id] }
    }

    var all: [ConnectionRecord] {
        state.withLock { Array($0.records.values) }
    }

    var count: Int {
        state.withLock(\.records.count)
    }

    /// Whether a client, and each network around it, has fewer connections than it may.
    ///
    /// - Parameters:
    ///   - address: the client.
    ///   - limit: how many connections one client may have.
    func hasRoom(for address: IPAddress, limit: Int) -> Bool {
        state.withLock { state in
            shares.shares(of: address).allSatisfy { share in
                state.counts[share.network, default: 0] / share.factor < limit
            }
        }
    }

    /// Shuts down connections that wait for their clients once `limit` connections are open, so that new ones find room.
    ///
    /// Connections that are already shut down do not count. The threads of the others notice as they notice a client's leaving.
    ///
    /// - Parameters:
    ///   - limit: how many connections may be open without any being shut down.
    ///   - count: how many to shut down at a time, since the search looks at all of them.
    ///   - now: the time as a `Moment`.
    /// - Returns: how many were shut down.
    func makeRoom(limit: Int, closing count: Int, at now: Int64) -> Int {
        state.withLock { state in
            guard state.records.count - state.evicted.count >= limit, now >= state.nextEviction else { return 0 }
            let latest = now - Self.evictionGrace
            let waiting = state.records.values.filter { record in
                !record.isTrusted && record.isReceiving.load(ordering: .relaxed)
                    && record.idleSince.load(ordering: .relaxed) <= latest && !state.evicted.contains(record.id)
            }
            let chosen = EvictionOrder.first(count, of: waiting) { record in
                // What has arrived may be the rest of a request, which is not the client's delay.
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

    /// The connections whose deadline passed, each once.
    ///
    /// Those that wait for nobody are shut down on the spot, which their threads notice as the client's leaving.
    func overdue(at now: Int64) -> [ConnectionRecord] {
        state.withLock { state in
            var overdue: [ConnectionRecord] = []
            for record in state.records.values where record.deadline.load(ordering: .relaxed) <= now {
                record.deadline.store(Moment.never, ordering: .relaxed)
                if case .nobody = record.current { shutdown(record.socket, Int32(SHUT_RDWR)) }
                overdue.append(record)
            }
            return overdue
        }
    }

    /// Lets go of connections without a request that were silent since `moment`.
    func endIdle(since moment: Int64) {
        state.withLock { state in
            for record in state.records.values {
                let isIdle =
                    !record.isBusy.load(ordering: .acquiring) && record.idleSince.load(ordering: .relaxed) <= moment
                // Closing the reading half only: a request that arrives in this very moment is still read and answered.
                if isIdle, latchkey_http_unread(record.socket) == 0 { shutdown(record.socket, Int32(SHUT_RD)) }
            }
        }
    }
}
