internal import Accounts
internal import HTTPServer
internal import Network
internal import Synchronization

/// Counts the open change streams and held calls of this node, and limits them for each user, each client, the networks
/// around clients, and in total.
///
/// A held call (``TicketWaits``) occupies a connection as a stream does, so clients, networks and the server have one
/// limit for both. Those of a user are counted apart, so that a guest who waits for an approval keeps the streams.
final class StreamQuota: Sendable {
    /// The maximum numbers of simultaneous change streams on one node.
    struct Limits: Sendable {
        /// The maximum number of simultaneous streams on this node.
        var total: Int
        /// The maximum number of simultaneous streams of each user, guests included.
        var perUser = 10
        /// The maximum number of simultaneous streams of each guest.
        ///
        /// Lower than ``perUser``, because creating a guest costs nothing.
        var perGuest = 3
        /// The maximum number of simultaneous streams of each client: an IPv4 address or an IPv6 /64.
        var perClient: Int
        /// The limits of the networks around a client, as multiples of ``perClient``.
        var networks = NetworkShares()
        /// The operator's proxies, which are not clients.
        ///
        /// A request whose client is unknown, because its address is a proxy's, counts for no client.
        var trustedProxies: [AddressRange] = []
        /// The operator's lists, whose allowed networks have no limit for clients and networks.
        var admission: NetworkAdmission?
    }

    private struct State {
        /// The numbers of streams of users, by UID.
        var taken: [String: Int] = [:]
        /// The numbers of held calls of users, by UID.
        var calls: [String: Int] = [:]
        /// The numbers of streams and held calls of clients and of the networks around clients.
        var ofNetworks: [NetworkPrefix: Int] = [:]
        var total = 0
        var streams = 0
    }

    /// The `Retry-After` in seconds when the quota of a network or of the server is used up.
    private static let pause = 30

    private let limits: Limits
    private let perClient: Atomic<Int>
    private let state = Mutex(State())

    /// Makes a quota of which nothing is used.
    ///
    /// - Parameter limits: the maximum numbers of streams.
    init(_ limits: Limits) {
        self.limits = limits
        perClient = Atomic(limits.perClient)
    }

    /// Uses another limit for each client from now on.
    func limit(perClient limit: Int) {
        perClient.store(limit, ordering: .relaxed)
    }

    /// Reserves a stream of a user; the reservation ends when the result is deallocated.
    ///
    /// - Parameters:
    ///   - user: the user whose documents the stream follows.
    ///   - client: the address of the client, behind the operator's proxies.
    /// - Throws: ``Refusal`` TOO_MANY_STREAMS.
    func take(for user: User, from client: IPAddress) throws -> Place {
        let shares = shares(of: client)
        try state.withLock { state in
            try check(user, state)
            try check(shares, state)
            state.taken[user.uid, default: 0] += 1
            state.streams += 1
            Self.count(shares, &state)
        }
        return Place(.stream(of: user.uid), in: shares.map(\.network), among: self)
    }

    /// Reserves a held call; the reservation ends when the result is deallocated.
    ///
    /// - Parameters:
    ///   - uid: the UID of the user who waits; `nil` if no session asked. Each user may have as many as a guest.
    ///   - client: the address of the client, behind the operator's proxies.
    /// - Throws: ``Refusal`` TOO_MANY_STREAMS.
    func takeCall(of uid: String?, from client: IPAddress) throws -> Place {
        let shares = shares(of: client)
        try state.withLock { state in
            if let uid, state.calls[uid, default: 0] >= limits.perGuest {
                throw Refusal(.tooManyStreams, detail: "A user has at most \(limits.perGuest) held calls at a time.")
            }
            try check(shares, state)
            if let uid { state.calls[uid, default: 0] += 1 }
            Self.count(shares, &state)
        }
        return Place(.call(of: uid), in: shares.map(\.network), among: self)
    }

    /// The networks that a stream or call of a client counts for; empty for a proxy, behind which the client is
    /// unknown.
    private func shares(of client: IPAddress) -> [NetworkShares.Share] {
        let isProxy = limits.trustedProxies.contains { $0.contains(client) }
        return isProxy || limits.admission?.isExempt(client) == true ? [] : limits.networks.shares(of: client)
    }

    private static func count(_ shares: [NetworkShares.Share], _ state: inout State) {
        for share in shares { state.ofNetworks[share.network, default: 0] += 1 }
        state.total += 1
    }

    private func check(_ user: User, _ state: State) throws {
        let taken = state.taken[user.uid, default: 0]
        if user.isAnonymous, taken >= limits.perGuest {
            throw Refusal(.tooManyStreams, detail: "A guest may have at most \(limits.perGuest) streams at a time.")
        }
        guard taken < limits.perUser else {
            throw Refusal(.tooManyStreams, detail: "A user may have at most \(limits.perUser) streams at a time.")
        }
    }

    private func check(_ shares: [NetworkShares.Share], _ state: State) throws {
        let hasRoom = shares.allSatisfy { share in
            state.ofNetworks[share.network, default: 0] / share.factor < perClient.load(ordering: .relaxed)
        }
        guard hasRoom else {
            throw Refusal(
                .tooManyStreams,
                detail: "Your network has the maximum number of streams.",
                retryAfter: Self.pause
            )
        }
        guard state.total < limits.total else {
            throw Refusal(
                .tooManyStreams,
                detail: "The server has the maximum number of streams.",
                retryAfter: Self.pause
            )
        }
    }

    /// The numbers of open change streams and of held calls.
    var counts: (streams: Int, calls: Int) { state.withLock { ($0.streams, $0.total - $0.streams) } }

    /// Whether a user has any stream on this node.
    func isUsed(by uid: String) -> Bool {
        state.withLock { $0.taken[uid] != nil }
    }

    fileprivate func free(_ holder: Place.Holder, _ networks: [NetworkPrefix]) {
        state.withLock { state in
            switch holder {
            case .stream(let uid):
                Self.countDown(&state.taken, uid)
                state.streams -= 1
            case .call(let uid): if let uid { Self.countDown(&state.calls, uid) }
            }
            for network in networks { Self.countDown(&state.ofNetworks, network) }
            state.total -= 1
        }
    }

    private static func countDown<Key: Hashable>(_ counts: inout [Key: Int], _ key: Key) {
        let rest = counts[key, default: 1] - 1
        counts[key] = rest == 0 ? nil : rest
    }
}

/// The reservation of one stream or held call in the quotas, which ends when this object is deallocated.
final class Place: Sendable {
    /// What the reservation is for, by the user's UID.
    fileprivate enum Holder: Sendable {
        case stream(of: String)
        case call(of: String?)
    }

    private let holder: Holder
    private let networks: [NetworkPrefix]
    private let quota: StreamQuota

    fileprivate init(_ holder: Holder, in networks: [NetworkPrefix], among quota: StreamQuota) {
        self.holder = holder
        self.networks = networks
        self.quota = quota
    }

    deinit {
        quota.free(holder, networks)
    }
}
