internal import Synchronization

#if canImport(FoundationEssentials)
    internal import FoundationEssentials
#else
    internal import Foundation
#endif

extension Auth {
    /// Signs in as an anonymous user: the current one, or a new one.
    ///
    /// Concurrent callers get the same user. A signed-in user who is not anonymous is replaced on this device.
    ///
    /// - Returns: the anonymous user, and whether it is new.
    /// - Throws: ``AuthError/Code/adminRestrictedOperation`` when anonymous users are switched off;
    ///   ``AuthError/Code/tooManyRequests``, ``AuthError/Code/storageLow``, ``AuthError/Code/networkRequestFailed``,
    ///   ``AuthError/Code/storageFailed``.
    @discardableResult
    public func signInAnonymously() async throws(AuthError) -> AuthResult {
        if let user = currentUser, user.isAnonymous { return AuthResult(user: user, isNewUser: false, isLinked: false) }
        return try await signingInAnonymously.run {
            await self.result { () async throws(AuthError) -> AuthResult in
                if let user = self.currentUser, user.isAnonymous {
                    return AuthResult(user: user, isNewUser: false, isLinked: false)
                }
                let asked = self.now()
                let response = try await self.signUp()
                return try await self.begin(response, asked: asked, isNewUser: true, isLinked: false)
            }
        }
    }

    /// Creates an anonymous user, or gets the one of an earlier attempt whose answer was lost.
    ///
    /// Call it only inside ``exclusively(_:)``.
    private func signUp() async throws(AuthError) -> SignInResponse {
        let stored = memory.withLock { $0.persisted.signUpKey }
        do {
            return try await api.signUp(key: stored ?? newSignUpKey())
        } catch {
            guard error.serverCode == "IDEMPOTENCY_KEY_USED" else { throw error }
        }
        return try await api.signUp(key: newSignUpKey())
    }

    /// Generates the key of a sign-up and stores it before it is sent, so that a repetition after a restart sends the
    /// same key.
    private func newSignUpKey() -> String {
        let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".utf8)
        // 43 of 64 characters: 258 random bits.
        let key = String(decoding: (0..<43).map { _ in alphabet[Int.random(in: 0..<64)] }, as: UTF8.self)
        // If the key cannot be stored, neither can the user, and storing the user reports the error.
        try? commit { $0.signUpKey = key }
        return key
    }

    /// Signs in with an e-mail link, to the account of the address or to a new account.
    ///
    /// A signed-in anonymous user is abandoned: this device loses access to the user and its data.
    /// ``link(withEmail:link:onConflict:)`` keeps the user.
    ///
    /// - Parameters:
    ///   - email: the address that the link was sent to.
    ///   - link: the link, or the bare action code.
    /// - Returns: the user, and whether it is new.
    /// - Throws: ``AuthError/Code/invalidActionCode``, ``AuthError/Code/expiredActionCode``,
    ///   ``AuthError/Code/invalidEmail`` (the link stays good), ``AuthError/Code/userDisabled``.
    @discardableResult
    public func signIn(withEmail email: String, link: String) async throws(AuthError) -> AuthResult {
        let credential = try EmailCredential.link(link, email: email)
        return try await exclusively { () async throws(AuthError) -> AuthResult in
            try await self.redeem(credential, presentingUser: false, onConflict: .error)
        }
    }

    /// Links the address of an e-mail link to the signed-in user.
    ///
    /// The UID stays the same.
    ///
    /// - Parameters:
    ///   - email: the address that the link was sent to.
    ///   - link: the link, or the bare action code.
    ///   - onConflict: what to do when another user owns the address.
    /// - Returns: the user, with the address.
    /// - Throws: ``AuthError/Code/emailAlreadyInUse``: nothing has changed, and ``AuthError/credential`` can merge or
    ///   sign in to the other account. ``AuthError/Code/providerAlreadyLinked`` when the user already has the e-mail
    ///   link as a sign-in method. ``AuthError/Code/noCurrentUser``, and as ``signIn(withEmail:link:)``; with
    ///   ``ConflictPolicy/merge`` ``AuthError/Code/mergeRefused``, ``AuthError/Code/mergeFailed``,
    ///   ``AuthError/Code/mergeInProgress``.
    @discardableResult
    public func link(
        withEmail email: String,
        link: String,
        onConflict: ConflictPolicy = .error
    ) async throws(AuthError) -> AuthResult {
        let credential = try EmailCredential.link(link, email: email)
        return try await exclusively { () async throws(AuthError) -> AuthResult in
            guard try !self.session().user.hasMailedLink else { throw AuthError(.providerAlreadyLinked) }
            return try await self.redeem(credential, presentingUser: true, onConflict: onConflict)
        }
    }

