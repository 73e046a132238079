internal import Glibc

/// Lets time pass on a thread that has nothing else to do.
enum Pause {
    /// Sleeps for a moment of less than a second.
    static func make(_ duration: Duration) {
        let microseconds = min(duration.components.attoseconds / 1_000_000_000_000, 999_999)
        guard duration.components.seconds == 0, microseconds > 0 else { return }
        usleep(UInt32(microseconds))
    }
}
