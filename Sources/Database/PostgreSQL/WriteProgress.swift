internal import Synchronization

/// How far the primary had come in writing at which time, so that it can be told how far a replica lags.
final class WriteProgress: Sendable {
    /// So far a replica may lag, in milliseconds.
    static let longestLag: Int64 = 5_000

    private let places = Mutex<[(time: Int64, position: Int64)]>([])

    /// Takes note of where the primary is now.
    func note(_ position: Int64) {
        places.withLock { places in
            places.append((Deadline.now, position))
            // The last one that is old enough is what is compared with.
            let old = places.prefix { $0.time < Deadline.now - Self.longestLag }.count
            if old > 1 { places.removeFirst(old - 1) }
        }
    }

    /// Whether a replica that has come to a position has all that was written until a moment ago.
    func isRecent(_ position: Int64) -> Bool {
        places.withLock { places in
            guard let first = places.first, first.time < Deadline.now - Self.longestLag else { return false }
            return position >= first.position
        }
    }
}
