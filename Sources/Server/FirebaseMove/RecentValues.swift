/// Values by key that are forgotten after a time, in bounded memory and in constant time on average.
///
/// There are two generations of values, of which the older one is dropped as a whole. Times are milliseconds.
struct RecentValues<Key: Hashable, Value> {
    private let life: Int64
    private let limit: Int
    private var young: [Key: Value] = [:]
    private var old: [Key: Value] = [:]
    /// When the young generation began.
    private var beganAt: Int64 = 0

    /// Makes an empty collection.
    ///
    /// - Parameters:
    ///   - life: how long a value is kept at least, unless there are too many values. It is kept at most twice as long
    ///     if ``expire(at:)`` is called.
    ///   - limit: the number of values in a generation. With more, the oldest ones are forgotten early.
    init(life: Int64, limit: Int) {
        self.life = life
        self.limit = limit
    }

    /// The number of values.
    var count: Int { young.count + old.count }

    /// Returns the newest value of a key; `nil` if there is none, or if it was forgotten.
    subscript(key: Key) -> Value? { young[key] ?? old[key] }

    /// Stores a value.
    mutating func set(_ value: Value, for key: Key, at now: Int64) {
        expire(at: now)
        if young.count >= limit { beginGeneration(at: now) }
        young[key] = value
    }

    /// Forgets the values whose time has passed.
    mutating func expire(at now: Int64) {
        guard now - beganAt >= life else { return }
        // Nothing was stored since the younger generation should have become the older one.
        if now - beganAt >= 2 * life { young = [:] }
        beginGeneration(at: now)
    }

    private mutating func beginGeneration(at now: Int64) {
        old = young
        young = [:]
        beganAt = now
    }
}
