/// When a mail is tried again.
package struct RetrySchedule: Sendable, Equatable {
    /// Before the first repetition, in milliseconds; doubled with each.
    package var first: Int64
    /// The longest wait, in milliseconds.
    package var longest: Int64

    package init(first: Int64 = 30_000, longest: Int64 = 3_600_000) {
        self.first = first
        self.longest = longest
    }

    /// For a server that refuses us: an operator has to come first.
    package static let misconfigured = RetrySchedule(first: 300_000)

    /// The wait after an attempt.
    ///
    /// Half of it is random, so that mails which failed together do not come back together.
    ///
    /// - Parameters:
    ///   - attempts: how many attempts have counted before the one that failed.
    ///   - random: from 0 up to 1.
    /// - Returns: milliseconds.
    package func delay(attempts: Int, random: Double) -> Int64 {
        var delay = min(first, longest)
        for _ in 0..<max(0, min(attempts, 62)) where delay < longest {
            delay = delay > longest / 2 ? longest : delay * 2
        }
        return delay - Int64(Double(delay) * 0.5 * min(max(random, 0), 1))
    }
}
