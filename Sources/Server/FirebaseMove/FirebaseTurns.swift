internal import Network

/// Decides which question to Firebase is asked next, without I/O: at most one a second for each network after a burst,
/// a number a second in all, and taken in turn between the networks.
///
/// A network is a site: an IPv4 /24 or an IPv6 /48. Turns are taken between blocks first (an IPv4 /16 or an IPv6 /32),
/// and then between the sites of a block, because one customer of a provider may have thousands of sites. For the same
/// reason, no block may have more questions waiting than there is room left, and full memory forgets sites instead of
/// refusing new ones. An attacker therefore shuts out only the attacker's own block.
///
/// Times are milliseconds of a clock that never goes back.
struct FirebaseTurns {
    /// The numbers that bound the questions.
    struct Limits {
        /// Questions that a network may ask at once after a pause.
        var burst: Int64 = 60
        /// Questions in a second from all networks.
        var perSecond = 200.0
        /// Questions that are asked at the same time.
        var lanes = 32
        /// Questions that wait.
        var waiting = 1000
        /// How long a question waits, in milliseconds.
        var patience: Int64 = 5000
        /// Networks that are remembered, in each of two generations.
        var networks = 50_000
    }

    /// What is left of the common allowance.
    private struct Bucket {
        var left: Double
        var at: Int64

        /// Adds what has accrued since.
        mutating func refill(perSecond: Double, at now: Int64) {
            left = min(perSecond, left + Double(max(0, now - at)) / 1000 * perSecond)
            at = now
        }
    }

    private struct Question {
        let id: UInt64
        let since: Int64
    }

    /// What happens to a waiting question.
    enum Step: Equatable {
        case ask(UInt64)
        /// The question has waited too long.
        case giveUp(UInt64)
    }

    /// The time in which a network accrues one question, in milliseconds.
    private static let interval: Int64 = 1000

    private let limits: Limits
    /// When each network has its whole burst again; a network without a value has it now.
    private var fullAt: RecentValues<NetworkPrefix, Int64>
    private var common: Bucket
    /// The waiting questions, by block and site.
    private var waiting = RoundRobin<NetworkPrefix, RoundRobin<NetworkPrefix, FirstComeLine<Question>>>()
    private var running = 0

    init(_ limits: Limits = Limits(), at now: Int64) {
        self.limits = limits
        fullAt = RecentValues(life: limits.burst * Self.interval, limit: limits.networks)
        common = Bucket(left: limits.perSecond, at: now)
    }

    /// The number of questions that wait.
    var waitingCount: Int { waiting.count }

    /// The number of networks in memory.
    var rememberedCount: Int { fullAt.count }

    /// Takes one question off the allowance of a client's network.
    ///
    /// - Returns: false if the network has used up its allowance.
    mutating func spend(_ client: IPAddress, at now: Int64) -> Bool {
        let site = NetworkPrefix.site(of: client)
        let next = max(now, fullAt[site] ?? now) + Self.interval
        guard next - now <= limits.burst * Self.interval else { return false }
        fullAt.set(next, for: site, at: now)
        return true
    }

    /// Adds a question.
    ///
    /// - Returns: false if no place is free, or if the client's block has as many waiting questions as places are free.
    mutating func enqueue(_ id: UInt64, of client: IPAddress, at now: Int64) -> Bool {
        let block = NetworkPrefix.block(of: client)
        guard waiting.count(in: block) < limits.waiting - waiting.count else { return false }
        waiting.append(to: block) { sites in
            sites.append(to: .site(of: client)) { $0.append(Question(id: id, since: now)) }
        }
        return true
    }

    /// Takes the next question off the queue; `nil` if none may be asked now.
    mutating func next(at now: Int64) -> Step? {
        guard let question = waiting.first else { return nil }
        if now - question.since > limits.patience {
            _ = waiting.popFirst()
            return .giveUp(question.id)
        }
        common.refill(perSecond: limits.perSecond, at: now)
        guard running < limits.lanes, common.left >= 1 else { return nil }
        common.left -= 1
        running += 1
        _ = waiting.popFirst()
        return .ask(question.id)
    }

    /// Milliseconds until the common allowance admits a waiting question; `nil` if none waits, or all lanes are busy.
    func pause(at now: Int64) -> Int64? {
        guard waiting.count > 0, running < limits.lanes else { return nil }
        return max(1, Int64((1 - common.left) / limits.perSecond * 1000) - max(0, now - common.at))
    }

    /// Records that an asked question was answered, or failed.
    mutating func finish() { running = max(0, running - 1) }

    /// Takes all waiting questions off the queue.
    mutating func giveUpAll() -> [UInt64] {
        var ids: [UInt64] = []
        while let question = waiting.popFirst() { ids.append(question.id) }
        return ids
    }
}