    /// Whether a text is a link for ``signIn(withEmail:link:)``.
    ///
    /// The result is `false` for a bare action code and for links of other modes, such as `verifyEmail`. The server is
    /// not asked.
    public static func isSignInLink(_ text: String) -> Bool {
        SignInLink(text).map { $0.mode == "signIn" } ?? false
    }

    /// Sends a link or a ticket to the server, and starts the session in the answer.
    ///
    /// Call it only inside ``exclusively(_:)``.
    ///
    /// - Parameters:
    ///   - credential: a link or a ticket.
    ///   - presentingUser: whether to send the signed-in user's ID token with a link, so that the server links or
    ///     merges. It is `false` for tickets, for which the server stored the user when the e-mail was requested.
    ///   - onConflict: what to do when another user owns the address.
    func redeem(
        _ credential: EmailCredential,
        presentingUser: Bool,
        onConflict: ConflictPolicy
    ) async throws(AuthError) -> AuthResult {
        let asks: (String?) async throws(AuthError) -> (SignInResponse, Date) = { token async throws(AuthError) in
            let asked = self.now()
            switch credential.proof {
            case .link(let email, let code):
                let policy = token == nil ? nil : onConflict.wireValue
                let body = EmailLinkBody(email: email, oobCode: code, idToken: token, onConflict: policy)
                return (try await self.api.redeem(body), asked)
            case .ticket(let ticket, let code):
                let body = TicketBody(ticket: ticket, code: code, onConflict: onConflict.wireValue)
                return (try await self.api.redeem(body), asked)
            }
        }
        let before = currentUser
        do {
            let (response, asked) = try await presentingUser ? presentingToken(asks) : asks(nil)
            let isLinked = response.linked ?? (presentingUser && response.localId == before?.uid)
            return try await begin(response, asked: asked, isLinked: isLinked)
        } catch {
            guard error.code == .emailAlreadyInUse || error.code == .credentialAlreadyInUse else { throw error }
            var error = error
            error.credential = credential
            throw error
        }
    }

    /// Starts the session in an answer: loads its user from the server, and replaces the stored session.
    ///
    /// If the user cannot be loaded, only what the ID token says is known of the user, and the call succeeds.
    ///
    /// Call it only inside ``exclusively(_:)``.
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
        let report = mergeReport(in: response, into: claims.sub, from: next.session?.user)
        next.session = StoredSession(
            user: claims.user,
            idToken: response.idToken,
            refreshToken: response.refreshToken,
            expiry: asked.addingTimeInterval(Double(response.expiresIn.value))
        )
        next.signUpKey = nil
        if !claims.isAnonymous { next.pendingSignIn = nil }
        // The link is used up, so its result must survive a crash during the next request. A failure is reported below.
        try? store.save(next)
        let lookup = try? await api.lookup(idToken: response.idToken, repeatable: false)
        let account = lookup?.users?.first { $0.localId == claims.sub }
        let user = account?.user(isAnonymous: claims.isAnonymous) ?? claims.user
        next.session?.user = user
        if let report { memory.withLock { $0.successors[report.anonymousUID] = claims.sub } }
        try commit { $0 = next }
        return AuthResult(
            user: user,
            isNewUser: isNewUser ?? response.isNewUser ?? false,
            isLinked: isLinked && report == nil,
            mergeReport: report
        )
    }

    /// Returns the report of the merge in an answer; `nil` without a merge.
    ///
    /// If the server reports a merge without details, the report has only the two UIDs.
    private func mergeReport(in response: SignInResponse, into uid: String, from user: User?) -> MergeReport? {
        if let report = response.mergeReport { return report }
        guard response.merged == true else { return nil }
        return MergeReport(anonymousUID: user?.uid ?? "", uid: uid)
    }
}

extension ConflictPolicy {
    /// The value to send; `nil` for ``error``, the default, so that servers with this API that do not know the
    /// parameter work too.
    var wireValue: String? { self == .error ? nil : rawValue }
}

extension User {
    /// Whether the user already has the e-mail link as a sign-in method.
    var hasMailedLink: Bool { providers.contains { $0.id == "password" } }
}
