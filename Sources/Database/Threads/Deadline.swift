internal import Glibc

/// A time limit on the monotonic clock, independent of changes to the machine's clock.
struct Deadline: Sendable {
    private let milliseconds: Int64

    /// Sets the limit to a number of milliseconds from now.
    init(in milliseconds: Int) {
        self.milliseconds = Self.now + Int64(milliseconds)
    }

    /// The remaining milliseconds; 0 after the limit.
    var left: Int32 { Int32(clamping: max(0, milliseconds - Self.now)) }

    var isOver: Bool { left == 0 }

    /// The current time of the machine's monotonic clock, in milliseconds.
    static var now: Int64 {
        var time = timespec()
        unsafe clock_gettime(CLOCK_MONOTONIC, &time)
        return Int64(time.tv_sec) * 1000 + Int64(time.tv_nsec) / 1_000_000
    }

    /// The current time of the machine's monotonic clock, in microseconds.
    static var nowInMicroseconds: Int64 {
        var time = timespec()
        unsafe clock_gettime(CLOCK_MONOTONIC, &time)
        return Int64(time.tv_sec) * 1_000_000 + Int64(time.tv_nsec) / 1000
    }
}
