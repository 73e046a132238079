internal import LeasedQueue

/// Stops questions while Firebase does not answer them, without I/O.
///
/// Five failures in a row open the breaker. After a pause, which doubles up to half a minute, one question finds out
/// whether Firebase is back. Times are milliseconds of a clock that never goes back.
struct FirebaseBreaker {
    /// The number of failures in a row that open the breaker.
    static let tolerance = 5
    private static let pauses = RetrySchedule(first: 1000, longest: 30_000)

    private var failures = 0
    private var opensAgainAt: Int64 = 0
    /// Whether a question is finding out if Firebase is back.
    private var isProbing = false

    /// Whether no questions are asked, except one after each pause.
    var isOpen: Bool { failures >= Self.tolerance }

    /// Whether a question may be asked now; if the breaker is open, the question that finds out.
    mutating func admits(at now: Int64) -> Bool {
        guard isOpen else { return true }
        guard now >= opensAgainAt, !isProbing else { return false }
        isProbing = true
        return true
    }

    /// Lets another question find out, because the one that was to do so was not asked.
    mutating func release() { isProbing = false }

    /// Records the outcome of a question.
    ///
    /// - Parameter random: from 0 up to 1.
    mutating func record(success: Bool, at now: Int64, random: Double) {
        isProbing = false
        if success {
            failures = 0
        } else {
            failures += 1
            guard isOpen else { return }
            opensAgainAt = now + Self.pauses.delay(attempts: failures - Self.tolerance, random: random)
        }
    }
}
