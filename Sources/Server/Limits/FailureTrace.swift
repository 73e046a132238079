internal import Accounts
internal import JSON
internal import Network
internal import Synchronization
internal import Tokens

/// Counts failed calls for the log, so that an attack causes a few lines a minute instead of a flood.
///
/// The first failure of a kind in a minute is logged at once. At the minute's end a second line has the kind's total
/// and the networks that failed most, as keyed hashes (invariant 7). The memory is bounded: the kinds are constants,
/// and each of them counts at most ``mostNetworks`` networks. A network beyond these takes the counter of the network
/// with the fewest failures and goes on from its count (the space-saving algorithm), so that the networks that fail
/// most are always found.
final class FailureTrace: Sendable {
    /// The kinds of failure.
    enum Kind: Hashable, Sendable {
        /// A wrong sign-in code, or wrong digits on the page of a link.
        case wrongCode
        /// A link or action code that is not valid, such as one that was forged, truncated or already used.
        case badLink
        /// A valid link with an address that is not its own.
        case wrongAddress
        /// A refused token or ticket of this server, an identity provider or another issuer.
        case refusedToken
        /// A bearer that is not an administrator's, or an invalid API key.
        case refusedKey
        /// A used-up limit, by the name of its setting, or by another name if it has no setting, such as `heldMerges`.
        ///
        /// `challenge` stands for a demanded proof of work, `limits.streamsPerClient` for every refused stream, and
        /// `other` for a limit without a name.
        case limit(String)

        /// The kind of a refusal; `nil` for refusals that occur in ordinary use.
        init?(_ refusal: Refusal) {
            if let limit = refusal.limit {
                self = .limit(limit)
                return
            }
            switch refusal.code {
            case .invalidSignInCode: self = .wrongCode
            case .invalidOobCode: self = .badLink
            case .invalidEmail:
                guard refusal.isOfValid else { return nil }
                self = .wrongAddress
            case .invalidIDToken, .invalidRefreshToken, .invalidTicket, .invalidIdPResponse, .missingOrInvalidNonce,
                .invalidCustomToken, .credentialMismatch, .invalidFirebaseToken:
                self = .refusedToken
            case .codePaused: self = .limit("limits.wrongCodesPerMinute")
            case .tooManyStreams: self = .limit("limits.streamsPerClient")
            case .tooManyAttempts: self = .limit("other")
            default: return nil
            }
        }

        /// The name in the log.
        var name: String {
            switch self {
            case .wrongCode: "wrong-code"
            case .badLink: "bad-link"
            case .wrongAddress: "wrong-address"
            case .refusedToken: "refused-token"
            case .refusedKey: "refused-key"
            case .limit: "limit"
            }
        }

        /// A text by which kinds are sorted.
        var sortKey: String {
            if case .limit(let limit) = self { "limit \(limit)" } else { name }
        }

        fileprivate var limit: JSONValue {
            if case .limit(let name) = self { .string(name) } else { .null }
        }
    }

    /// The failures of one kind in a minute.
    private struct Sum {
        var count = 0
        var networks: [NetworkPrefix: Int] = [:]

        mutating func add(_ network: NetworkPrefix) {
            count += 1
            if let index = networks.index(forKey: network) {
                networks.values[index] += 1
            } else if networks.count < mostNetworks {
                networks[network] = 1
            } else if let fewest = networks.min(by: { $0.value < $1.value }) {
                networks[fewest.key] = nil
                networks[network] = fewest.value + 1
            }
        }
    }

    private struct State {
        var minute: Int64 = 0
        var sums: [Kind: Sum] = [:]
    }

    private static let minute: Int64 = 60_000
    /// The maximum number of networks that a kind counts.
    private static let mostNetworks = 64
    /// The maximum number of networks that a line names.
    private static let mostNamed = 10
    /// The maximum number of kinds in a minute, more than there are.
    ///
    /// Further kinds are not counted.
    private static let mostKinds = 64

    private let secrets: ServerSecrets
    private let logger: Log
    private let metrics: ServerMetrics
    private let state = Mutex(State())

    init(secrets: ServerSecrets, logger: Log, metrics: ServerMetrics = ServerMetrics()) {
        self.secrets = secrets
        self.logger = logger
        self.metrics = metrics
    }

    /// Counts a refusal, if it is a failure.
    ///
    /// - Parameters:
    ///   - refusal: the response to the client.
    ///   - client: the address of the client.
    ///   - now: milliseconds since 1970.
    func record(_ refusal: Refusal, from client: IPAddress, at now: Int64) {
        guard let kind = Kind(refusal) else { return }
        record(kind, from: client, at: now)
    }

    /// Counts a failure, and logs it if it is the first of its kind in this minute.
    func record(_ kind: Kind, from client: IPAddress, at now: Int64) {
        metrics.count(kind)
        let network = NetworkPrefix.site(of: client)
        let (ended, isFirst) = state.withLock { state in
            let ended = Self.turn(&state, at: now)
            guard state.sums[kind] != nil || state.sums.count < Self.mostKinds else { return (ended, false) }
            state.sums[kind, default: Sum()].add(network)
            return (ended, state.sums[kind]?.count == 1)
        }
        log(ended)
        guard isFirst else { return }
        logger("failure", ("kind", .string(kind.name)), ("limit", kind.limit), ("network", .string(label(network))))
    }

    /// Logs the sums of ended minutes once a second, until its task is cancelled; then the remaining ones.
    ///
    /// - Parameter clock: milliseconds since 1970.
    func run(clock: @Sendable () -> Int64) async {
        while !Task.isCancelled {
            try? await Task.sleep(for: .seconds(1))
            flush(at: clock())
        }
        flush(at: .max)
    }

    /// Logs the sums of the counted minute if that minute has ended; otherwise does nothing.
    ///
    /// - Parameter now: milliseconds since 1970.
    func flush(at now: Int64) {
        log(state.withLock { Self.turn(&$0, at: now) })
    }

    /// Resets all counts.
    func reset() {
        state.withLock { $0 = State() }
    }

    /// Starts the minute of `now`, and returns the sums of the minute that was counted before; does nothing and returns
    /// an empty dictionary if the minute of `now` is that minute, or earlier.
    private static func turn(_ state: inout State, at now: Int64) -> [Kind: Sum] {
        let minute = now / Self.minute
        guard state.minute < minute else { return [:] }
        defer { state = State(minute: minute) }
        return state.sums
    }

    private func log(_ sums: [Kind: Sum]) {
        for (kind, sum) in sums {
            let most = sum.networks.sorted { $0.value > $1.value }.prefix(Self.mostNamed)
            let networks: [JSONValue] = most.map { network, count in
                ["network": .string(label(network)), "count": .number(JSONNumber(Int64(count)))]
            }
            logger(
                "failures",
                ("kind", .string(kind.name)),
                ("limit", kind.limit),
                ("count", .number(JSONNumber(Int64(sum.count)))),
                ("networks", .array(networks))
            )
        }
    }

    private func label(_ network: NetworkPrefix) -> String { NetworkLabel.make(network, secrets) }
}
