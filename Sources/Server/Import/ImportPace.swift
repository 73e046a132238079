/// The number of users in one transaction, adjusted to the measured speed so that each transaction is short.
struct ImportPace: Sendable {
    /// The target duration of a transaction.
    ///
    /// With its commit, and on a busy machine, other writes then wait less than 50 ms.
    private static let aim = Duration.milliseconds(10)
    private static let sizes = 16...2048

    private(set) var size = 256

    /// Adjusts `size` after a transaction.
    ///
    /// - Parameters:
    ///   - took: how long the transaction occupied the writer.
    ///   - count: the number of users in the transaction.
    mutating func record(_ took: Duration, for count: Int) {
        guard count > 0 else { return }
        let each = max(took, .nanoseconds(100)) / count
        let fitting = Int(Self.aim / each)
        // Never much more than was tried, because the next transaction may touch other pages.
        size = min(max(fitting, Self.sizes.lowerBound), Self.sizes.upperBound, size * 2)
    }
}
