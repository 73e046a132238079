internal import Synchronization

#if canImport(FoundationEssentials)
    internal import FoundationEssentials
#else
    internal import Foundation
#endif

extension Auth {
    /// Signs in as an anonymous user: the one who is signed in already, else a new one.
    ///
    /// Callers who ask at the same time get the same user. A user with an address who is signed in is replaced.
    ///
    /// - Throws: ``AuthError/Code/adminRestrictedOperation`` when anonymous users are switched off.
    @discardableResult
    public func signInAnonymously() async throws(AuthError) -> AuthResult {
        if let user = currentUser, user.isAnonymous { return AuthResult(user: user, isNewUser: false, isLinked: false) }
        return try await signingInAnonymously.run {
            await self.result { () async throws(AuthError) -> AuthResult in
                if let user = self.currentUser, user.isAnonymous {
                    return AuthResult(user: user, isNewUser: false, isLinked: false)
                }
                let asked = self.now()
                let response = try await self.api.signUp()
                return try await self.begin(response, asked: asked, isNewUser: true, isLinked: false)
            }
        }
    }

    /// Signs in to the account that owns an address, or makes one, with the link that was mailed to it.
    ///
    /// An anonymous user who is signed in is left behind; ``link(withEmail:link:onConflict:)`` keeps it.
    ///
    /// - Parameters:
    ///   - email: The address that the link was sent to.
    ///   - link: The link, or the bare action code.
    /// - Returns: The user, and whether it is new.
    /// - Throws: ``AuthError/Code/invalidActionCode``, ``AuthError/Code/expiredActionCode``,
    ///   ``AuthError/Code/invalidEmail`` (the link stays good), ``AuthError/Code/userDisabled``.
    @discardableResult
    public func signIn(withEmail email: String, link: String) async throws(AuthError) -> AuthResult {
        let code = try Self.actionCode(in: link)
        return try await exclusively { () async throws(AuthError) -> AuthResult in
            let asked = self.now()
            let body = EmailLinkBody(email: email, oobCode: code, idToken: nil, onConflict: nil)
            let response = try await self.api.redeem(body)
            return try await self.begin(response, asked: asked, isLinked: false)
        }
    }

    /// Gives the user who is signed in the address that a link was mailed to.
    ///
    /// The UID stays.
    ///
    /// - Parameters:
    ///   - email: The address that the link was sent to.
    ///   - link: The link, or the bare action code.
    ///   - onConflict: What to do when another user owns the address.
    /// - Returns: The user, with the address.
    /// - Throws: ``AuthError/Code/emailAlreadyInUse``: nothing has changed, and the same link can
    ///   ``signIn(withEmail:link:)`` to the other account. ``AuthError/Code/providerAlreadyLinked`` when the user has an
    ///   address already. ``AuthError/Code/noCurrentUser``.
    @discardableResult
    public func link(
        withEmail email: String,
        link: String,
        onConflict: ConflictPolicy = .error
    ) async throws(AuthError) -> AuthResult {
        let code = try Self.actionCode(in: link)
        return try await exclusively { () async throws(AuthError) -> AuthResult in
            let user = try self.session().user
            guard !user.providers.contains(where: { $0.id == "password" }) else {
                throw AuthError(.providerAlreadyLinked)
            }
            let (response, asked) = try await self.presentingToken { token async throws(AuthError) in
                let asked = self.now()
                let body = EmailLinkBody(
                    email: email,
                    oobCode: code,
                    idToken: token,
                    onConflict: onConflict.wireValue
                )
                return (try await self.api.redeem(body), asked)
            }
            return try await self.begin(response, asked: asked, isLinked: response.localId == user.uid)
        }
    }

    /// Whether a text is a link that ``signIn(withEmail:link:)`` could use.
    public static func isSignInLink(_ text: String) -> Bool {
        SignInLink(text).map { $0.mode == "signIn" } ?? false
    }

    /// Makes a session of an answer, and asks for the rest of what is known of its user.
    ///
    /// Only inside ``exclusively(_:)``.
    func begin(
        _ response: SignInResponse,
        asked: Date,
        isNewUser: Bool? = nil,
        isLinked: Bool
    ) async throws(AuthError) -> AuthResult {
        guard let claims = IDTokenClaims(unverified: response.idToken),
            response.localId == nil || response.localId == claims.sub
        else { throw AuthError(.internalError, detail: "the server's ID token cannot be read") }
        var next = memory.withLock { $0.persisted }
        next.session = StoredSession(
            user: claims.user,
            idToken: response.idToken,
            refreshToken: response.refreshToken,
            expiry: asked.addingTimeInterval(Double(response.expiresIn.value))
        )
        if !claims.isAnonymous { next.pendingSignIn = nil }
        // The link is spent: what it gave must survive a crash during the next request. Failure is reported below.
        try? store.save(next)
        let lookup = try? await api.lookup(idToken: response.idToken, repeatable: false)
        let account = lookup?.users?.first { $0.localId == claims.sub }
        let user = account?.user(isAnonymous: claims.isAnonymous) ?? claims.user
        next.session?.user = user
        try commit { $0 = next }
        return AuthResult(user: user, isNewUser: isNewUser ?? response.isNewUser ?? false, isLinked: isLinked)
    }

    private static func actionCode(in link: String) throws(AuthError) -> String {
        guard let link = SignInLink(link) else {
            throw AuthError(.invalidActionCode, detail: "there is no action code in this link")
        }
        guard link.isForSignIn else {
            throw AuthError(.invalidActionCode, detail: "this link is not for signing in")
        }
        return link.oobCode
    }
}

extension ConflictPolicy {
    /// What is sent: nothing for the default, so that other servers of the protocol understand it too.
    var wireValue: String? { self == .error ? nil : rawValue }
}
