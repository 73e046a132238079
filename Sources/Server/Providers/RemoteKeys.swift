internal import Accounts
internal import JSON
internal import Synchronization
package import Tokens
internal import Transfer

/// How far something that needs an issuer's keys came with those at hand.
package enum KeyedResult<Value: Sendable>: Sendable {
    /// All the way.
    case known(Value)
    /// The keys have to be fetched first.
    case awaitingKeys(@Sendable () async throws -> Value)
}

/// The keys of another issuer: fetched when they are needed, once for all who wait, and kept (``KeyCache``).
package final class RemoteKeys: Sendable {
    private struct State: Sendable {
        var cache = KeyCache()
        /// What everybody waits for.
        var fetch: Task<Void, Never>?
    }

    private let name: String
    private let fetcher: KeyFetcher
    private let clock: @Sendable () -> Int64
    private let logger: Log
    private let state = Mutex(State())

    /// Nothing is fetched yet.
    ///
    /// - Parameters:
    ///   - name: what the log calls the issuer.
    ///   - location: where its keys are.
    ///   - configuration: which addresses may be connected to.
    ///   - caFile: a PEM file of authorities to trust in place of the system's.
    ///   - clock: milliseconds since 1970.
    ///   - logger: takes what goes wrong.
    ///   - timeout: the longest time for each request, in milliseconds.
    package init(
        _ name: String,
        at location: KeyLocation,
        _ configuration: Configuration,
        caFile: String? = nil,
        clock: @escaping @Sendable () -> Int64,
        logger: Log,
        timeout: Int = 5000
    ) {
        var limits = HTTPClient.Limits()
        limits.connectTimeout = timeout
        limits.totalTimeout = timeout
        limits.maximumBody = 1 << 20
        limits.caFile = caFile
        limits.gate = configuration.providerGate
        self.name = name
        self.clock = clock
        self.logger = logger
        fetcher = KeyFetcher(location: location, client: HTTPClient(limits: limits))
    }

    /// Checks a token with the keys at hand, or says that they have to be fetched.
    ///
    /// - Parameters:
    ///   - token: anything.
    ///   - check: is given the issuer's keys, the one that the token names among them if there is such. May run again.
    /// - Throws: `JWTError` for what is no token whatever the keys, ``Refusal`` PROVIDER_UNAVAILABLE where the issuer did not
    ///   answer a moment ago, and what `check` throws.
    package func check<Value: Sendable>(
        _ token: String,
        _ check: @escaping @Sendable (VerificationKeys) throws -> Value
    ) throws -> KeyedResult<Value> {
        let keyID = try JWT.unverifiedKeyID(of: token)
        let wish = keyID.map { KeyWish.named($0) } ?? .only
        switch step(for: wish) {
        case .use(let keys):
            do {
                return .known(try check(keys))
            } catch let error as JWTError where wish == .only && (error == .badSignature || error == .wrongAlgorithm) {
                // Without a name, only a look at the issuer tells a new key's token from a forged one.
                switch step(for: .newer) {
                case .use: throw error
                case .fetch: return .awaitingKeys { try check(try await self.fetchedKeys(for: .newer)) }
                case .refuse: throw unavailable()
                }
            }
        case .fetch: return .awaitingKeys { try check(try await self.fetchedKeys(for: wish)) }
        case .refuse: throw unavailable()
        }
    }

    private func step(for wish: KeyWish) -> KeyCache.Step {
        let now = clock()
        return state.withLock { $0.cache.step(for: wish, at: now) }
    }

    private func fetchedKeys(for wish: KeyWish) async throws -> VerificationKeys {
        let now = clock()
        let fetch: Task<Void, Never>? = state.withLock { state in
            // Others may have fetched them since.
            guard case .fetch = state.cache.step(for: wish, at: now) else { return nil }
            if let fetch = state.fetch { return fetch }
            state.cache.noteFetch(at: now)
            let fetch = Task { await self.fetch() }
            state.fetch = fetch
            return fetch
        }
        await fetch?.value
        let after = clock()
        guard case .use(let keys) = state.withLock({ $0.cache.stepWithoutAsking(for: wish, at: after) }) else {
            throw unavailable()
        }
        return keys
    }

    private func fetch() async {
        let result: Result<FetchedKeys, any Error>
        do { result = .success(try await fetcher.fetch()) } catch { result = .failure(error) }
        let now = clock()
        let random = Double.random(in: 0..<1)
        state.withLock { state in
            switch result {
            case .success(let fetched): state.cache.take(fetched, at: now)
            case .failure: state.cache.noteFailure(at: now, random: random)
            }
            state.fetch = nil
        }
        if case .failure(let error) = result {
            logger("keys.not-fetched", ("issuer", .string(name)), ("reason", .string("\(error)")))
        }
    }

    private func unavailable() -> Refusal {
        let now = clock()
        return Refusal(
            .providerUnavailable,
            detail: "The provider's keys cannot be had right now; try again in a moment.",
            retryAfter: state.withLock { $0.cache.pause(at: now) }
        )
    }
}
