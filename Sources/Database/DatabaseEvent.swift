/// What an operator should know of.
package enum DatabaseEvent: Sendable, CustomStringConvertible {
    /// A batch of closures could not be committed together; each now runs alone.
    case batchBroke(closures: Int, DatabaseError)
    /// A write failed for a reason that lies with the machine: no space, a failing disk, a lock held too long.
    case writeFailed(DatabaseError)
    /// The write-ahead log could not be brought back; it is tried again.
    case checkpointFailed(DatabaseError)
    /// Stored data is damaged.
    case damaged(DatabaseError)
    /// The server went away, or has gone silent: everything is refused until it answers.
    case serverAway(DatabaseError)
    /// The server answers again.
    case serverBack
    /// The replica went away, or fell behind: the primary answers for it.
    case replicaAway(DatabaseError)
    /// The replica answers again.
    case replicaBack
    /// Closures of the last minute that ran again, since others had got in their way.
    case repeated([Tally])
    /// What all closures came to, when the database was closed.
    case served([Tally])
    /// Other nodes cannot be heard; it is tried again, and what they do is found by looking.
    case nodesUnheard(DatabaseError)
    /// Other nodes are heard again.
    case nodesHeard

    /// Whether it only says how things go.
    package var isStatistics: Bool {
        switch self {
        case .repeated, .served: true
        default: false
        }
    }

    /// One line for the log.
    package var description: String {
        switch self {
        case .batchBroke(let closures, let error): "a batch of \(closures) writes broke, each runs alone: \(error)"
        case .writeFailed(let error): "a write failed: \(error)"
        case .checkpointFailed(let error): "a checkpoint failed and will be tried again: \(error)"
        case .damaged(let error): "stored data is damaged; restore a backup: \(error)"
        case .serverAway(let error): "the server is away: \(error)"
        case .serverBack: "the server is back"
        case .replicaAway(let error): "the replica cannot be used: \(error)"
        case .replicaBack: "the replica is used"
        case .repeated(let tallies):
            "others got in the way, so they ran again: " + tallies.map(\.repetition).joined(separator: "; ")
        case .served(let tallies): "in all: " + tallies.map(\.cost).joined(separator: "; ")
        case .nodesUnheard(let error):
            "other nodes are not heard, only what they have done is seen a little later: \(error)"
        case .nodesHeard: "other nodes are heard again"
        }
    }
}
