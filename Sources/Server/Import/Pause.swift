internal import Glibc

/// Pauses a thread that has no other work.
enum Pause {
    /// Blocks the thread for a duration of less than a second; returns at once for any other duration, also a negative
    /// one.
    static func make(_ duration: Duration) {
        let microseconds = min(duration.components.attoseconds / 1_000_000_000_000, 999_999)
        guard duration.components.seconds == 0, microseconds > 0 else { return }
        usleep(UInt32(microseconds))
    }
}
