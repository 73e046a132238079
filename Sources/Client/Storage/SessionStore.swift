/// Keeps a session between two runs of an app.
///
/// Several processes, or several ``Auth`` objects, may use one store at once: every change is made inside
/// ``exclusively(_:)``, and read again there first.
public protocol SessionStore: Sendable {
    /// Reads what was saved last; an empty state when nothing was.
    ///
    /// - Throws: When something is there that cannot be read. It is then left as it is.
    func load() throws -> PersistedState

    /// Replaces what is stored, wholly or not at all; an empty state leaves nothing behind.
    func save(_ state: PersistedState) throws

    /// Runs `body` while nobody else is in `exclusively` of the same store, in this process or another.
    ///
    /// - Parameter body: May wait for the network; limited in time by its own means.
    /// - Returns: What `body` returns.
    /// - Throws: When the turn does not come in reasonable time, or waiting is impossible.
    @discardableResult
    func exclusively<T: Sendable>(_ body: @Sendable () async -> T) async throws -> T
}

extension SessionStore {
    /// Runs `body` at once: right for a store that belongs to a single ``Auth`` alone.
    @discardableResult
    public func exclusively<T: Sendable>(_ body: @Sendable () async -> T) async throws -> T {
        await body()
    }
}
