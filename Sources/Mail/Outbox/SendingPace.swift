/// The recent speed of delivery, which determines how many e-mails to lease at once.
///
/// A newly queued e-mail waits behind those that were leased before it, whatever its rank. Therefore no more are leased
/// than can be sent in about half a second.
package struct SendingPace: Sendable {
    /// How much sending time the e-mails leased in advance should take.
    private static let ahead = Duration.milliseconds(500)
    /// The weight of each new e-mail in the moving average.
    private static let weight = 0.125

    /// The moving average of the time that one e-mail takes, in seconds; `nil` before the first.
    private var average: Double?

    package init() {}

    /// Records how long a worker took to send an e-mail or to fail.
    package mutating func record(_ time: Duration) {
        let seconds = max(time / .seconds(1), 0)
        average = average.map { $0 + (seconds - $0) * Self.weight } ?? seconds
    }

    /// Returns the number of e-mails to lease in advance, in addition to those being sent.
    ///
    /// - Parameters:
    ///   - workers: the number of workers.
    ///   - most: the maximum number.
    /// - Returns: at least one for each worker, as far as `most` allows.
    package func batch(workers: Int, most: Int) -> Int {
        // Before the first measurement, enough to keep the workers busy.
        guard let average else { return min(most, 4 * workers) }
        let ahead = Self.ahead / .seconds(1)
        let count = Double(workers) * ahead / max(average, 0.000_1)
        return max(min(Int(min(count, 1_000_000)), most), min(workers, most))
    }
}
