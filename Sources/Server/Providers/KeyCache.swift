internal import Mail
internal import Tokens

/// The key that a token needs.
enum KeyWish: Sendable, Equatable {
    case named(String)
    /// The only one of its issuer.
    case only
    /// The only one of its issuer, which is not the one at hand: that did not sign it.
    case newer

    func isFulfilled(by keys: VerificationKeys) -> Bool {
        switch self {
        case .named(let keyID): keys[keyID] != nil
        case .only: keys.unnamed != nil
        case .newer: false
        }
    }
}

/// What is known of an issuer's keys, and when to ask again: rules without I/O.
///
/// All times are milliseconds since 1970.
struct KeyCache: Sendable {
    /// What to do for a token that names a key.
    enum Step: Sendable {
        /// Check it with these.
        case use(VerificationKeys)
        /// Ask the issuer first.
        case fetch
        /// It cannot be checked now.
        case refuse
    }

    /// The shortest and the longest time for which keys count as fresh, whatever the issuer says.
    static let lives: ClosedRange<Int64> = 300_000...86_400_000
    /// The life of keys whose issuer says nothing.
    static let usualLife: Int64 = 3_600_000
    /// For how long keys that are no longer fresh are used while the issuer does not answer.
    static let staleLife: Int64 = 86_400_000
    /// The shortest time between two searches for keys that are not in a fresh set: clients can name any.
    static let searchInterval: Int64 = 10_000
    /// When an issuer that did not answer is asked again.
    static let pauses = RetrySchedule(first: 1000, longest: 300_000)

    private var keys: VerificationKeys?
    private var fresh: Range<Int64> = 0..<0
    /// The time after a search.
    private var searched: Range<Int64> = 0..<0
    /// The time after a failure.
    private var pausing: Range<Int64> = 0..<0
    /// How often in a row the issuer did not answer.
    private var failures = 0

    // Ranges rather than ends, so that nothing lasts for ever when the clock is put back.

    /// Decides about a token.
    func step(for wish: KeyWish, at now: Int64) -> Step {
        if pausing.contains(now) { return stepWithoutAsking(for: wish, at: now) }
        guard let keys, fresh.contains(now) else { return .fetch }
        return wish.isFulfilled(by: keys) || searched.contains(now) ? .use(keys) : .fetch
    }

    /// Decides about a token when the issuer has just been asked, or is not to be.
    func stepWithoutAsking(for wish: KeyWish, at now: Int64) -> Step {
        guard let keys else { return .refuse }
        // While the issuer is silent, a key that is not known may be a new one.
        let isUsable = failures == 0 || wish.isFulfilled(by: keys) && now < fresh.upperBound + Self.staleLife
        return isUsable ? .use(keys) : .refuse
    }

    /// Seconds until asking makes sense again.
    func pause(at now: Int64) -> Int {
        Int(clamping: max(1, (pausing.upperBound - now + 999) / 1000))
    }

    /// Notes that the issuer is being asked.
    mutating func noteFetch(at now: Int64) {
        if fresh.contains(now) { searched = now..<now + Self.searchInterval }
    }

    /// Takes what the issuer answered.
    mutating func take(_ fetched: FetchedKeys, at now: Int64) {
        keys = fetched.keys
        let life = fetched.life ?? Self.usualLife
        fresh = now..<now + min(max(life, Self.lives.lowerBound), Self.lives.upperBound)
        pausing = 0..<0
        failures = 0
    }

    /// Notes that the issuer did not answer keys.
    ///
    /// - Parameter random: from 0 up to 1.
    mutating func noteFailure(at now: Int64, random: Double) {
        pausing = now..<now + Self.pauses.delay(attempts: failures, random: random)
        failures += 1
        // What was looked for was not found out.
        searched = 0..<0
    }
}
