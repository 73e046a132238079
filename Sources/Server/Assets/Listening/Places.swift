internal import Accounts
internal import HTTPServer
internal import Network
internal import Synchronization

/// How many streams there are, of each user, of each client and in all.
final class Places: Sendable {
    /// How many streams there may be at once.
    struct Limits: Sendable {
        /// In all.
        var total: Int
        /// Of a user.
        var perUser = 10
        /// Of a guest, which costs nothing to make.
        var perGuest = 3
        /// Of a client.
        var perClient: Int
        /// How many times a client's limit the networks around it have.
        var networks = NetworkShares()
        /// Our own proxies, which are no clients.
        ///
        /// A request of which nothing but a proxy is known counts for no client.
        var trustedProxies: [AddressRange] = []
    }

    private struct State {
        var taken: [String: Int] = [:]
        /// Streams of clients and of the networks around them.
        var ofNetworks: [NetworkPrefix: Int] = [:]
        var total = 0
    }

    /// When to come again, in seconds, where another client's stream has to end first.
    private static let pause = 30

    private let limits: Limits
    private let state = Mutex(State())

    /// - Parameter limits: how many streams there may be.
    init(_ limits: Limits) {
        self.limits = limits
    }

    /// Takes a place for a stream of a user; it is free again once nobody holds the result.
    ///
    /// - Parameters:
    ///   - user: whose documents the stream follows.
    ///   - client: the address that it is sent to, past our own proxies.
    /// - Throws: ``Refusal`` TOO_MANY_STREAMS.
    func take(for user: User, from client: IPAddress) throws -> Place {
        let isProxy = limits.trustedProxies.contains { $0.contains(client) }
        let shares = isProxy ? [] : limits.networks.shares(of: client)
        try state.withLock { state in
            try check(user, shares, state)
            state.taken[user.uid, default: 0] += 1
            for share in shares { state.ofNetworks[share.network, default: 0] += 1 }
            state.total += 1
        }
        return Place(of: user.uid, in: shares.map(\.network), among: self)
    }

    private func check(_ user: User, _ shares: [NetworkShares.Share], _ state: State) throws {
        let taken = state.taken[user.uid, default: 0]
        if user.isAnonymous, taken >= limits.perGuest {
            throw Refusal(.tooManyStreams, detail: "A guest has at most \(limits.perGuest) streams at a time.")
        }
        guard taken < limits.perUser else {
            throw Refusal(.tooManyStreams, detail: "A user has at most \(limits.perUser) streams at a time.")
        }
        let hasRoom = shares.allSatisfy { share in
            state.ofNetworks[share.network, default: 0] / share.factor < limits.perClient
        }
        guard hasRoom else {
            throw Refusal(
                .tooManyStreams,
                detail: "Your network has as many streams as it may have.",
                retryAfter: Self.pause
            )
        }
        guard state.total < limits.total else {
            throw Refusal(.tooManyStreams, detail: "The server has no stream to spare.", retryAfter: Self.pause)
        }
    }

    /// Whether a user has any stream.
    func areTaken(by uid: String) -> Bool {
        state.withLock { $0.taken[uid] != nil }
    }

    fileprivate func free(_ uid: String, _ networks: [NetworkPrefix]) {
        state.withLock { state in
            Self.countDown(&state.taken, uid)
            for network in networks { Self.countDown(&state.ofNetworks, network) }
            state.total -= 1
        }
    }

    private static func countDown<Key: Hashable>(_ counts: inout [Key: Int], _ key: Key) {
        let rest = counts[key, default: 1] - 1
        counts[key] = rest == 0 ? nil : rest
    }
}

/// The right to one stream, for as long as it lives.
final class Place: Sendable {
    private let uid: String
    private let networks: [NetworkPrefix]
    private let places: Places

    fileprivate init(of uid: String, in networks: [NetworkPrefix], among places: Places) {
        self.uid = uid
        self.networks = networks
        self.places = places
    }

    deinit {
        places.free(uid, networks)
    }
}
