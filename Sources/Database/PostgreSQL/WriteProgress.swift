internal import Synchronization

/// How far the primary had come in writing at which time, so that it can be told how far a replica lags.
final class WriteProgress: Sendable {
    /// So far a replica may lag, in milliseconds.
    let longestLag: Int64
    private let places = Mutex<[(time: Int64, position: Int64)]>([])

    init(longestLag: Int64 = 5_000) {
        self.longestLag = longestLag
    }

    /// Takes note of where the primary is now.
    func note(_ position: Int64) {
        places.withLock { places in
            places.append((Deadline.now, position))
            // The last one that is old enough is what is compared with.
            let old = places.prefix { $0.time < Deadline.now - longestLag }.count
            if old > 1 { places.removeFirst(old - 1) }
        }
    }

    /// Whether a replica that has come to a position has all that was written until a moment ago.
    func isRecent(_ position: Int64) -> Bool {
        places.withLock { places in
            let oldest = Deadline.now - longestLag
            // Of a primary that has not been heard of for so long, nobody knows what it has written since.
            guard let first = places.first, first.time < oldest, let last = places.last, last.time >= oldest else {
                return false
            }
            return position >= first.position
        }
    }
}
