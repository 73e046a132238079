/// Stores a session between two runs of an app.
///
/// Several processes, or several ``Auth`` objects, may use one store at the same time. ``Auth`` makes every change
/// inside ``exclusively(_:)``, and first loads the state again there.
public protocol SessionStore: Sendable {
    /// Reads the state saved last, or an empty state.
    ///
    /// - Throws: when the stored state cannot be read. Reading never changes the stored state.
    func load() throws -> PersistedState

    /// Replaces the stored state completely or not at all. An empty state leaves nothing behind.
    func save(_ state: PersistedState) throws

    /// Runs `body` while no other caller is in `exclusively` of the same store, in this process or another.
    ///
    /// - Parameter body: the work, which may wait for the network and limits its own time.
    /// - Returns: what `body` returns.
    /// - Throws: when the wait takes too long, or waiting is impossible.
    @discardableResult
    func exclusively<T: Sendable>(_ body: @Sendable () async -> T) async throws -> T
}

extension SessionStore {
    /// Runs `body` at once, for a store that only a single ``Auth`` uses.
    @discardableResult
    public func exclusively<T: Sendable>(_ body: @Sendable () async -> T) async throws -> T {
        await body()
    }
}
