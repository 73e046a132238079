internal import Synchronization

/// Keeps a session for as long as the process lives.
public final class MemorySessionStore: SessionStore {
    private let state = Mutex(PersistedState())

    /// Makes an empty store.
    public init() {}

    /// The state saved last.
    public func load() throws -> PersistedState {
        state.withLock { $0 }
    }

    /// Keeps a state.
    public func save(_ state: PersistedState) throws {
        self.state.withLock { $0 = state }
    }
}
