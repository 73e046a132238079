internal import Network

/// Decides which question to Firebase is asked next, without I/O: at most one a second for each network after a burst,
/// a number a second in all, and taken in turn between the networks.
///
/// Times are milliseconds of a clock that never goes back.
struct FirebaseTurns {
    /// The numbers that bound the questions.
    struct Limits {
        /// Questions that a network may ask at once after a pause.
        var burst = 60.0
        /// Questions in a second from all networks.
        var perSecond = 200.0
        /// Questions that are asked at the same time.
        var lanes = 32
        /// Questions that wait.
        var waiting = 1000
        /// How long a question waits, in milliseconds.
        var patience: Int64 = 5000
        /// Networks that are remembered.
        var networks = 50_000
    }

    /// What is left of a network's or of the common allowance.
    private struct Bucket {
        var left: Double
        var at: Int64

        /// Adds what has accrued since.
        mutating func refill(perSecond: Double, upTo most: Double, at now: Int64) {
            left = min(most, left + Double(max(0, now - at)) / 1000 * perSecond)
            at = now
        }
    }

    /// What happens to a waiting question.
    enum Step: Equatable {
        case ask(UInt64)
        /// The question has waited too long.
        case giveUp(UInt64)
    }

    private let limits: Limits
    private var buckets: [NetworkPrefix: Bucket] = [:]
    private var common: Bucket
    private var waiting: [NetworkPrefix: [(id: UInt64, since: Int64)]] = [:]
    /// The networks with waiting questions, the next one first.
    private var turns: [NetworkPrefix] = []
    private(set) var waitingCount = 0
    private var running = 0

    init(_ limits: Limits = Limits(), at now: Int64) {
        self.limits = limits
        common = Bucket(left: limits.perSecond, at: now)
    }

    /// Adds a question.
    ///
    /// - Returns: false if the network has used up its allowance, or too many questions wait.
    mutating func enqueue(_ id: UInt64, of network: NetworkPrefix, at now: Int64) -> Bool {
        guard waitingCount < limits.waiting else { return false }
        if buckets[network] == nil, buckets.count >= limits.networks {
            // A network that was not heard of for a whole burst has its full allowance again.
            let full = now - Int64(limits.burst * 1000)
            buckets = buckets.filter { $0.value.at > full }
            guard buckets.count < limits.networks else { return false }
        }
        var bucket = buckets[network] ?? Bucket(left: limits.burst, at: now)
        bucket.refill(perSecond: 1, upTo: limits.burst, at: now)
        defer { buckets[network] = bucket }
        guard bucket.left >= 1 else { return false }
        bucket.left -= 1
        if waiting[network] == nil { turns.append(network) }
        waiting[network, default: []].append((id, now))
        waitingCount += 1
        return true
    }

    /// Takes back the question that a network added last; its allowance stays used.
    mutating func withdrawLast(of network: NetworkPrefix) {
        guard waiting[network]?.popLast() != nil else { return }
        waitingCount -= 1
        guard waiting[network]?.isEmpty == true else { return }
        waiting[network] = nil
        turns.removeAll { $0 == network }
    }

    /// Takes the next question off the queue; `nil` if none may be asked now.
    mutating func next(at now: Int64) -> Step? {
        guard let network = turns.first, let first = waiting[network]?.first else { return nil }
        if now - first.since > limits.patience {
            takeFirst(of: network)
            return .giveUp(first.id)
        }
        common.refill(perSecond: limits.perSecond, upTo: limits.perSecond, at: now)
        guard running < limits.lanes, common.left >= 1 else { return nil }
        common.left -= 1
        running += 1
        takeFirst(of: network)
        return .ask(first.id)
    }

    /// Milliseconds until the common allowance admits a waiting question; `nil` if none waits, or all lanes are busy.
    func pause(at now: Int64) -> Int64? {
        guard !turns.isEmpty, running < limits.lanes else { return nil }
        return max(1, Int64((1 - common.left) / limits.perSecond * 1000) - max(0, now - common.at))
    }

    /// Records that an asked question was answered, or failed.
    mutating func finish() { running = max(0, running - 1) }

    /// Takes all waiting questions off the queue.
    mutating func giveUpAll() -> [UInt64] {
        defer {
            waiting = [:]
            turns = []
            waitingCount = 0
        }
        return waiting.values.flatMap { $0.map(\.id) }
    }

    private mutating func takeFirst(of network: NetworkPrefix) {
        turns.removeFirst()
        waitingCount -= 1
        waiting[network]?.removeFirst()
        if waiting[network]?.isEmpty ?? true { waiting[network] = nil } else { turns.append(network) }
    }
}
