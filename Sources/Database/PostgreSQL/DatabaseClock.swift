internal import Synchronization

/// The server's clock, told by ours: all nodes of one database go by it, however wrong their own are.
///
/// It is asked for at each connect and about every second; in between the machine's monotonic clock goes on from there.
final class DatabaseClock: Sendable {
    /// What the server's clock is ahead of the machine's monotonic one, in milliseconds; 0 before it was told.
    private let offset = Atomic<Int64>(0)

    private let override: (@Sendable () -> Int64)?

    /// - Parameter override: what to go by instead, for tests.
    init(_ override: (@Sendable () -> Int64)? = nil) {
        self.override = override
    }

    /// Milliseconds since 1970.
    var now: Int64 { override?() ?? Deadline.now + offset.load(ordering: .relaxed) }

    /// Takes what the server said, as far as it proves anything.
    ///
    /// An answer that took long says little: with what was known before the clock agrees as well as with any other guess, so it
    /// stays as it is. Otherwise a slow answer would set this node seconds back, and it would refuse the others' fresh tokens.
    ///
    /// - Parameters:
    ///   - time: its clock, in milliseconds since 1970.
    ///   - asked: when it was asked, by ``Deadline/now``.
    ///   - answered: when the answer was there.
    func set(_ time: Int64, asked: Int64, answered: Int64) {
        // It looked at its clock somewhere in between.
        let known = offset.load(ordering: .relaxed)
        let told = known == 0 ? time - (asked + answered) / 2 : min(max(known, time - answered), time - asked)
        offset.store(told, ordering: .relaxed)
    }
}
