internal import Crypto
package import Tokens

extension AccountFlows {
    /// How long a URL of the console is valid, in milliseconds.
    package static let consoleURLLife: Int64 = 5 * 60_000
    /// The longest time since a sign-in, in milliseconds, for which the console allows changes.
    package static let consoleRecentSignIn: Int64 = 15 * 60_000

    /// Stores a URL that opens the console once.
    ///
    /// - Parameters:
    ///   - token: the random token in the URL. The database keeps only its digest.
    ///   - name: the name of the person who will use it, for the audit log.
    ///   - store: the transaction.
    package func makeConsoleURL(_ token: TokenID, name: String, in store: some AccountStore) throws {
        let session = ConsoleSession(
            id: try token.digest,
            name: name,
            openedAt: nil,
            createdAt: store.now,
            expiresAt: store.now + Self.consoleURLLife
        )
        try store.insert(session)
        try audit(.consoleURLMade, detail: name, in: store)
    }

    /// Returns the name of the person for whom a URL of the console was made, without using the URL up.
    ///
    /// - Throws: ``Refusal`` INVALID_OOB_CODE for a URL that was used or never existed, EXPIRED_OOB_CODE.
    package func consoleName(ofURL token: TokenID, in store: some AccountStore) throws -> String {
        try consoleURL(token, in: store).name
    }

    /// Uses up a URL of the console, and begins a session.
    ///
    /// - Throws: ``Refusal`` INVALID_OOB_CODE, EXPIRED_OOB_CODE.
    package func openConsole(
        url token: TokenID,
        _ opening: BrowserSessionOpening,
        in store: some AccountStore
    ) throws -> ConsoleCaller {
        let url = try consoleURL(token, in: store)
        // Of two requests at a time, one finds the row.
        guard try store.deleteConsoleSession(url.id) else { throw Refusal(.invalidOobCode) }
        if let replaced = opening.replaced { try endConsole(replaced, in: store) }
        let session = ConsoleSession(
            id: opening.id.text,
            name: url.name,
            openedAt: store.now,
            createdAt: store.now,
            expiresAt: end(of: .console, begunAt: store.now, at: store.now)
        )
        try store.insert(session)
        let caller = self.caller(of: session)
        try acting(as: caller.actor).audit(.consoleOpened, detail: "url", in: store)
        return caller
    }

    /// Begins a session of the console after an administrator's sign-in on it.
    ///
    /// - Throws: ``Refusal`` INSUFFICIENT_PERMISSION for a user who is no administrator. The transaction must then be
    ///   rolled back, which also undoes the sign-in.
    package func openConsole(
        _ signedIn: SignedIn,
        _ opening: BrowserSessionOpening,
        in store: some AccountStore
    ) throws {
        guard !signedIn.isNewUser, try store.administratorList()[signedIn.user.uid] != nil else {
            throw Refusal(.insufficientPermission).ofValid()
        }
        if let replaced = opening.replaced { try store.deleteConsoleSession(replaced.text) }
        try openBrowserSession(opening, in: signedIn.session, opensSession: true, in: store)
        let actor = AuditActor(.administrator, signedIn.user.uid)
        try acting(as: actor).audit(.consoleOpened, uid: signedIn.user.uid, detail: "email", in: store)
    }

    /// Checks that a session of the console may be used now, and returns its person; postpones its end.
    ///
    /// The list of administrators counts as it is now, so that a removed administrator is out at once.
    ///
    /// - Throws: ``Refusal`` TOKEN_EXPIRED if the session is over or the person is no administrator any more, or those of
    ///   ``authenticate(browser:at:in:)``.
    package func authenticate(console id: TokenID, in store: some AccountStore) throws -> ConsoleCaller {
        if let session = try store.consoleSession(id.text) {
            guard session.openedAt != nil, store.now < session.expiresAt else { throw Refusal(.tokenExpired).ofValid() }
            let end = self.end(of: .console, begunAt: session.createdAt, at: store.now)
            if end - session.expiresAt >= Self.leastExtension { try store.extendConsoleSession(session.id, to: end) }
            return caller(of: session)
        }
        let browser = try authenticate(browser: id, at: .console, in: store)
        guard let role = try store.administratorList()[browser.user.uid] else {
            throw Refusal(.tokenExpired).ofValid()
        }
        return ConsoleCaller(
            actor: AuditActor(.administrator, browser.user.uid),
            name: browser.user.email ?? browser.user.uid,
            isReadOnly: role == .readOnly,
            signedInAt: browser.session.authTime * 1000
        )
    }

    /// Refuses a change by a person who may only look, or who signed in too long ago.
    ///
    /// - Throws: ``Refusal`` INSUFFICIENT_PERMISSION, CREDENTIAL_TOO_OLD_LOGIN_AGAIN.
    package func requireChange(by caller: ConsoleCaller, in store: some AccountStore) throws {
        guard !caller.isReadOnly else { throw Refusal.readOnlyAdministrator }
        guard let time = caller.signedInAt else { return }
        // A sign-in far in the future comes from a node whose clock was wrong.
        guard (store.now - Self.consoleRecentSignIn...store.now + 10_000).contains(time) else {
            throw Refusal(.credentialTooOld)
        }
    }

    /// Ends a session of the console; does nothing if there is none.
    package func endConsole(_ id: TokenID, in store: some AccountStore) throws {
        if try !store.deleteConsoleSession(id.text) { try endBrowserSession(id, at: .console, in: store) }
    }

    /// Sends a sign-in e-mail to a user for an administrator, who is ``actor``.
    ///
    /// - Throws: ``Refusal``, those of ``requestSignInLink(_:in:)``.
    package func sendSignInMail(_ request: SignInLinkRequest, to uid: String, in store: some AccountStore) throws {
        _ = try requestSignInLink(request, in: store)
        try audit(.signInMailSent, uid: uid, in: store)
    }

    /// Resolves a contested account for an administrator, who is ``actor``.
    ///
    /// - Throws: ``Refusal`` OPERATION_NOT_ALLOWED (an administrator's account), or those of ``resolve(_:keeping:in:)``.
    package func resolve(_ user: User, keeping kept: KeptAddress, in store: some AccountStore) throws {
        try requireAuthority(over: user.uid, in: store)
        _ = try resolve(user.uid, keeping: kept, in: store)
    }

    private func caller(of session: ConsoleSession) -> ConsoleCaller {
        ConsoleCaller(
            actor: AuditActor(.console, session.name),
            name: session.name,
            isReadOnly: false,
            signedInAt: session.createdAt
        )
    }

    private func consoleURL(_ token: TokenID, in store: some AccountStore) throws -> ConsoleSession {
        guard let url = try store.consoleSession(token.digest), url.openedAt == nil else {
            throw Refusal(.invalidOobCode)
        }
        guard store.now < url.expiresAt else { throw Refusal(.expiredOobCode).ofValid() }
        return url
    }
}

extension TokenID {
    /// The SHA-256 digest of the id as base64url, by which the database knows the token of a URL.
    fileprivate var digest: String {
        get throws { Base64URL.encode(try sha256([UInt8](text.utf8))) }
    }
}

extension Refusal {
    /// The refusal INSUFFICIENT_PERMISSION of a change by a read-only administrator.
    package static let readOnlyAdministrator = Refusal(
        .insufficientPermission,
        detail: "A read-only administrator changes nothing and exports nothing."
    )
}
