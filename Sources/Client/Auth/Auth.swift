internal import Synchronization

#if canImport(FoundationEssentials)
    package import FoundationEssentials
#else
    package import Foundation
#endif

/// Signs people in to an app, and keeps them signed in.
///
/// ```swift
/// let auth = try Auth(configuration: .init(server: "https://auth.example.com"),
///                     transport: URLSessionTransport(), store: store)
/// try await auth.signInAnonymously()
/// let request = try await auth.sendSignInLink(to: "you@example.com")
/// show(request.confirmation)
/// let result = try await auth.waitForApproval(of: request.ticket)
/// ```
///
/// One object serves a whole app and may be used from everywhere at once. Calls that change the session wait for each
/// other, also between processes that share a ``SessionStore``, and once begun they finish even when the task that
/// called them is cancelled, because a redeemed link cannot be redeemed again.
public final class Auth: Sendable {
    /// Which server, and how.
    public let configuration: Configuration

    let api: API
    let store: any SessionStore
    let now: @Sendable () -> Date
    let gate = AsyncGate()
    let refreshing = SharedWork<String>()
    let signingInAnonymously = SharedWork<AuthResult>()
    let memory = Mutex(Memory())

    /// What is remembered between two calls.
    struct Memory {
        var persisted = PersistedState()
        /// The last save failed: what the store has is older than this.
        var isUnsaved = false
        /// Whom an anonymous user was merged into, for calls that had begun before.
        var successors: [String: String] = [:]
        var listeners: [UInt64: AsyncStream<AuthState>.Continuation] = [:]
        var nextListener: UInt64 = 0

        var state: AuthState { AuthState(persisted.session?.user) }
    }

    /// Makes an object and takes up the stored session; contacts nobody.
    ///
    /// - Parameters:
    ///   - configuration: Which server, and how.
    ///   - transport: Carries the requests.
    ///   - store: Keeps the session.
    /// - Throws: ``AuthError/Code/storageFailed`` when something is stored that cannot be read. It is left as it is,
    ///   because an anonymous user would be lost with it.
    public convenience init(
        configuration: Configuration,
        transport: any Transport,
        store: any SessionStore
    ) throws(AuthError) {
        try self.init(configuration: configuration, transport: transport, store: store, now: { Date() })
    }

    /// Makes an object with a clock of its own.
    package init(
        configuration: Configuration,
        transport: any Transport,
        store: any SessionStore,
        now: @escaping @Sendable () -> Date
    ) throws(AuthError) {
        self.configuration = configuration
        self.store = store
        self.now = now
        api = API(configuration: configuration, transport: transport)
        do {
            let persisted = try store.load()
            memory.withLock { $0.persisted = persisted }
        } catch {
            throw AuthError(.storageFailed, detail: "\(error)")
        }
    }

    deinit {
        for listener in memory.withLock({ $0.listeners.values.map(\.self) }) { listener.finish() }
    }

    /// The user who is signed in, as last seen.
    public var currentUser: User? { memory.withLock { $0.persisted.session?.user } }

    /// Who is signed in, as last seen.
    public var state: AuthState { memory.withLock { $0.state } }

    /// The last sign-in mail that was asked for and not used yet; survives a restart of the app.
    public var pendingSignIn: SignInRequest? { memory.withLock { $0.persisted.pendingSignIn } }

    /// Who is signed in now, and then every change, in order.
    ///
    /// Linking an address to an anonymous user is a change although the UID stays; a renewed token is none. A reader
    /// who falls more than a hundred changes behind misses the oldest.
    ///
    /// - Returns: A stream of its own for every caller; it ends with this object.
    public func states() -> AsyncStream<AuthState> {
        let (stream, continuation) = AsyncStream.makeStream(of: AuthState.self, bufferingPolicy: .bufferingNewest(100))
        let id = memory.withLock { memory in
            let id = memory.nextListener
            memory.nextListener += 1
            memory.listeners[id] = continuation
            continuation.yield(memory.state)
            return id
        }
        continuation.onTermination = { [weak self] _ in
            _ = self?.memory.withLock { $0.listeners.removeValue(forKey: id) }
        }
        return stream
    }
}
