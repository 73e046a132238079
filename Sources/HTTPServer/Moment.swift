internal import CMicrohttpd

/// Times for deadlines, in milliseconds of a monotonic clock that is cheap enough for every request.
enum Moment {
    static let never = Int64.max

    static var now: Int64 { latchkey_http_now() }

    /// The time in nanoseconds, for measuring.
    static var nanoseconds: Int { Int(latchkey_http_nanoseconds()) }

    static func after(_ duration: Duration) -> Int64 {
        now + milliseconds(duration)
    }

    /// Converts a duration to milliseconds: at least 0, and at most a year so that sums never overflow.
    static func milliseconds(_ duration: Duration) -> Int64 {
        let (seconds, attoseconds) = duration.components
        guard seconds < 31_536_000 else { return 31_536_000_000 }
        return max(0, seconds * 1000 + attoseconds / 1_000_000_000_000_000)
    }
}
