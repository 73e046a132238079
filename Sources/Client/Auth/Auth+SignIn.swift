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
                let response = try await self.signUp()
                return try await self.begin(response, asked: asked, isNewUser: true, isLinked: false)
            }
        }
    }

    /// Makes an anonymous user, or gets the one that an earlier attempt made whose answer was lost.
    ///
    /// Only inside ``exclusively(_:)``.
    private func signUp() async throws(AuthError) -> SignInResponse {
        let stored = memory.withLock { $0.persisted.signUpKey }
        do {
            return try await api.signUp(key: stored ?? newSignUpKey())
        } catch {
            guard error.serverCode == "IDEMPOTENCY_KEY_USED" else { throw error }
        }
        return try await api.signUp(key: newSignUpKey())
    }

    /// Draws the key of a sign-up and stores it before it is sent, so that a repetition after a restart sends the same.
    private func newSignUpKey() -> String {
        let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".utf8)
        // 43 of 64 characters: 258 random bits.
        let key = String(decoding: (0..<43).map { _ in alphabet[Int.random(in: 0..<64)] }, as: UTF8.self)
        // Where it cannot be stored, neither can the user: the attempt to do that reports it.
        try? commit { $0.signUpKey = key }
        return key
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
        let credential = try EmailCredential.link(link, email: email)
        return try await exclusively { () async throws(AuthError) -> AuthResult in
            try await self.redeem(credential, presentingUser: false, onConflict: .error)
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
    /// - Throws: ``AuthError/Code/emailAlreadyInUse``: nothing has changed, and ``AuthError/credential`` can merge or sign
    ///   in to the other account. ``AuthError/Code/providerAlreadyLinked`` when the user has an address already.
    ///   ``AuthError/Code/noCurrentUser``; with ``ConflictPolicy/merge`` ``AuthError/Code/mergeRefused``,
    ///   ``AuthError/Code/mergeFailed``, ``AuthError/Code/mergeInProgress``.
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

    /// Whether a text is a link that ``signIn(withEmail:link:)`` could use.
    public static func isSignInLink(_ text: String) -> Bool {
        SignInLink(text).map { $0.mode == "signIn" } ?? false
    }

    /// Redeems a credential, and makes a session of what comes of it.
    ///
    /// Only inside ``exclusively(_:)``.
    ///
    /// - Parameters:
    ///   - credential: A link or a ticket.
    ///   - presentingUser: Whether a link is for the user who is signed in. A ticket remembers who asked.
    ///   - onConflict: What to do when somebody else owns the address.
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
        let report = mergeReport(in: response, into: claims.sub, from: next.session?.user)
        next.session = StoredSession(
            user: claims.user,
            idToken: response.idToken,
            refreshToken: response.refreshToken,
            expiry: asked.addingTimeInterval(Double(response.expiresIn.value))
        )
        next.signUpKey = nil
        if !claims.isAnonymous { next.pendingSignIn = nil }
        // The link is spent: what it gave must survive a crash during the next request. Failure is reported below.
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

    /// The report of the merge that an answer tells of.
    private func mergeReport(in response: SignInResponse, into uid: String, from user: User?) -> MergeReport? {
        if let report = response.mergeReport { return report }
        guard response.merged == true else { return nil }
        return MergeReport(anonymousUID: user?.uid ?? "", uid: uid)
    }
}

extension ConflictPolicy {
    /// What is sent: nothing for the default, so that other servers of the protocol understand it too.
    var wireValue: String? { self == .error ? nil : rawValue }
}

extension User {
    /// Whether a mailed link is a way in already.
    var hasMailedLink: Bool { providers.contains { $0.id == "password" } }
}
