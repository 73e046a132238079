internal import Synchronization

/// Counts values by their size, from any thread and without a lock.
package final class Histogram: Sendable {
    /// The counts at one moment.
    package struct Snapshot: Sendable, Equatable {
        /// The upper bounds of the buckets but the last, which has none; in the unit of the recorded values.
        package let bounds: [Int]
        /// The number of values in each bucket, those of lower buckets not included.
        package let counts: [Int]
        /// The sum of all values.
        package let sum: Int

        /// Makes a snapshot from its parts.
        package init(bounds: [Int], counts: [Int], sum: Int) {
            self.bounds = bounds
            self.counts = counts
            self.sum = sum
        }

        /// The number of all values.
        package var count: Int { counts.reduce(0, &+) }
    }

    /// The largest number of bounds.
    package static let mostBounds = 14

    private let bounds: [Int]
    /// Two cache lines for each shard: its buckets, and in the last word the sum of its values.
    private let cells: InlineArray<128, Atomic<Int>>
    private static let stride = 128 / Shard.count

    /// Makes an empty histogram.
    ///
    /// - Parameter bounds: the upper bounds of its buckets, included in them, ascending; those beyond ``mostBounds``
    ///   are ignored. One more bucket has all larger values.
    package init(bounds: [Int]) {
        self.bounds = Array(bounds.prefix(Self.mostBounds))
        cells = InlineArray { _ in Atomic(0) }
    }

    /// Counts a value.
    package func record(_ value: Int) {
        var bucket = 0
        while bucket < bounds.count, value > bounds[bucket] { bucket += 1 }
        let first = Shard.current * Self.stride
        cells[first + bucket].wrappingAdd(1, ordering: .relaxed)
        cells[first + Self.stride - 1].wrappingAdd(value, ordering: .relaxed)
    }

    /// The counts so far.
    package var snapshot: Snapshot {
        func total(_ word: Int) -> Int {
            (0..<Shard.count).reduce(0) { $0 &+ cells[$1 * Self.stride + word].load(ordering: .relaxed) }
        }
        return Snapshot(bounds: bounds, counts: (0...bounds.count).map(total), sum: total(Self.stride - 1))
    }
}
