internal import Accounts
internal import Synchronization

/// ID tokens whose signature was found good a while ago, known by their digest: checking a signature costs more than
/// everything else that a call about a user does.
///
/// Remembers only what the token says, for as long as its keys are in force. Whether the token's time and session still
/// last is asked on every call, as for any other token. Bounded: two generations of digests, the older going as a whole.
final class VerifiedTokens: Sendable {
    /// What a good token says.
    struct Entry: Sendable {
        /// As it is while the token has not expired.
        let token: PresentedToken
        /// Seconds since 1970; the token is good before this second.
        let expiresAt: Int64

        /// Whether the token says nothing at this moment that would need another look.
        func isCurrent(at now: Int64) -> Bool {
            token.issuedAt <= now && now < expiresAt
        }
    }

    private struct State {
        var young: [[UInt8]: Entry] = [:]
        var old: [[UInt8]: Entry] = [:]
        /// Counts up when the keys change, so that what was checked against earlier ones is not noted afterwards.
        var keys = 0
    }

    private let limit: Int
    private let state = Mutex(State())

    /// - Parameter limit: how many tokens a generation holds.
    init(limit: Int = 2048) {
        self.limit = limit
    }

    /// The number of the keys in force, to be given back to ``note(_:_:checkedUnder:)``.
    var keys: Int { state.withLock(\.keys) }

    /// What the token with this digest says, unless it has to be checked (again).
    func find(_ digest: [UInt8], at now: Int64) -> PresentedToken? {
        state.withLock { state in
            guard let entry = state.young[digest] ?? state.old[digest], entry.isCurrent(at: now) else { return nil }
            if state.young[digest] == nil { add(entry, digest, to: &state) }
            return entry.token
        }
    }

    /// Notes a token that was found good under the keys of that number.
    func note(_ digest: [UInt8], _ entry: Entry, checkedUnder keys: Int) {
        state.withLock { state in
            if state.keys == keys { add(entry, digest, to: &state) }
        }
    }

    /// Forgets everything, because the keys have changed.
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
