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
        var counts: [IPAddress: Int] = [:]
        var lastID: UInt64 = 0
    }

    private let state = Mutex(State())

    /// Adds a connection, before anything is read from it.
    func add(socket: Int32, address: IPAddress, deadline: Int64) -> ConnectionRecord {
        state.withLock { state in
            state.lastID += 1
            let record = ConnectionRecord(id: state.lastID, socket: socket, address: address, deadline: deadline)
            state.records[record.id] = record
            state.counts[address.networkKey, default: 0] += 1
            return record
        }
    }

    /// Removes a connection, before its socket is closed.
    func remove(_ record: ConnectionRecord) {
        state.withLock { state in
            guard state.records.removeValue(forKey: record.id) != nil else { return }
            let key = record.address.networkKey
            let count = state.counts[key, default: 1] - 1
            state.counts[key] = count == 0 ? nil : count
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

    func count(of address: IPAddress) -> Int {
        state.withLock { $0.counts[address.networkKey, default: 0] }
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
