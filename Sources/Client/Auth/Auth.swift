internal import Synchronization

#if canImport(FoundationEssentials)
    package import FoundationEssentials
#else
    package import Foundation
#endif

/// Signs users in to an app, and keeps them signed in.
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
/// One object serves a whole app and may be used from any thread. Calls that change the session wait for each other,
/// also between processes that share a ``SessionStore``. Once started, they finish even if the calling task is
/// cancelled, because a redeemed link cannot be redeemed again.
public final class Auth: Sendable {
    /// The server and the settings for its calls.
    public let configuration: Configuration

    let api: API
    let store: any SessionStore
    let now: @Sendable () -> Date
    let gate = AsyncGate()
    let refreshing = SharedWork<String>()
    let signingInAnonymously = SharedWork<AuthResult>()
    let memory = Mutex(Memory())

    /// What the object remembers between calls: the stored state, and what is kept in memory only.
    struct Memory {
        var persisted = PersistedState()
        /// Whether the last save failed, so that the store is older than this state.
        var isUnsaved = false
        /// The UIDs of the users into whom anonymous users were merged, by the anonymous user's UID.
        ///
        /// A call on user data that started before a merge continues for the user into whom the anonymous user was
        /// merged.
        var successors: [String: String] = [:]
        var listeners: [UInt64: AsyncStream<AuthState>.Continuation] = [:]
        var nextListener: UInt64 = 0

        var state: AuthState { AuthState(persisted.session?.user) }
    }

    /// Creates an object and loads the stored session, without contacting the server.
    ///
    /// - Parameters:
    ///   - configuration: the server and settings.
    ///   - transport: sends the requests.
    ///   - store: stores the session.
    /// - Throws: ``AuthError/Code/storageFailed`` when the stored state cannot be read. The store is left unchanged,
    ///   because an anonymous user would be lost with its state.
    public convenience init(
        configuration: Configuration,
        transport: any Transport,
        store: any SessionStore
    ) throws(AuthError) {
        try self.init(configuration: configuration, transport: transport, store: store, now: { Date() })
    }

    /// Creates an object with a custom clock.
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

    /// The user who is signed in, as the server last described it; `nil` if no user is signed in.
    public var currentUser: User? { memory.withLock { $0.persisted.session?.user } }

    /// Whether no user, an anonymous user or another user is signed in, as this object last saw it.
    public var state: AuthState { memory.withLock { $0.state } }

    /// The sign-in e-mail that was requested last; `nil` without one.
    ///
    /// The value survives a restart of the app. A sign-in as a user who is not anonymous clears it, and so does the end
    /// of a session.
    public var pendingSignIn: SignInRequest? { memory.withLock { $0.persisted.pendingSignIn } }

    /// Returns the current sign-in state and then every change, in order.
    ///
    /// Linking an address to an anonymous user is a change although the UID stays. A renewed token is not. A reader
    /// that is more than a hundred changes behind misses the oldest.
    ///
    /// - Returns: a separate stream for each caller, which ends when this object is released.
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
