/// Limits how many values of a label a metric shows, so that the number of its series stays bounded.
///
/// A value that was admitted stays, because a counter must not vanish or go down. The others share one series.
package struct SeriesBudget<Value: Hashable & Sendable>: Sendable {
    private let limit: Int
    private var admitted: Set<Value> = []

    /// Makes a budget of which nothing is used.
    ///
    /// - Parameter limit: the number of values to admit.
    package init(limit: Int) {
        self.limit = limit
    }

    /// Whether a value has a series of its own, which it gets if there is room.
    package mutating func admits(_ value: Value) -> Bool {
        if admitted.contains(value) { return true }
        guard admitted.count < limit else { return false }
        admitted.insert(value)
        return true
    }
}
