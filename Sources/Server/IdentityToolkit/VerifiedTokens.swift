internal import Accounts
internal import Synchronization

/// A cache of ID tokens whose signature was verified before, by their digest.
///
/// Verifying a signature costs more than everything else that a call about a user does. The cache stores only the
/// content of the token, for as long as its keys are current. Whether the token has expired and its session has ended
/// is checked on every call, as for any other token. The size is bounded: two generations of digests, of which the
/// older is dropped as a whole.
final class VerifiedTokens: Sendable {
    /// The content of a valid token.
    struct Entry: Sendable {
        /// The content of the token, as it is before its expiry.
        let token: PresentedToken
        /// The second since 1970 from which on the token is expired.
        let expiresAt: Int64

        /// Whether the token is neither expired nor issued in the future.
        ///
        /// - Parameter now: seconds since 1970.
        func isCurrent(at now: Int64) -> Bool {
            token.issuedAt <= now && now < expiresAt
        }
    }

    private struct State {
        var young: [[UInt8]: Entry] = [:]
        var old: [[UInt8]: Entry] = [:]
        /// A number that grows when the keys change, so that tokens verified with earlier keys are not stored
        /// afterwards.
        var keys = 0
    }

    private let limit: Int
    private let state = Mutex(State())

    /// Makes an empty cache.
    ///
    /// - Parameter limit: the number of tokens in a generation, of which the cache has two.
    init(limit: Int = 2048) {
        self.limit = limit
    }

    /// The number of the current keys, to pass to ``record(_:_:checkedUnder:)``.
    var keys: Int { state.withLock(\.keys) }

    /// Returns the cached token with this digest; `nil` if it must be verified, because it is not cached or its times
    /// are not valid.
    ///
    /// - Parameters:
    ///   - digest: the SHA-256 of the token's text.
    ///   - now: seconds since 1970.
    func find(_ digest: [UInt8], at now: Int64) -> PresentedToken? {
        state.withLock { state in
            guard let entry = state.young[digest] ?? state.old[digest], entry.isCurrent(at: now) else { return nil }
            if state.young[digest] == nil { add(entry, digest, to: &state) }
            return entry.token
        }
    }

    /// Stores a token, unless the keys have changed since it was verified.
    ///
    /// - Parameters:
    ///   - digest: the SHA-256 of the token's text.
    ///   - entry: the content of the token.
    ///   - keys: the value of ``keys`` before the token was verified.
    func record(_ digest: [UInt8], _ entry: Entry, checkedUnder keys: Int) {
        state.withLock { state in
            if state.keys == keys { add(entry, digest, to: &state) }
        }
    }

    /// Drops all tokens, because the keys have changed.
    func forget() {
        state.withLock { $0 = State(keys: $0.keys + 1) }
    }

    private func add(_ entry: Entry, _ digest: [UInt8], to state: inout State) {
        if state.young.count >= limit {
            state.old = state.young
            state.young = [:]
        }
        state.young[digest] = entry
    }
}
