internal import Synchronization

/// The server's clock, which all nodes of one database share, however wrong their own clocks are.
///
/// The server's clock is read at each connect and about every second. In between, the machine's monotonic clock
/// continues from there.
final class DatabaseClock: Sendable {
    /// The offset of the server's clock from the machine's monotonic clock, in milliseconds; 0 before it is known.
    private let offset = Atomic<Int64>(0)

    private let override: (@Sendable () -> Int64)?

    /// Creates a clock that does not know the server's time yet.
    ///
    /// - Parameter override: a clock to use instead, for tests.
    init(_ override: (@Sendable () -> Int64)? = nil) {
        self.override = override
    }

    /// The estimated time of the server's clock, in milliseconds since 1970.
    var now: Int64 { override?() ?? Deadline.now + offset.load(ordering: .relaxed) }

    /// Adjusts the clock to the server's answer, as far as the answer proves anything.
    ///
    /// A slow answer says little: if it is consistent with the known offset, the offset stays. Otherwise a slow answer
    /// would set this node back by seconds, and it would reject fresh tokens of other nodes.
    ///
    /// - Parameters:
    ///   - time: the server's clock, in milliseconds since 1970.
    ///   - asked: when it was asked, by ``Deadline/now``.
    ///   - answered: when the answer arrived.
    func set(_ time: Int64, asked: Int64, answered: Int64) {
        // The server read its clock at some time between question and answer.
        let known = offset.load(ordering: .relaxed)
        let told = known == 0 ? time - (asked + answered) / 2 : min(max(known, time - answered), time - asked)
        offset.store(told, ordering: .relaxed)
    }
}
