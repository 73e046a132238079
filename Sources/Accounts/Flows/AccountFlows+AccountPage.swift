package import Tokens

/// What the account page shows of a user.
package struct AccountOverview: Sendable, Equatable {
    package let user: User
    /// The user's identities, the one that was linked first at the beginning.
    package let identities: [LinkedIdentity]
    package let username: String?
    package let listed: ListedSessions

    /// Makes an overview from its parts.
    package init(user: User, identities: [LinkedIdentity], username: String?, listed: ListedSessions) {
        self.user = user
        self.identities = identities
        self.username = username
        self.listed = listed
    }
}

extension AccountFlows {
    /// Returns what the account page shows of its caller.
    ///
    /// - Throws: ``Refusal``, those of ``authenticate(_:in:)``.
    package func overview(of caller: BrowserCaller, in store: some AccountStore) throws -> AccountOverview {
        AccountOverview(
            user: caller.user,
            identities: try store.linkedIdentities(of: caller.user.uid).sorted { $0.linkedAt < $1.linkedAt },
            username: try store.username(of: caller.user.uid),
            listed: try sessions(of: caller.token, in: store)
        )
    }

    /// Returns the same of a user for an operator; `nil` if there is no such user.
    package func overview(ofUser uid: String, in store: some AccountStore) throws -> AccountOverview? {
        guard let user = try store.user(uid), let listed = try sessions(ofUser: uid, in: store) else { return nil }
        return AccountOverview(
            user: user,
            identities: try store.linkedIdentities(of: uid).sorted { $0.linkedAt < $1.linkedAt },
            username: try store.username(of: uid),
            listed: listed
        )
    }

    /// Returns the user whom the URL from an app would sign in on the account page, without using it up.
    ///
    /// - Throws: ``Refusal`` EXPIRED_OOB_CODE, or those of ``authenticate(_:in:)``.
    package func user(of url: AccountURLToken, in store: some AccountStore) throws -> User {
        try authenticate(url, in: store).user
    }

    /// Uses up the URL from an app and begins a browser session of the account page, which belongs to the app's session.
    ///
    /// - Returns: the user.
    /// - Throws: ``Refusal`` EXPIRED_OOB_CODE, INVALID_OOB_CODE if the URL was used before, or those of
    ///   ``authenticate(_:in:)``.
    package func openAccountPage(
        _ url: AccountURLToken,
        _ opening: BrowserSessionOpening,
        in store: some AccountStore
    ) throws -> User {
        let (user, session) = try authenticate(url, in: store)
        guard try store.spendToken(url.digest, until: url.spentUntil) else {
            throw Refusal(.invalidOobCode).ofValid()
        }
        try openBrowserSession(opening, in: session, opensSession: false, in: store)
        return user
    }

    /// Begins a browser session of the account page after a sign-in on the page.
    ///
    /// - Throws: ``Refusal`` MISSING_USER_ACCOUNT if the sign-in created the user, because the page creates no accounts. The
    ///   transaction must then be rolled back.
    package func openAccountPage(
        _ signedIn: SignedIn,
        _ opening: BrowserSessionOpening,
        in store: some AccountStore
    ) throws {
        guard !signedIn.isNewUser else { throw Refusal(.missingUserAccount).ofValid() }
        try openBrowserSession(opening, in: signedIn.session, opensSession: true, in: store)
    }

    /// Whether a sign-in link belongs to a ticket.
    package func isLink(_ code: ActionCode, of ticket: TokenID, in store: some AccountStore) throws -> Bool {
        try signInTicket(of: code, in: store)?.id == ticket.text
    }

    private func authenticate(
        _ url: AccountURLToken,
        in store: some AccountStore
    ) throws -> (user: User, session: Session) {
        guard store.now < url.expiry * 1000 else { throw Refusal(.expiredOobCode).ofValid() }
        guard let found = try store.sessionAndUser(url.session.text) else { throw Refusal(.tokenExpired).ofValid() }
        let token = PresentedToken(
            uid: found.session.uid,
            sid: found.session.sid,
            issuedAt: url.issuedAt,
            authTime: found.session.authTime,
            provider: found.session.provider,
            isExpired: false
        )
        return try authenticate(token, as: found, in: store)
    }
}
