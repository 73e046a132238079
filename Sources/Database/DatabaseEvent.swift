/// An event of the database that the operator should find in the log.
package enum DatabaseEvent: Sendable, CustomStringConvertible {
    /// A batch of SQLite's closures could not be committed together, so each runs alone.
    case batchBroke(closures: Int, DatabaseError)
    /// A closure failed because of the machine, the server or a lock: no space, a failing disk, a lock held too long, a
    /// time limit.
    ///
    /// With PostgreSQL, this is reported also for closures that only read.
    case writeFailed(DatabaseError)
    /// SQLite's write-ahead log could not be copied back into the file. The copy is tried again later.
    case checkpointFailed(DatabaseError)
    /// A check found destroyed pages in the SQLite file. Checks then end, so this is reported once.
    case damaged(DatabaseError)
    /// The primary server went away or is silent. Until it answers, all closures fail at once, except reads that a
    /// replica can serve.
    case serverAway(DatabaseError)
    /// The primary server can be used again.
    case serverBack
    /// The replica went away or fell behind. The primary serves the reads that the replica would serve.
    case replicaAway(DatabaseError)
    /// The replica can be used again, also for the first time after the start.
    case replicaBack
    /// The kinds of closures that were retried in the last minute because of conflicts, each with its statistics of
    /// that minute.
    case repeated([TransactionStatistics])
    /// The statistics of all kinds of closures, reported when a PostgreSQL database is closed.
    case served([TransactionStatistics])
    /// The notification channel between nodes is down. Connecting is retried, and changes by other nodes are found by
    /// polling.
    case nodesUnheard(DatabaseError)
    /// The notification channel between nodes works again.
    case nodesHeard
    /// Nodes of an earlier version use the database, so all transactions that write are SERIALIZABLE.
    case nodesOlder
    /// The nodes of an earlier version have stopped.
    case nodesNew

    /// Whether the event only reports statistics.
    package var isStatistics: Bool {
        switch self {
        case .repeated, .served: true
        default: false
        }
    }

    /// The event as one line for the log, without bound values.
    package var description: String {
        switch self {
        case .batchBroke(let closures, let error):
            "a batch of \(closures) writes failed, so each write runs alone: \(error)"
        case .writeFailed(let error): "a write failed: \(error)"
        case .checkpointFailed(let error): "a checkpoint failed and will be tried again: \(error)"
        case .damaged(let error): "stored data is damaged; restore a backup: \(error)"
        case .serverAway(let error): "the server is unavailable: \(error)"
        case .serverBack: "the server is available again"
        case .replicaAway(let error): "the replica cannot be used: \(error)"
        case .replicaBack: "the replica is in use"
        case .repeated(let statistics):
            "repeated after conflicts: " + statistics.map(\.repetition).joined(separator: "; ")
        case .served(let statistics): "in all: " + statistics.map(\.cost).joined(separator: "; ")
        case .nodesUnheard(let error):
            "notifications from other nodes do not arrive, so their changes are seen a little later: \(error)"
        case .nodesHeard: "notifications from other nodes arrive again"
        case .nodesOlder: "nodes of an earlier version run, so writes are slower until they have stopped"
        case .nodesNew: "the nodes of an earlier version have stopped"
        }
    }
}
