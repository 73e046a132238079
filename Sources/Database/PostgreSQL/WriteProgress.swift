internal import Synchronization

/// The primary's write positions over time, from which a replica's lag is calculated.
final class WriteProgress: Sendable {
    /// The maximum lag of a replica, in milliseconds.
    let longestLag: Int64
    private let places = Mutex<[(time: Int64, position: Int64)]>([])

    init(longestLag: Int64 = 5_000) {
        self.longestLag = longestLag
    }

    /// Records the primary's current write position, in bytes of its write-ahead log.
    func record(_ position: Int64) {
        places.withLock { places in
            places.append((Deadline.now, position))
            // The latest position that is old enough is the one to compare with.
            let old = places.prefix { $0.time < Deadline.now - longestLag }.count
            if old > 1 { places.removeFirst(old - 1) }
        }
    }

    /// Whether a replica at a position has everything that was written up to ``longestLag`` ago; `false` while the
    /// primary's positions before and after that time are not both known.
    func isRecent(_ position: Int64) -> Bool {
        places.withLock { places in
            let oldest = Deadline.now - longestLag
            // If the primary has not answered for that long, its writes since then are unknown.
            guard let first = places.first, first.time < oldest, let last = places.last, last.time >= oldest else {
                return false
            }
            return position >= first.position
        }
    }
}
