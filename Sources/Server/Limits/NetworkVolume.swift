internal import Accounts
internal import Network
internal import Synchronization

/// Limits the bytes that each network may store in an hour, counted by this node alone.
///
/// A network is the range that one site usually has: the /48 of an IPv6 address, the /24 of an IPv4 address. The
/// windows are fixed: the counts start again at each full hour.
final class NetworkVolume: Sendable {
    private struct Window {
        var number: Int64 = 0
        var used: [NetworkPrefix: Int] = [:]
        /// The bytes of all networks that arrived when the table was full.
        var others = 0
    }

    private static let length: Int64 = 3_600_000
    private static let mostNetworks = 100_000

    private let limit: Atomic<Int>
    private let exempt: [AddressRange]
    private let admission: NetworkAdmission?
    private let window = Mutex(Window())

    /// Makes a limiter in which nothing is counted yet.
    ///
    /// - Parameters:
    ///   - limit: the bytes per hour of each network.
    ///   - exempt: trusted proxies, which have no limit.
    ///   - admission: the operator's lists, whose allowed networks have no limit either.
    init(limit: Int, exempt: [AddressRange] = [], admission: NetworkAdmission? = nil) {
        self.limit = Atomic(limit)
        self.exempt = exempt
        self.admission = admission
    }

    /// Counts bytes that a client of a network stores.
    ///
    /// - Throws: ``Refusal`` TOO_MANY_ATTEMPTS_TRY_LATER if the network would exceed its limit; then nothing is
    ///   counted.
    func use(_ bytes: Int, by client: IPAddress, at now: Int64) throws {
        let isWithin = count(bytes, by: client, at: now) { $0 <= limit.load(ordering: .relaxed) }
        guard isWithin else {
            let untilReset = Self.length - now % Self.length
            throw Refusal(
                .tooManyAttempts,
                retryAfter: Int(untilReset / 1000) + 1,
                limit: "limits.guestBytesPerNetwork"
            )
        }
    }

    /// Counts bytes that were stored in addition to those that ``use(_:by:at:)`` counted, even beyond the limit.
    func add(_ bytes: Int, by client: IPAddress, at now: Int64) {
        _ = count(bytes, by: client, at: now) { _ in true }
    }

    /// Uses another limit from now on; what was counted stays.
    func use(limit: Int) {
        self.limit.store(limit, ordering: .relaxed)
    }

    /// Resets all counts.
    func reset() {
        window.withLock { $0 = Window() }
    }

    /// Sets the counts of networks in a range, and of networks around it, to zero.
    func forget(_ range: AddressRange) {
        window.withLock { window in
            for network in window.used.keys.filter({ range.overlaps($0) }) { window.used[network] = 0 }
        }
    }

    private func count(_ bytes: Int, by client: IPAddress, at now: Int64, _ isWithin: (Int) -> Bool) -> Bool {
        if exempt.contains(where: { $0.contains(client) }) || admission?.isExempt(client) == true { return true }
        let network = NetworkPrefix.site(of: client)
        return window.withLock { window in
            if window.number != now / Self.length { window = Window(number: now / Self.length) }
            let isKnown = window.used[network] != nil || window.used.count < Self.mostNetworks
            let used = (isKnown ? window.used[network, default: 0] : window.others) + bytes
            guard isWithin(used) else { return false }
            if isKnown { window.used[network] = used } else { window.others = used }
            return true
        }
    }
}
