internal import Accounts
internal import HTTPServer
internal import Network
internal import Synchronization

/// What each network asked for in this minute, and the installation's ceiling on e-mails (`limits.mailsPerMinute`).
///
/// A node counts networks in memory: a /48 of IPv6, a /24 of IPv4. The sum is that of all nodes
/// (``InstallationMeters/mails``). From half of the ceiling on, the tenth and later e-mails of a network are refused, and the
/// closer the sum comes to the ceiling, the earlier ones too; the first one of a network is refused only at the ceiling itself.
/// Requests with history have the same rule with a second ceiling of the same size on top.
final class MailCeiling: Sendable {
    private struct Minute {
        var number: Int64 = 0
        var asked: [NetworkPrefix: Int64] = [:]
    }

    /// From this e-mail of a network on, the ceiling is lowest.
    private static let tenth: Int64 = 10
    /// Beyond so many networks in one minute the newest share a counter, so that a flood of them cannot fill the memory.
    private static let mostSites = 100_000

    private let limit: Int64
    private let meter: InstallationMeter
    private let minute = Mutex(Minute())

    /// - Parameters:
    ///   - limit: e-mails a minute.
    ///   - meter: counts those of all nodes.
    init(limit: Int, meter: InstallationMeter) {
        self.limit = Int64(limit)
        self.meter = meter
    }

    /// Takes the next place of a client's network.
    ///
    /// - Parameters:
    ///   - client: the client's address.
    ///   - now: milliseconds since 1970.
    func place(for client: IPAddress, at now: Int64) -> MailPlace {
        let number = now / InstallationMeter.window
        let (site, earlier) = minute.withLock { minute in
            // A clock of several threads may seem to go back for a moment.
            if minute.number < number { minute = Minute(number: number) }
            var site = NetworkPrefix.site(of: client)
            if minute.asked.count >= Self.mostSites, minute.asked[site] == nil { site = .site(of: .loopback) }
            let earlier = minute.asked[site, default: 0]
            minute.asked[site] = earlier + 1
            return (site, earlier)
        }
        let used = meter.used(at: now)
        let most = Self.share(of: earlier + 1, in: limit)
        return MailPlace(
            traffic: MailTraffic(
                earlier: earlier,
                refusesUnknown: used >= most,
                refusesKnown: used >= limit + most,
                untilReset: InstallationMeter.window - now % InstallationMeter.window
            ),
            onAcceptance: { [meter] in meter.count(at: now) },
            onRefusal: { [self] in giveBack(site, number) }
        )
    }

    /// The sum from which on the k-th e-mail of a network is refused: all of the limit for the first, falling in equal steps to
    /// half of it for the tenth and later ones.
    static func share(of place: Int64, in limit: Int64) -> Int64 {
        let steps = tenth - 1
        let step = min(max(place, 1), tenth) - 1
        return max(1, limit - limit * step / (2 * steps))
    }

    /// Forgets what was counted.
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

/// The place of a request among those of its network.
///
/// Only requests that are answered with an e-mail count. A place that is not accepted by the time that its request is over is
/// given back.
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

    /// Counts the e-mail, which has been queued.
    func accept() {
        let isNew = isAccepted.withLock { isAccepted in
            defer { isAccepted = true }
            return !isAccepted
        }
        if isNew { onAcceptance() }
    }
}

extension Services {
    /// The place of a request for an e-mail.
    ///
    /// - Parameters:
    ///   - request: the request.
    ///   - mayHaveHistory: whether it presents a session, which its transaction then looks at.
    /// - Throws: ``Refusal`` TOO_MANY_ATTEMPTS_TRY_LATER above the ceiling.
    func mailPlace(for request: Request, mayHaveHistory: Bool) throws -> MailPlace {
        let place = mailCeiling.place(for: request.clientAddress, at: clock())
        let traffic = place.traffic
        guard !(mayHaveHistory ? traffic.refusesKnown : traffic.refusesUnknown) else {
            throw flows.tooMany(traffic.untilReset, limit: MailTraffic.limit)
        }
        return place
    }

    /// The place of an administrator's request: counted, but never refused, and apart from those of clients who share the
    /// administrator's network.
    func administratorsMailPlace() -> MailPlace {
        let now = clock()
        return MailPlace(
            traffic: MailTraffic(isAdministrators: true),
            onAcceptance: { [meter = installation.mails] in meter.count(at: now) },
            onRefusal: {}
        )
    }
}
