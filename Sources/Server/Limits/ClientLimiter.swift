internal import Accounts
internal import HTTPServer
internal import Network
internal import Synchronization

/// Limits how often each client, and each network around it, causes one kind of event in an hour, such as a new guest
/// or a credential with a bad signature, on this node alone.
///
/// A client is an IPv4 address or an IPv6 /64. The networks around a client have a multiple of the client's limit
/// (``NetworkShares``), so that an attacker gains little by changing the address within a /48 or a /24. A use counts
/// for all of them, and is refused if any of them is used up. A refused use counts for none. Trusted proxies have no
/// limit.
///
/// The windows are fixed: the counts start again at each full hour.
///
/// The memory is bounded, even against an attacker who owns a /32 or more:
/// - A network that is used up adds no entries, so a /48 makes at most a few hundred.
/// - If ``Capacity/clients`` is reached, a new client gets no counter of its own. The counter of its network still
///   limits it.
/// - If a /32 (IPv4: a /16) has ``Capacity/sitesPerBlock`` networks with counters, or the table of networks is full,
///   the other networks of that /32 share one counter. Together they may use as much as those with counters. An
///   attacker therefore shuts out only the new networks of the attacker's own /32, and only after twice that many uses.
/// - If more of these blocks have a counter than ``Capacity/blocks``, further ones are not counted.
final class ClientLimiter: Sendable {
    /// The maximum numbers of counters in a limiter.
    struct Capacity: Sendable {
        /// Counters of clients, and of the networks between a client and its site.
        var clients = 100_000
        /// Counters of sites: IPv6 /48 and IPv4 /24.
        var sites = 100_000
        /// Sites with counters in one block: an IPv6 /32 or an IPv4 /16.
        var sitesPerBlock = 4096
        /// Blocks whose further sites share a counter.
        var blocks = 65_536
    }

    private struct Window {
        var number: Int64 = 0
        var used: [NetworkPrefix: Int32] = [:]
        var clients = 0
        /// The number of sites with counters in each block.
        var sites: [NetworkPrefix: Int32] = [:]
        var siteCount = 0
        var blocks = 0
    }

    /// A counter that a use adds to.
    private struct Counter {
        let network: NetworkPrefix
        let factor: Int
        /// The counter's index in the table; `nil` for a new counter.
        var index: Dictionary<NetworkPrefix, Int32>.Index?
        var kind = Kind.client
    }

    private enum Kind {
        case client, site, block
    }

    private static let length: Int64 = 3_600_000

    /// The name of the limit in refusals and in the log: that of its setting.
    let name: String
    private let limit: Atomic<Int>
    private let shares: NetworkShares
    private let exempt: [AddressRange]
    private let admission: NetworkAdmission?
    private let capacity: Capacity
    private let window = Mutex(Window())

    /// Makes a limiter in which nothing is counted yet.
    ///
    /// - Parameters:
    ///   - name: the name of the limit's setting, for logs and refusals.
    ///   - limit: the uses per hour of each client.
    ///   - shares: for each size of network that contains a client, how many times `limit` the whole network may use.
    ///   - exempt: trusted proxies, which have no limit.
    ///   - admission: the operator's lists, whose allowed networks have no limit either.
    ///   - capacity: the maximum numbers of clients and networks in memory.
    init(
        _ name: String,
        limit: Int,
        shares: NetworkShares = NetworkShares(),
        exempt: [AddressRange] = [],
        admission: NetworkAdmission? = nil,
        capacity: Capacity = Capacity()
    ) {
        self.name = name
        self.limit = Atomic(limit)
        self.shares = shares
        self.exempt = exempt
        self.admission = admission
        self.capacity = capacity
    }

    /// Counts one use, unless it is refused.
    ///
    /// - Parameters:
    ///   - client: the address of the client.
    ///   - now: milliseconds since 1970.
    ///   - divisor: what the limits are divided by, such as 4 for a budget that is shrunk to a quarter. They stay at
    ///     least 1.
    /// - Throws: ``Refusal`` TOO_MANY_ATTEMPTS_TRY_LATER beyond the limit.
    func use(_ client: IPAddress, at now: Int64, dividedBy divisor: Int = 1) throws {
        guard count(client, at: now, dividedBy: divisor, adding: true) else { throw refusal(at: now) }
    }

    /// Refuses a client that has used up its limit, or that of a network around it, for this hour, without counting a
    /// use.
    ///
    /// - Throws: ``Refusal`` TOO_MANY_ATTEMPTS_TRY_LATER.
    func check(_ client: IPAddress, at now: Int64, dividedBy divisor: Int = 1) throws {
        guard hasRoom(for: client, at: now, dividedBy: divisor) else { throw refusal(at: now) }
    }

