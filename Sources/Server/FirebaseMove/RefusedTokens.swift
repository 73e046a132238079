internal import Synchronization

/// Refresh tokens that Firebase refused as invalid in the last ten minutes, by their keyed hashes, so that it is not
/// asked again.
final class RefusedTokens: Sendable {
    /// How long a token is remembered, in milliseconds.
    private static let life: Int64 = 600_000

    private let refusals = Mutex(RecentValues<String, Int64>(life: life, limit: 10_000))

    /// The number of hashes in memory.
    var count: Int { refusals.withLock { $0.count } }

    /// Whether the token was refused in the last ten minutes.
    func contains(_ digest: String, at now: Int64) -> Bool {
        refusals.withLock { refusals in
            guard let at = refusals[digest] else { return false }
            return (0..<Self.life).contains(now - at)
        }
    }

    /// Remembers a token that Firebase has just refused.
    func insert(_ digest: String, at now: Int64) {
        refusals.withLock { $0.set(now, for: digest, at: now) }
    }

    /// Forgets tokens that were refused more than ten minutes ago.
    func expire(at now: Int64) {
        refusals.withLock { $0.expire(at: now) }
    }
}
