internal import Accounts
internal import JSON
internal import Synchronization
package import Tokens
internal import Transfer

/// The result of a check with the cached keys of an issuer.
package enum KeyedResult<Value: Sendable>: Sendable {
    /// The check is complete, with this result.
    case known(Value)
    /// The issuer's keys must be fetched first. The closure fetches them and then makes the check.
    case awaitingKeys(@Sendable () async throws -> Value)
}

/// The keys of another issuer, fetched on demand, once for all waiting callers, and cached (``KeyCache``).
package final class RemoteKeys: Sendable {
    private struct State: Sendable {
        var cache = KeyCache()
        /// The pending fetch, which all callers wait for.
        var fetch: Task<Void, Never>?
    }

    private let name: String
    private let fetcher: KeyFetcher
    private let clock: @Sendable () -> Int64
    private let logger: Log
    private let state = Mutex(State())

    /// Makes an empty cache.
    ///
    /// - Parameters:
    ///   - name: the issuer's name in the log.
    ///   - location: the location of the issuer's keys.
    ///   - configuration: the addresses that may be connected to.
    ///   - caFile: a PEM file of authorities to trust in place of the system's; `nil` for the system's.
    ///   - clock: milliseconds since 1970.
    ///   - logger: logs errors.
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

    /// Checks a token with the cached keys, or reports that they must be fetched.
    ///
    /// - Parameters:
    ///   - token: the unverified token.
    ///   - check: receives the issuer's keys, including the key that the token names if it exists. May run again.
    /// - Returns: what `check` returns, or a closure that fetches the keys first; it throws the same errors.
    /// - Throws: `JWTError` for a text that no key could verify, ``Refusal`` PROVIDER_UNAVAILABLE if the keys cannot be
    ///   had because the issuer recently did not answer, and what `check` throws.
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
                // If the token names no key, only another fetch distinguishes a new key's token from a forgery.
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
            // Another caller may have fetched them since.
            guard case .fetch = state.cache.step(for: wish, at: now) else { return nil }
            if let fetch = state.fetch { return fetch }
            state.cache.recordFetch(at: now)
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
            case .failure: state.cache.recordFailure(at: now, random: random)
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
            detail: "The provider's keys cannot be fetched right now; try again in a moment.",
            retryAfter: state.withLock { $0.cache.pause(at: now) }
        )
    }
}
