internal import Glibc

/// A moment by which something must have happened, whatever becomes of the machine's clock.
struct Deadline: Sendable {
    private let milliseconds: Int64

    /// So many milliseconds from now.
    init(in milliseconds: Int) {
        self.milliseconds = Self.now + Int64(milliseconds)
    }

    /// Milliseconds that are left, 0 if none.
    var left: Int32 { Int32(clamping: max(0, milliseconds - Self.now)) }

    var isOver: Bool { left == 0 }

    /// The monotonic clock in milliseconds.
    static var now: Int64 {
        var time = timespec()
        unsafe clock_gettime(CLOCK_MONOTONIC, &time)
        return Int64(time.tv_sec) * 1000 + Int64(time.tv_nsec) / 1_000_000
    }
}
