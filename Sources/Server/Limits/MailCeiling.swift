internal import Accounts
internal import HTTPServer
internal import Network
internal import Synchronization

/// Counts the e-mails that each network requests in a minute, and applies the ceiling `limits.mailsPerMinute`.
///
/// A node counts networks in memory: a /48 of IPv6, a /24 of IPv4. The sum is that of all nodes
/// (``InstallationMeters/mails``). From half of the ceiling on, the tenth and later e-mails of a network are refused.
/// The closer the sum comes to the ceiling, the earlier ones are refused too. The first e-mail of a network is refused
/// only at the ceiling itself. Requests with history follow the same rule with a second ceiling of the same size on
/// top. A request has history if it presents a session of a permanent user, or a guest's session that is older than an
/// hour and was used before (`AskerStanding`).
final class MailCeiling: Sendable {
    private struct Minute {
        var number: Int64 = 0
        var asked: [NetworkPrefix: Int64] = [:]
    }

    /// The number of the e-mail of a network from which on the ceiling is lowest.
    private static let tenth: Int64 = 10
    /// If more networks than this send requests in one minute, new ones share a counter, which bounds the memory.
    private static let mostSites = 100_000

    private let limit: Atomic<Int64>
    private let meter: InstallationMeter
    private let minute = Mutex(Minute())

    /// Makes a ceiling in which no network has requested an e-mail yet.
    ///
    /// - Parameters:
    ///   - limit: the ceiling, in e-mails per minute of all nodes together.
    ///   - meter: the count of all nodes.
    init(limit: Int, meter: InstallationMeter) {
        self.limit = Atomic(Int64(limit))
        self.meter = meter
    }

    /// Assigns the next place among the requests of a client's network in this minute.
    ///
    /// - Parameters:
    ///   - client: the client's address.
    ///   - isExempt: whether no limit of networks applies to the client. Its place is then always the first.
    ///   - now: milliseconds since 1970.
    ///   - label: the label of the client's network, for the trace.
    func place(
        for client: IPAddress,
        isExempt: Bool = false,
        at now: Int64,
        label: String? = nil
    ) -> MailPlace {
        let number = now / InstallationMeter.window
        let (site, earlier) = minute.withLock { minute in
            // The time that several threads read may seem to go back for a moment.
            if minute.number < number { minute = Minute(number: number) }
            var site = NetworkPrefix.site(of: client)
            if minute.asked.count >= Self.mostSites, minute.asked[site] == nil { site = .site(of: .loopback) }
            let earlier = minute.asked[site, default: 0]
            minute.asked[site] = earlier + 1
            return (site, isExempt ? 0 : earlier)
        }
        let used = meter.used(at: now), limit = limit.load(ordering: .relaxed)
        let most = Self.share(of: earlier + 1, in: limit)
        var traffic = MailTraffic(
            earlier: earlier,
            refusesUnknown: used >= most,
            refusesKnown: used >= limit + most,
            untilReset: InstallationMeter.window - now % InstallationMeter.window,
            network: label
        )
        traffic.isExempt = isExempt
        return MailPlace(
            traffic: traffic,
            onAcceptance: { [meter] in meter.count(at: now) },
            onRefusal: { [self] in giveBack(site, number) }
        )
    }

    /// The sum from which on the k-th e-mail of a network is refused.
    ///
    /// The sum is the whole limit for the first e-mail, and falls in equal steps to half of the limit for the tenth and
    /// later ones.
    static func share(of place: Int64, in limit: Int64) -> Int64 {
        let steps = tenth - 1
        let step = min(max(place, 1), tenth) - 1
        return max(1, limit - limit * step / (2 * steps))
    }

    /// Uses another ceiling from now on; what was counted stays.
    func use(limit: Int) {
        self.limit.store(Int64(limit), ordering: .relaxed)
    }

    /// Resets all counts.
    func reset() {
        minute.withLock { $0 = Minute() }
    }

    private func giveBack(_ site: NetworkPrefix, _ number: Int64) {
        minute.withLock { minute in
            guard minute.number == number, let asked = minute.asked[site] else { return }
            minute.asked[site] = asked > 1 ? asked - 1 : nil
        }
    }
}

/// The place of a request in the order of its network's requests.
///
/// Only requests that result in an e-mail count. A place that is not accepted before its request ends is given back.
final class MailPlace: Sendable {
    let traffic: MailTraffic
    private let onAcceptance: @Sendable () -> Void
    private let onRefusal: @Sendable () -> Void
    private let isAccepted = Mutex(false)

    init(
        traffic: MailTraffic,
        onAcceptance: @escaping @Sendable () -> Void,
        onRefusal: @escaping @Sendable () -> Void
    ) {
        self.traffic = traffic
        self.onAcceptance = onAcceptance
        self.onRefusal = onRefusal
    }

    deinit {
        if !isAccepted.withLock({ $0 }) { onRefusal() }
    }

    /// Keeps this place, and counts the e-mail against the ceiling.
    ///
    /// Call it when the e-mail is queued. Later calls do nothing.
    func accept() {
        let isNew = isAccepted.withLock { isAccepted in
            defer { isAccepted = true }
            return !isAccepted
        }
        if isNew { onAcceptance() }
    }
}

extension Services {
    /// Assigns the place of a request for an e-mail.
    ///
    /// - Parameters:
    ///   - request: the request.
    ///   - mayHaveHistory: whether the request presents a session, whose history the transaction then checks. If so,
    ///     only the ceiling for requests with history applies here.
    /// - Throws: ``Refusal`` TOO_MANY_ATTEMPTS_TRY_LATER if the sum has reached the ceiling for this place.
    func mailPlace(for request: Request, mayHaveHistory: Bool) throws -> MailPlace {
        let client = request.clientAddress
        let place = mailCeiling.place(
            for: client,
            isExempt: admission.isExempt(client),
            at: clock(),
            label: networkLabel(of: request)
        )
        let traffic = place.traffic
        guard !(mayHaveHistory ? traffic.refusesKnown : traffic.refusesUnknown) else {
            throw flows.tooMany(traffic.untilReset, limit: MailTraffic.limit)
        }
        return place
    }

    /// Returns the place of an administrator's request.
    ///
    /// Its e-mail counts against the ceiling, but the request is never refused, and does not count for the
    /// administrator's network.
    func administratorsMailPlace(for request: Request) -> MailPlace {
        let now = clock()
        return MailPlace(
            traffic: MailTraffic(isAdministrators: true, network: networkLabel(of: request)),
            onAcceptance: { [meter = installation.mails] in meter.count(at: now) },
            onRefusal: {}
        )
    }
}
