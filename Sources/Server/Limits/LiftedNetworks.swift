internal import AccountDatabase
internal import Accounts
internal import Database
internal import Network
internal import Synchronization

/// The networks whose limits were lifted within the last hour, by which nodes forget what they counted in memory.
///
/// They are stored as a setting, because a command runs in another process than the servers. Nodes read it every few
/// seconds.
final class LiftedNetworks: Sendable {
    private static let setting = "lifted-networks"
    /// The length of the windows of limits, after which a network needs no entry any more.
    private static let life: Int64 = 3_600_000

    /// The time of the newest entry that this node has applied.
    private let applied: Mutex<Int64>

    /// Makes the state of a node that has counted nothing before a time, in milliseconds since 1970.
    init(since now: Int64) {
        applied = Mutex(now)
    }

    /// Adds a network to the setting.
    static func add(_ range: AddressRange, in transaction: Transaction) throws {
        let others = try entries(in: transaction).filter { $0.at > transaction.now - life && $0.range != range }
        let all = others + [(at: transaction.now, range: range)]
        try transaction.set(setting, to: all.map { "\($0.at) \($0.range)" }.joined(separator: "\n"))
    }

    /// Reads the setting.
    static func entries(in transaction: Transaction) throws -> [(at: Int64, range: AddressRange)] {
        (try transaction.setting(setting) ?? "").split(separator: "\n").compactMap { line in
            let parts = line.split(separator: " ")
            guard parts.count == 2, let at = Int64(parts[0]), let range = AddressRange(String(parts[1])) else {
                return nil
            }
            return (at, range)
        }
    }

    /// Makes the limiters forget the networks that were lifted since the last call.
    func apply(_ entries: [(at: Int64, range: AddressRange)], to limiters: ClientLimiters) {
        let new = applied.withLock { applied in
            let new = entries.filter { $0.at > applied }
            applied = new.map(\.at).max() ?? applied
            return new
        }
        for (_, range) in new { limiters.forget(range) }
    }
}
