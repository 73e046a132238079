/// The sessions of the console that belong to no user, and the URLs that open them.
package protocol ConsoleSessionStore {
    /// Returns a session or URL, over or not; `nil` if there is none with this id.
    func consoleSession(_ id: String) throws -> ConsoleSession?
    func insert(_ session: ConsoleSession) throws
    /// Sets when a session is over, in milliseconds since 1970.
    func extendConsoleSession(_ id: String, to expiresAt: Int64) throws
    /// Deletes a session or URL.
    ///
    /// - Returns: whether it existed.
    @discardableResult
    func deleteConsoleSession(_ id: String) throws -> Bool
}