    /// Whether a use would be allowed; counts nothing.
    ///
    /// - Parameter divisor: as for ``use(_:at:dividedBy:)``. If a use is refused with a divisor and allowed without,
    ///   the network has used up only its reduced budget.
    func hasRoom(for client: IPAddress, at now: Int64, dividedBy divisor: Int = 1) -> Bool {
        count(client, at: now, dividedBy: divisor, adding: false)
    }

    /// Takes one use off the counts of a client and its networks in the current hour, for a request that cost nothing
    /// in the end.
    func giveBack(_ client: IPAddress, at now: Int64) {
        window.withLock { window in
            guard window.number == now / Self.length else { return }
            let last = client.family == .v4 ? 1 : 2
            for position in 0...last {
                guard let share = shares.share(of: client, at: position),
                    let index = counter(share, position == last ? .site : .client, of: client, in: window)?.index,
                    window.used.values[index] > 0
                else { continue }
                window.used.values[index] -= 1
            }
        }
    }

    /// Uses another limit from now on; what was counted stays.
    func use(limit: Int) {
        self.limit.store(limit, ordering: .relaxed)
    }

    /// Resets all counters.
    func reset() {
        window.withLock { $0 = Window() }
    }

    /// Sets the counters of clients and networks in a range, and of networks around it, to zero.
    func forget(_ range: AddressRange) {
        window.withLock { window in
            for network in window.used.keys.filter({ range.overlaps($0) }) { window.used[network] = 0 }
        }
    }

    private func refusal(at now: Int64) -> Refusal {
        let untilReset = Self.length - now % Self.length
        return Refusal(.tooManyAttempts, retryAfter: Int(untilReset / 1000) + 1, limit: name)
    }

    /// Whether the client and its networks have room for one use.
    ///
    /// Counts the use if `adding` is set.
    private func count(_ client: IPAddress, at now: Int64, dividedBy divisor: Int, adding: Bool) -> Bool {
        guard !exempt.contains(where: { $0.contains(client) }), admission?.isExempt(client) != true else { return true }
        let number = now / Self.length
        return window.withLock { window in
            if window.number != number { window = Window(number: number) }
            var counters: InlineArray<3, Counter?> = [nil, nil, nil]
            let last = client.family == .v4 ? 1 : 2
            for position in 0...last {
                guard let share = shares.share(of: client, at: position) else { break }
                let kind: Kind = position == last ? .site : .client
                guard let counter = counter(share, kind, of: client, in: window) else { continue }
                let used = counter.index.map { Int(window.used.values[$0]) } ?? 0
                guard used < allowance(counter.factor, dividedBy: divisor) else { return false }
                counters[position] = counter
            }
            if adding { add(counters, of: client, to: &window) }
            return true
        }
    }

    private func allowance(_ factor: Int, dividedBy divisor: Int) -> Int {
        let (whole, isTooLarge) = limit.load(ordering: .relaxed).multipliedReportingOverflow(by: factor)
        return max(1, min(isTooLarge ? .max : whole, Int(Int32.max)) / max(1, divisor))
    }

    /// Returns the counter that counts uses for a network: its own, or that of its block; `nil` if there is no room for
    /// a new counter.
    private func counter(_ share: NetworkShares.Share, _ kind: Kind, of client: IPAddress, in window: Window)
        -> Counter?
    {
        if let index = window.used.index(forKey: share.network) {
            return Counter(network: share.network, factor: share.factor, index: index, kind: kind)
        }
        switch kind {
        case .client:
            guard window.clients < capacity.clients else { return nil }
            return Counter(network: share.network, factor: share.factor, kind: kind)
        case .site, .block:
            let block = NetworkPrefix.block(of: client)
            let sites = Int(window.sites[block] ?? 0)
            if sites < capacity.sitesPerBlock, window.siteCount < capacity.sites {
                return Counter(network: share.network, factor: share.factor, kind: .site)
            }
            let factor = share.factor * capacity.sitesPerBlock
            if let index = window.used.index(forKey: block) {
                return Counter(network: block, factor: factor, index: index, kind: .block)
            }
            guard window.blocks < capacity.blocks else { return nil }
            return Counter(network: block, factor: factor, kind: .block)
        }
    }

    private func add(_ counters: InlineArray<3, Counter?>, of client: IPAddress, to window: inout Window) {
        // Existing entries first, because adding an entry moves the others.
        for position in 0..<3 {
            if let index = counters[position]?.index { window.used.values[index] += 1 }
        }
        for position in 0..<3 {
            guard let counter = counters[position], counter.index == nil else { continue }
            window.used[counter.network] = 1
            switch counter.kind {
            case .client: window.clients += 1
            case .site:
                window.sites[NetworkPrefix.block(of: client), default: 0] += 1
                window.siteCount += 1
            case .block: window.blocks += 1
            }
        }
    }
}
