internal import Accounts
internal import HTTPServer
internal import Synchronization

/// The move from a project at Firebase, as this node knows it.
final class FirebaseMove: Sendable {
    let configuration: FirebaseConfiguration
    let tokens: FirebaseTokens
    let upstream: FirebaseUpstream
    let metrics: FirebaseMetrics
    let refused: RefusedTokens
    /// The moves of refresh tokens that are under way.
    let flights = Flights()
    let sightings = Sightings()
    private let phaseNow = Mutex(FirebasePhase.pass)

    init?(
        _ configuration: Configuration,
        tokens: FirebaseTokens?,
        logger: Log,
        sampler: LogSampler
    ) {
        guard let firebase = configuration.firebase, !firebase.apiKeys.isEmpty, let tokens else { return nil }
        let metrics = FirebaseMetrics()
        self.configuration = firebase
        self.tokens = tokens
        self.metrics = metrics
        upstream = FirebaseUpstream(firebase, configuration, metrics: metrics, logger: logger, sampler: sampler)
        refused = RefusedTokens()
    }

    /// The phase as this node last read it, a second ago at most.
    var phase: FirebasePhase { phaseNow.withLock { $0 } }

    /// Replaces the phase.
    ///
    /// - Returns: whether it is another one.
    func use(_ phase: FirebasePhase) -> Bool {
        phaseNow.withLock { current in
            defer { current = phase }
            return current != phase
        }
    }

    /// Whether the project's tokens are accepted at a time, in milliseconds since 1970.
    func isOpen(at now: Int64) -> Bool { now < tokens.exchangeUntil }

    /// Whether sessions cannot move because Firebase does not answer, at a time in milliseconds since 1970.
    ///
    /// The breaker learns nothing more once Firebase is not asked any more, so it says nothing then.
    func isPaused(at now: Int64) -> Bool { phase != .off && isOpen(at: now) && upstream.isPaused }
}

/// Work that calls with the same token share, so that Firebase is asked once.
final class Flights: Sendable {
    private let tasks = Mutex<[String: Task<String, any Error>]>([:])

    /// Returns the result of the work under way with this key, or begins it.
    func share(_ key: String, _ work: @escaping @Sendable () async throws -> String) async throws -> String {
        let task: Task<String, any Error> = tasks.withLock { tasks in
            if let task = tasks[key] { return task }
            let task = Task {
                defer { self.tasks.withLock { $0[key] = nil } }
                return try await work()
            }
            tasks[key] = task
            return task
        }
        return try await task.value
    }
}

/// The users whom Firebase's answers named, until they are stored.
final class Sightings: Sendable {
    /// The number of users that are kept; further ones are not recorded.
    private static let limit = 20_000

    private let users = Mutex<[String: FirebaseSighting]>([:])

    /// Records a user.
    func record(_ sighting: FirebaseSighting) {
        users.withLock { users in
            guard users[sighting.uid] != nil || users.count < Self.limit else { return }
            users[sighting.uid] = sighting
        }
    }

    /// Returns at most this many users, which are kept no longer.
    func take(_ count: Int) -> [FirebaseSighting] {
        users.withLock { users in
            let taken = users.values.prefix(count).map { $0 }
            for sighting in taken { users[sighting.uid] = nil }
            return taken
        }
    }
}
