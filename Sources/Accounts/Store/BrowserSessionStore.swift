/// The browser sessions of the server's own pages.
package protocol BrowserSessionStore {
    /// Returns a browser session, over or not; `nil` if there is none with this id.
    func browserSession(_ id: String) throws -> BrowserSession?
    func insert(_ session: BrowserSession) throws
    /// Sets when a browser session is over, in milliseconds since 1970.
    func extendBrowserSession(_ id: String, to expiresAt: Int64) throws
    func deleteBrowserSession(_ id: String) throws
}
