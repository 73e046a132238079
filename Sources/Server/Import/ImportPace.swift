/// How many users go into one transaction: as many as the writer is held for a moment only, on this machine.
struct ImportPace: Sendable {
    /// What a transaction should take, so that with its commit, and on a busy machine, others wait for less than 50 ms.
    private static let aim = Duration.milliseconds(10)
    private static let sizes = 16...2048

    private(set) var size = 256

    /// Learns from a transaction.
    ///
    /// - Parameters:
    ///   - took: how long it held the writer.
    ///   - count: how many users it took.
    mutating func note(_ took: Duration, for count: Int) {
        guard count > 0 else { return }
        let each = max(took, .nanoseconds(100)) / count
        let fitting = Int(Self.aim / each)
        // Never much more than was tried: the next one may meet other pages.
        size = min(max(fitting, Self.sizes.lowerBound), Self.sizes.upperBound, size * 2)
    }
}
