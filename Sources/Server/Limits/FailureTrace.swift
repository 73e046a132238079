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

        /// Adds the failures of another minute.
        mutating func add(_ other: Sum) {
            count += other.count
            networks.merge(other.networks) { $0 + $1 }
        }

        /// The sum with only the networks that failed most.
        var most: Sum {
            let most = networks.sorted { $0.value > $1.value }.prefix(mostNamed)
            return Sum(count: count, networks: Dictionary(uniqueKeysWithValues: most.map { ($0.key, $0.value) }))
        }
    }

    private struct State {
        var minute: Int64 = 0
        var sums: [Kind: Sum] = [:]
        /// The sums of the minutes before, at most ``keptMinutes``, each with the networks that failed most.
        var past: [(minute: Int64, sums: [Kind: Sum])] = []
    }

    /// The failures of one kind in the last hour.
    struct HourlySum: Sendable {
        /// The name of the kind, or of the limit.
        let name: String
        let count: Int
        /// The labels of the networks that failed most, with at least that many failures of theirs, most first.
        let networks: [(label: String, count: Int)]
    }

    /// The number of ended minutes that ``lastHour(at:)`` sums up, with the current one an hour.
    private static let keptMinutes: Int64 = 59

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
        let ended = state.sums
        var past = state.past.filter { $0.minute >= minute - keptMinutes }
        if !ended.isEmpty, state.minute >= minute - keptMinutes {
            past.append((state.minute, ended.mapValues(\.most)))
        }
        state = State(minute: minute, past: past)
        return ended
    }

    /// Returns what was counted in the last hour, the most frequent kind first.
    ///
    /// - Parameter now: milliseconds since 1970.
    func lastHour(at now: Int64) -> [HourlySum] {
        let minute = now / Self.minute
        let counted = state.withLock { state in
            (state.past + [(state.minute, state.sums)]).filter { $0.minute >= minute - Self.keptMinutes }
        }
        var sums: [Kind: Sum] = [:]
        for (kind, sum) in counted.flatMap(\.sums) { sums[kind, default: Sum()].add(sum) }
        return sums.map { kind, sum in
            let name = if case .limit(let limit) = kind { limit } else { kind.name }
            let most = sum.networks.sorted { $0.value > $1.value }.prefix(Self.mostNamed)
            let networks = most.map { (label: label($0.key), count: $0.value) }
            return HourlySum(name: name, count: sum.count, networks: networks)
        }.sorted { ($0.count, $1.name) > ($1.count, $0.name) }
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

    /// A keyed hash of a network, which distinguishes networks but does not reveal them.
    private func label(_ network: NetworkPrefix) -> String {
        guard let hash = try? KeyedHash.make(network.description, purpose: "network", secrets: secrets) else {
            return ""
        }
        return String(hash.suffix(16))
    }
}
