/// How fast jobs leave a queue, and therefore how long a new one would wait.
///
/// Only measured while jobs wait for threads, and not threads for jobs.
struct QueuePace {
    /// The number of jobs whose time weighs as much as that of all earlier ones.
    private static let memory = 256.0

    /// The average time between two jobs that leave the queue, in microseconds; 0 until it was measured.
    private(set) var interval = 0.0
    /// The number of jobs taken last, and when, in microseconds; `nil` if the time until the next ones says nothing.
    private var last: (count: Int, at: Int64)?

    /// Records that a thread took jobs.
    ///
    /// - Parameters:
    ///   - count: the number of jobs.
    ///   - now: the time by ``Deadline/nowInMicroseconds``.
    ///   - hasWaited: whether the thread had to wait for them.
    ///   - areTypical: whether the time that these jobs take says something about others: not if they must run alone,
    ///     because such a job may take a thousand times longer.
    mutating func take(_ count: Int, at now: Int64, hasWaited: Bool, areTypical: Bool) {
        if let last, !hasWaited {
            let measured = Double(max(0, now - last.at)) / Double(last.count)
            let weight = Double(last.count) / (Double(last.count) + Self.memory)
            interval = interval == 0 ? measured : interval + (measured - interval) * weight
        }
        last = areTypical && count > 0 ? (count, now) : nil
    }

    /// Returns the time that a new job would wait behind so many others, in milliseconds.
    func wait(behind count: Int) -> Double { Double(count) * interval / 1000 }
}
