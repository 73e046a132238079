package import Tokens

extension AccountFlows {
    /// The time by which a browser session's end must have moved before it is stored, so that most uses write nothing.
    static let leastExtension: Int64 = 60_000

    /// How long a browser session of a page lives after its last use, and at most, in milliseconds.
    func life(of page: BrowserPage) -> (idle: Int64, longest: Int64) {
        switch page {
        case .account: (policy.accountPageIdleLife, policy.accountPageLife)
        case .console: (30 * 60_000, 12 * 3_600_000)
        }
    }

    /// When a browser session is over that is used now.
    func end(of page: BrowserPage, begunAt: Int64, at now: Int64) -> Int64 {
        let life = self.life(of: page)
        return min(now + life.idle, begunAt + life.longest)
    }

    /// Begins a browser session that belongs to a session of its user, and ends the one that the browser had before.
    ///
    /// - Parameters:
    ///   - opening: the ids of the new and the replaced browser session.
    ///   - session: the session that it belongs to, which the caller has checked or just opened.
    ///   - opensSession: whether the page's sign-in has just opened `session`.
    ///   - store: the transaction.
    package func openBrowserSession(
        _ opening: BrowserSessionOpening,
        in session: Session,
        opensSession: Bool,
        in store: some AccountStore
    ) throws {
        let replaced = try opening.replaced.flatMap { try store.browserSession($0.text) }
        // Locks users before sessions, as every transaction does.
        try store.lockUsers([session.uid] + (replaced.map { [$0.uid] } ?? []))
        if let replaced { try end(replaced, at: opening.page, in: store) }
        try store.insert(
            BrowserSession(
                id: opening.id.text,
                page: opening.page,
                uid: session.uid,
                sid: session.sid,
                opensSession: opensSession,
                createdAt: store.now,
                expiresAt: end(of: opening.page, begunAt: store.now, at: store.now)
            )
        )
    }

    /// Checks that a browser session may be used now, and returns its user; postpones its end (``life(of:)``).
    ///
    /// - Parameters:
    ///   - id: the id in the cookie, whose signature has been checked.
    ///   - page: the page that was requested; a session of another page is not accepted.
    ///   - store: the transaction.
    /// - Throws: ``Refusal`` TOKEN_EXPIRED if the browser session is over, otherwise those of ``authenticate(_:in:)``
    ///   for the session that it belongs to.
    package func authenticate(
        browser id: TokenID,
        at page: BrowserPage,
        in store: some AccountStore
    ) throws -> BrowserCaller {
        guard let browser = try store.browserSession(id.text), browser.page == page, store.now < browser.expiresAt,
            let found = try store.sessionAndUser(browser.sid), let user = found.user
        else { throw Refusal(.tokenExpired).ofValid() }
        let claimed = BrowserCaller(browser: browser, user: user, session: found.session)
        _ = try authenticate(claimed.token, as: found, in: store)
        guard user.uid == browser.uid else { throw Refusal(.tokenExpired).ofValid() }
        let end = self.end(of: page, begunAt: browser.createdAt, at: store.now)
        if end - browser.expiresAt >= Self.leastExtension { try store.extendBrowserSession(browser.id, to: end) }
        return claimed
    }

    /// Ends a browser session, and the session that the page's sign-in opened for it; does nothing if there is none.
    ///
    /// - Returns: the UID of its user; `nil` if there was none.
    @discardableResult
    package func endBrowserSession(
        _ id: TokenID,
        at page: BrowserPage,
        in store: some AccountStore
    ) throws -> String? {
        guard let browser = try store.browserSession(id.text) else { return nil }
        try store.lockUsers([browser.uid])
        return try end(browser, at: page, in: store)
    }

    /// Ends a browser session of a page, whose user the caller has locked.
    @discardableResult
    private func end(_ browser: BrowserSession, at page: BrowserPage, in store: some AccountStore) throws -> String? {
        guard browser.page == page else { return nil }
        try store.deleteBrowserSession(browser.id)
        if browser.opensSession { try store.endSession(browser.sid, of: browser.uid, reason: .signedOut) }
        return browser.uid
    }
}
