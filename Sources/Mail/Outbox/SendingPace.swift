/// How fast mails have left lately, and so how many are worth taking at once.
///
/// A mail that is queued now waits behind those that were taken before it, whatever its rank. So no more are taken than can be
/// sent in about half a second.
package struct SendingPace: Sendable {
    /// How much work to have in hand.
    private static let ahead = Duration.milliseconds(500)
    /// How much of the average each mail makes up.
    private static let weight = 0.125

    /// How long a mail takes, in seconds; `nil` before the first.
    private var average: Double?

    package init() {}

    /// Counts a mail that a worker has sent, or tried to.
    package mutating func note(_ time: Duration) {
        let seconds = max(time / .seconds(1), 0)
        average = average.map { $0 + (seconds - $0) * Self.weight } ?? seconds
    }

    /// How many mails to have in hand, beside those that are being sent.
    ///
    /// - Parameters:
    ///   - workers: how many send at the same time.
    ///   - most: how many at most.
    /// - Returns: at least one for each worker, as far as `most` allows.
    package func batch(workers: Int, most: Int) -> Int {
        // Nothing is known yet: enough to keep the workers busy while the first mails tell.
        guard let average else { return min(most, 4 * workers) }
        let ahead = Self.ahead / .seconds(1)
        let count = Double(workers) * ahead / max(average, 0.000_1)
        return max(min(Int(min(count, 1_000_000)), most), min(workers, most))
    }
}
