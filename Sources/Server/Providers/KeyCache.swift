internal import LeasedQueue
internal import Tokens

/// The key of an issuer that is needed to verify a token.
enum KeyWish: Sendable, Equatable {
    case named(String)
    /// The token names no key: the only key of its issuer.
    case only
    /// The token names no key, and the cached key did not sign it: a newer key of its issuer.
    case newer

    func isFulfilled(by keys: VerificationKeys) -> Bool {
        switch self {
        case .named(let keyID): keys[keyID] != nil
        case .only: keys.unnamed != nil
        case .newer: false
        }
    }
}

/// The cached keys of an issuer, and the rules for when to fetch them again, without I/O.
///
/// All times are milliseconds since 1970.
struct KeyCache: Sendable {
    /// What to do with a token.
    enum Step: Sendable {
        /// Verify the token with these keys.
        case use(VerificationKeys)
        /// Fetch the issuer's keys first.
        case fetch
        /// Refuse the token, because it cannot be verified now.
        case refuse
    }

    /// The shortest and the longest time for which keys are fresh, whatever the issuer says.
    static let lives: ClosedRange<Int64> = 300_000...86_400_000
    /// The life of keys if the issuer gives none.
    static let usualLife: Int64 = 3_600_000
    /// How long keys that are no longer fresh are used while the issuer does not answer.
    static let staleLife: Int64 = 86_400_000
    /// The shortest time between two searches for keys missing from a fresh set, because clients can name any key.
    static let searchInterval: Int64 = 10_000
    /// The pauses before an issuer that did not answer is asked again.
    static let pauses = RetrySchedule(first: 1000, longest: 300_000)

    private var keys: VerificationKeys?
    private var fresh: Range<Int64> = 0..<0
    /// The time after a search for a missing key, in which no other search is made.
    private var searched: Range<Int64> = 0..<0
    /// The time after a failure, in which the issuer is not asked.
    private var pausing: Range<Int64> = 0..<0
    /// The number of consecutive failures.
    private var failures = 0

    // Ranges rather than end times, so that no state lasts for ever when the clock is set back.

    /// Decides what to do with a token that needs a key.
    func step(for wish: KeyWish, at now: Int64) -> Step {
        if pausing.contains(now) { return stepWithoutAsking(for: wish, at: now) }
        guard let keys, fresh.contains(now) else { return .fetch }
        return wish.isFulfilled(by: keys) || searched.contains(now) ? .use(keys) : .fetch
    }

    /// Decides what to do with a token when the issuer was just asked, or must not be asked.
    func stepWithoutAsking(for wish: KeyWish, at now: Int64) -> Step {
        guard let keys else { return .refuse }
        // While the issuer does not answer, an unknown key may be a new one.
        let isUsable = failures == 0 || wish.isFulfilled(by: keys) && now < fresh.upperBound + Self.staleLife
        return isUsable ? .use(keys) : .refuse
    }

    /// The number of seconds until the issuer may be asked again, at least 1.
    func pause(at now: Int64) -> Int {
        Int(clamping: max(1, (pausing.upperBound - now + 999) / 1000))
    }

    /// Records that a fetch begins, which counts as a search for a missing key if the keys are fresh.
    mutating func recordFetch(at now: Int64) {
        if fresh.contains(now) { searched = now..<now + Self.searchInterval }
    }

    /// Stores fetched keys.
    mutating func take(_ fetched: FetchedKeys, at now: Int64) {
        keys = fetched.keys
        let life = fetched.life ?? Self.usualLife
        fresh = now..<now + min(max(life, Self.lives.lowerBound), Self.lives.upperBound)
        pausing = 0..<0
        failures = 0
    }

    /// Records that a fetch failed.
    ///
    /// - Parameter random: from 0 up to 1.
    mutating func recordFailure(at now: Int64, random: Double) {
        pausing = now..<now + Self.pauses.delay(attempts: failures, random: random)
        failures += 1
        // The search did not find out whether the key exists.
        searched = 0..<0
    }
}
