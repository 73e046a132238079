internal import Synchronization

/// Stores a session in memory, for the lifetime of this object and for a single ``Auth``.
public final class MemorySessionStore: SessionStore {
    private let state = Mutex(PersistedState())

    /// Creates an empty store.
    public init() {}

    /// Returns the state saved last.
    public func load() throws -> PersistedState {
        state.withLock { $0 }
    }

    /// Stores a state.
    public func save(_ state: PersistedState) throws {
        self.state.withLock { $0 = state }
    }
}
