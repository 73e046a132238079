package import Tokens

/// The pages of the server that have browser sessions; the raw value is stored.
package enum BrowserPage: String, Sendable {
    /// The page on which users manage their own account.
    case account
    /// The console, for administrators who sign in by e-mail.
    case console
}

/// A session of a page of the server's own, which a browser keeps as a cookie.
///
/// It belongs to a ``Session`` and is over when that one is, so that everything that ends a user's sessions also ends
/// the page's. Times are milliseconds since 1970.
package struct BrowserSession: Sendable, Equatable {
    /// 16 bytes as base64url: the id in the signed cookie (`BrowserSessionToken`).
    package let id: String
    package let page: BrowserPage
    package let uid: String
    /// The ``Session/sid`` of the session that it belongs to.
    package let sid: String
    /// Whether the page's own sign-in opened that session, so that the session ends with the browser session.
    package let opensSession: Bool
    package let createdAt: Int64
    /// When the browser session is over, unless it is used before.
    package let expiresAt: Int64

    /// Makes a browser session from its parts.
    package init(
        id: String,
        page: BrowserPage,
        uid: String,
        sid: String,
        opensSession: Bool,
        createdAt: Int64,
        expiresAt: Int64
    ) {
        self.id = id
        self.page = page
        self.uid = uid
        self.sid = sid
        self.opensSession = opensSession
        self.createdAt = createdAt
        self.expiresAt = expiresAt
    }
}

/// What a new browser session needs before its transaction, which may run again.
package struct BrowserSessionOpening: Sendable {
    package let page: BrowserPage
    /// The id of the session to begin, always a fresh one, so that no attacker can have planted it.
    package let id: TokenID
    /// The id of the browser session in the request's cookie, which the new one replaces; `nil` without a cookie.
    package let replaced: TokenID?

    /// Makes an opening from its parts.
    package init(page: BrowserPage, id: TokenID, replaced: TokenID?) {
        self.page = page
        self.id = id
        self.replaced = replaced
    }
}

/// The user of a page, as their browser session identifies them.
package struct BrowserCaller: Sendable, Equatable {
    package let browser: BrowserSession
    package let user: User
    package let session: Session

    /// The ID token that the user could present, for the flows of calls.
    ///
    /// It counts as issued when the browser session began, so that revoking the user's tokens revokes it.
    package var token: PresentedToken {
        PresentedToken(
            uid: user.uid,
            sid: session.sid,
            issuedAt: browser.createdAt / 1000,
            authTime: session.authTime,
            provider: session.provider,
            isExpired: false
        )
    }
}
