package import Accounts
package import Database

extension Transaction {
    package func browserSession(_ id: String) throws -> BrowserSession? {
        try first(
            """
            SELECT page, uid, sid, opened_at, created_at, expires_at FROM browser_sessions WHERE session = \(id)
            """
        ) { row in
            // A page of a later version, whose cookies this version does not accept.
            guard let page = BrowserPage(rawValue: try row.text(0)) else { return nil }
            return BrowserSession(
                id: id,
                page: page,
                uid: try row.text(1),
                sid: try row.text(2),
                opensSession: try row.optionalInteger(3) != nil,
                createdAt: try row.integer(4),
                expiresAt: try row.integer(5)
            )
        } ?? nil
    }

    package func insert(_ session: BrowserSession) throws {
        try enqueue(
            """
            INSERT INTO browser_sessions (session, page, uid, sid, opened_at, created_at, expires_at)
            VALUES (\(session.id), \(session.page.rawValue), \(session.uid), \(session.sid),
                \(session.opensSession ? session.createdAt : nil), \(session.createdAt), \(session.expiresAt))
            """
        )
    }

    package func extendBrowserSession(_ id: String, to expiresAt: Int64) throws {
        try enqueue("UPDATE browser_sessions SET expires_at = \(expiresAt) WHERE session = \(id)")
    }

    package func deleteBrowserSession(_ id: String) throws {
        try enqueue("DELETE FROM browser_sessions WHERE session = \(id)")
    }
}
