internal import Synchronization

/// The server's clock, told by ours: all nodes of one database go by it, however wrong their own are.
///
/// It is asked for at each connect and every few seconds; in between the machine's monotonic clock goes on from there.
final class DatabaseClock: Sendable {
    /// What the server's clock is ahead of the machine's monotonic one, in milliseconds.
    private let offset = Atomic<Int64>(0)

    private let override: (@Sendable () -> Int64)?

    /// - Parameter override: what to go by instead, for tests.
    init(_ override: (@Sendable () -> Int64)? = nil) {
        self.override = override
    }

    /// Milliseconds since 1970.
    var now: Int64 { override?() ?? Deadline.now + offset.load(ordering: .relaxed) }

    /// Takes what the server said.
    ///
    /// - Parameters:
    ///   - time: its clock, in milliseconds since 1970.
    ///   - asked: when it was asked, by ``Deadline/now``.
    ///   - answered: when the answer was there.
    func set(_ time: Int64, asked: Int64, answered: Int64) {
        // It looked at its clock somewhere in between: what we know already stays where it may be so, however long that took.
        let possible = min(time - answered, time - asked)...max(time - answered, time - asked)
        if possible.contains(offset.load(ordering: .relaxed)) { return }
        offset.store(time - (asked + answered) / 2, ordering: .relaxed)
    }
}
