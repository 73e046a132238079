extension Auth {
    /// Continues with a proven e-mail address: links it, merges, or signs in, whichever applies.
    ///
    /// ```swift
    /// switch try await auth.continueWithEmail(email, link: link) {
    /// case .linked(let user): welcome(user)                       // the guest has an address now
    /// case .merged(let user, let report): show(report, to: user)  // all that the guest had is in the account
    /// case .signedIn(let user), .signedUp(let user): welcome(user)
    /// }
    /// ```
    ///
    /// - If an anonymous user is signed in and the address is new, the user gets the address and keeps the UID.
    /// - If an anonymous user is signed in and the address has an account, all data of the anonymous user moves there.
    /// - If another user without an e-mail link as a sign-in method is signed in, the user gets the address. If the
    ///   address has an account, the call fails with ``AuthError/Code/emailAlreadyInUse``.
    /// - Otherwise the call signs in to the account of the address, or creates one.
    ///
    /// If the answer is lost when the call links or merges, make the same call again within ten minutes: it returns
    /// what has happened, and nothing happens twice. When the call signs in or creates an account, the link counts as
    /// used even if the answer is lost.
    ///
    /// - Parameters:
    ///   - email: the address that the link was sent to.
    ///   - link: the link, or the bare action code.
    ///   - onConflict: with ``ConflictPolicy/error``, the call does not merge, but throws
    ///     ``AuthError/Code/emailAlreadyInUse``.
    /// - Returns: what happened, with the user who is signed in now.
    /// - Throws: ``AuthError/Code/invalidActionCode``, ``AuthError/Code/expiredActionCode``,
    ///   ``AuthError/Code/invalidEmail`` (the link stays good), ``AuthError/Code/userDisabled``;
    ///   ``AuthError/Code/mergeRefused``, ``AuthError/Code/mergeFailed`` and ``AuthError/Code/mergeInProgress``, after
    ///   which link and guest are as they were; ``AuthError/Code/emailAlreadyInUse`` with its ``AuthError/credential``.
    @discardableResult
    public func continueWithEmail(
        _ email: String,
        link: String,
        onConflict: ConflictPolicy = .merge
    ) async throws(AuthError) -> SignInOutcome {
        try await `continue`(with: EmailCredential.link(link, email: email), onConflict: onConflict)
    }

    /// Continues with a ticket: redeems the code in its e-mail, or collects its session after approval on another
    /// device.
    ///
    /// If the ticket was requested for an anonymous user, that user gets the address, or is merged into the account of
    /// the address. Otherwise the call signs in to the account, or creates one.
    ///
    /// - Parameters:
    ///   - ticket: ``SignInRequest/ticket``.
    ///   - code: the eight digits, with or without spaces; `nil` collects a session approved on another device.
    ///   - onConflict: with ``ConflictPolicy/error``, does not merge into the account of the address.
    /// - Returns: what happened, with the user who is signed in now.
    /// - Throws: as ``signIn(withTicket:code:onConflict:)`` and ``collect(_:onConflict:)``, and for merges as
    ///   ``continueWithEmail(_:link:onConflict:)``.
    @discardableResult
    public func continueWithTicket(
        _ ticket: String,
        code: String? = nil,
        onConflict: ConflictPolicy = .merge
    ) async throws(AuthError) -> SignInOutcome {
        try await `continue`(with: .ticket(ticket, code: code), onConflict: onConflict)
    }

    /// Continues with a link or a ticket, for example the one in ``AuthError/credential``.
    ///
    /// The call does the same as ``continueWithEmail(_:link:onConflict:)`` or
    /// ``continueWithTicket(_:code:onConflict:)``.
    ///
    /// - Parameters:
    ///   - credential: a link or a ticket.
    ///   - onConflict: with ``ConflictPolicy/error``, does not merge into the account of the address.
    /// - Returns: what happened, with the user who is signed in now.
    /// - Throws: as ``continueWithEmail(_:link:onConflict:)`` and ``continueWithTicket(_:code:onConflict:)``.
    @discardableResult
    public func `continue`(
        with credential: EmailCredential,
        onConflict: ConflictPolicy = .merge
    ) async throws(AuthError) -> SignInOutcome {
        guard case .link = credential.proof else { return try await redeem(credential, onConflict: onConflict).outcome }
        return try await exclusively { () async throws(AuthError) -> SignInOutcome in
            // A user who already has the e-mail link as a sign-in method wants to sign in, perhaps as another user.
            guard let user = self.currentUser, !user.hasMailedLink else {
                return try await self.redeem(credential, presentingUser: false, onConflict: .error).outcome
            }
            do throws(AuthError) {
                let policy = user.isAnonymous ? onConflict : .error
                return try await self.redeem(credential, presentingUser: true, onConflict: policy).outcome
            } catch {
                // The session had ended, and its user may be gone. The link is unused.
                guard self.currentUser == nil, error.code != .userDisabled else { throw error }
                return try await self.redeem(credential, presentingUser: false, onConflict: .error).outcome
            }
        }
    }
}
