/// The growing waits before a failed attempt is repeated.
package struct RetrySchedule: Sendable, Equatable {
    /// The wait before the first retry, in milliseconds, before ``delay(attempts:random:)`` takes off a random part.
    ///
    /// The wait doubles with each further retry, up to ``longest``.
    package var first: Int64
    /// The longest wait, in milliseconds.
    package var longest: Int64

    package init(first: Int64 = 30_000, longest: Int64 = 3_600_000) {
        self.first = first
        self.longest = longest
    }

    /// Returns the wait after a failed attempt.
    ///
    /// Up to half of the wait is taken off at random, so that attempts that failed together are not repeated together.
    ///
    /// - Parameters:
    ///   - attempts: the number of counted attempts before the failed one; 0 gives the first wait.
    ///   - random: a random number from 0 to 1; a larger one makes the wait shorter.
    /// - Returns: the wait in milliseconds.
    package func delay(attempts: Int, random: Double) -> Int64 {
        var delay = min(first, longest)
        for _ in 0..<max(0, min(attempts, 62)) where delay < longest {
            delay = delay > longest / 2 ? longest : delay * 2
        }
        return delay - Int64(Double(delay) * 0.5 * min(max(random, 0), 1))
    }
}
