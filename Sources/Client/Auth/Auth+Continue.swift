extension Auth {
    /// Goes on with an address that somebody has proven: links it, merges, or signs in, whatever fits.
    ///
    /// ```swift
    /// switch try await auth.continueWithEmail(email, link: link) {
    /// case .linked(let user): welcome(user)                       // the guest has an address now
    /// case .merged(let user, let report): show(report, to: user)  // all that the guest had is in the account
    /// case .signedIn(let user), .signedUp(let user): welcome(user)
    /// }
    /// ```
    ///
    /// An anonymous user who is signed in gets the address if it is new; if it has an account, all that belongs to the
    /// anonymous user moves there. Without an anonymous user it signs in to the account, or makes one. When the answer is
    /// lost, the same call may be made again: what has happened is answered, and nothing happens twice.
    ///
    /// - Parameters:
    ///   - email: The address that the link was sent to.
    ///   - link: The link, or the bare action code.
    ///   - onConflict: With ``ConflictPolicy/error``, an address that has an account is not merged into.
    /// - Returns: Which of these has happened, with the user who is signed in now.
    /// - Throws: ``AuthError/Code/invalidActionCode``, ``AuthError/Code/expiredActionCode``,
    ///   ``AuthError/Code/invalidEmail`` (the link stays good), ``AuthError/Code/userDisabled``;
    ///   ``AuthError/Code/mergeRefused``, ``AuthError/Code/mergeFailed`` and ``AuthError/Code/mergeInProgress``, after which
    ///   link and guest are as they were; ``AuthError/Code/emailAlreadyInUse`` with its ``AuthError/credential``.
    @discardableResult
    public func continueWithEmail(
        _ email: String,
        link: String,
        onConflict: ConflictPolicy = .merge
    ) async throws(AuthError) -> SignInOutcome {
        try await `continue`(with: EmailCredential.link(link, email: email), onConflict: onConflict)
    }

    /// The same by the ticket of the device that asked, with the code in the mail or after approval on another device.
    ///
    /// - Parameters:
    ///   - ticket: ``SignInRequest/ticket``.
    ///   - code: The eight digits, with or without spaces; `nil` collects what was approved elsewhere.
    ///   - onConflict: With ``ConflictPolicy/error``, an address that has an account is not merged into.
    /// - Returns: Which of these has happened, with the user who is signed in now.
    /// - Throws: As ``signIn(withTicket:code:onConflict:)`` and ``collect(_:onConflict:)``, and for merges as
    ///   ``continueWithEmail(_:link:onConflict:)``.
    @discardableResult
    public func continueWithTicket(
        _ ticket: String,
        code: String? = nil,
        onConflict: ConflictPolicy = .merge
    ) async throws(AuthError) -> SignInOutcome {
        try await `continue`(with: .ticket(ticket, code: code), onConflict: onConflict)
    }

    /// The same by any proof, for example the one that ``AuthError/credential`` kept.
    ///
    /// - Parameters:
    ///   - credential: A link or a ticket.
    ///   - onConflict: With ``ConflictPolicy/error``, an address that has an account is not merged into.
    /// - Returns: Which of these has happened, with the user who is signed in now.
    /// - Throws: As ``continueWithEmail(_:link:onConflict:)`` and ``continueWithTicket(_:code:onConflict:)``.
    @discardableResult
    public func `continue`(
        with credential: EmailCredential,
        onConflict: ConflictPolicy = .merge
    ) async throws(AuthError) -> SignInOutcome {
        guard case .link = credential.proof else { return try await redeem(credential, onConflict: onConflict).outcome }
        return try await exclusively { () async throws(AuthError) -> SignInOutcome in
            // Who has a mailed link as a way in already comes to sign in, perhaps as somebody else.
            guard let user = self.currentUser, !user.hasMailedLink else {
                return try await self.redeem(credential, presentingUser: false, onConflict: .error).outcome
            }
            do throws(AuthError) {
                let policy = user.isAnonymous ? onConflict : .error
                return try await self.redeem(credential, presentingUser: true, onConflict: policy).outcome
            } catch {
                // The session was over, and its user perhaps gone: the link is as it was.
                guard self.currentUser == nil, error.code != .userDisabled else { throw error }
                return try await self.redeem(credential, presentingUser: false, onConflict: .error).outcome
            }
        }
    }
}
