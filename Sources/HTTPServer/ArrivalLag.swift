/// How long requests wait in their sockets before a serving thread reads them, and whether that is a standing queue.
///
/// A burst, or a thread that was busy for a moment, makes requests wait once. Only when all requests of an interval have
/// waited for longer than the target do more requests arrive than the threads can answer. Then the ones that wait too
/// long are refused until none does for an interval (as CoDel drops packets, RFC 8289).
///
/// One in a few is served nevertheless. Otherwise clients that call again at once would make all requests late, and the
/// server would do nothing but refuse.
struct ArrivalLag {
    /// When a queue counts as standing.
    struct Bounds {
        /// The wait in milliseconds that is too long.
        var target = 50
        /// The length of an interval in milliseconds.
        var interval: Int64 = 500
        /// The number of measured requests without which an interval says nothing, because the server has little to do.
        var requests = 32
    }

    /// The share of late requests that are served nevertheless: one in so many.
    private static let served = 4

    /// Whether requests that have waited too long are to be refused.
    private(set) var isStanding = false
    private let bounds: Bounds
    private var began = Int64.min
    private var count = 0
    private var shortest = Int.max
    private var longest = 0
    private var late = 0

    init(_ bounds: Bounds) {
        self.bounds = bounds
    }

    /// Records the wait of a request.
    ///
    /// - Parameters:
    ///   - wait: the wait in milliseconds.
    ///   - now: the time as a ``Moment``.
    /// - Returns: whether the request is to be refused.
    mutating func refuses(_ wait: Int, at now: Int64) -> Bool {
        record(wait, at: now)
        guard isStanding, wait >= bounds.target else { return false }
        late += 1
        return late % Self.served != 0
    }

    private mutating func record(_ wait: Int, at now: Int64) {
        if began == .min || now - began >= bounds.interval {
            // After a longer pause, what was measured before it says nothing about now.
            let isRecent = began != .min && now - began < 2 * bounds.interval
            let persists = isStanding && longest >= bounds.target
            let begins = count >= bounds.requests && shortest >= bounds.target
            isStanding = isRecent && (persists || begins)
            (began, count, shortest, longest) = (now, 0, .max, 0)
        }
        count += 1
        shortest = min(shortest, wait)
        longest = max(longest, wait)
    }
}
