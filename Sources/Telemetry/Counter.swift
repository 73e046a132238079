internal import Synchronization

/// A number that only grows, counted by any thread without a lock.
package final class Counter: Sendable {
    /// One cache line for each shard, of which the first word counts.
    private let cells: InlineArray<64, Atomic<Int>>
    private static let stride = 64 / Shard.count

    /// Makes a counter at 0.
    package init() {
        cells = InlineArray { _ in Atomic(0) }
    }

    /// Adds to the counter.
    ///
    /// - Parameter count: how much; not negative.
    package func add(_ count: Int = 1) {
        cells[Shard.current * Self.stride].wrappingAdd(count, ordering: .relaxed)
    }

    /// The sum of what was added so far.
    package var value: Int {
        (0..<Shard.count).reduce(0) { $0 &+ cells[$1 * Self.stride].load(ordering: .relaxed) }
    }
}
