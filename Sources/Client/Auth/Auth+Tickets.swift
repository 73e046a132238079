#if canImport(FoundationEssentials)
    internal import FoundationEssentials
#else
    internal import Foundation
#endif

extension Auth {
    /// Requests an e-mail with a sign-in link and code.
    ///
    /// The answer is the same whether or not the address has an account. Keep the answer: its ticket redeems the code,
    /// and collects the session once the link was approved on another device. ``pendingSignIn`` returns the last
    /// answer. The request is never repeated automatically: after ``AuthError/Code/networkRequestFailed`` the e-mail
    /// may have been sent.
    ///
    /// - Parameters:
    ///   - email: the recipient's address.
    ///   - settings: the settings of the e-mail.
    /// - Returns: the ticket, and the three digits to show.
    /// - Throws: ``AuthError/Code/invalidEmail``, ``AuthError/Code/operationNotAllowed``,
    ///   ``AuthError/Code/tooManyRequests``, ``AuthError/Code/invalidContinueURI``,
    ///   ``AuthError/Code/unauthorizedContinueURI``; ``AuthError/Code/cancelled`` when the task was cancelled during a
    ///   proof of work that the server requires.
    @discardableResult
    public func sendSignInLink(
        to email: String,
        settings: SignInSettings = SignInSettings()
    ) async throws(AuthError) -> SignInRequest {
        try await exclusively { () async throws(AuthError) -> SignInRequest in
            let asks: (String?) async throws(AuthError) -> SendLinkResponse = { token async throws(AuthError) in
                let continueURL = settings.continueURL
                return try await self.api.sendLink(
                    SendLinkBody(email: email, idToken: token, continueUrl: continueURL)
                )
            }
            // Only an anonymous user is linked. The ticket of a user with an address would replace that address.
            let presentsUser = settings.linksAnonymousUser && self.currentUser?.isAnonymous == true
            let response = try await presentsUser ? self.presentingToken(asks) : asks(nil)
            let request = SignInRequest(
                id: response.requestId,
                email: response.email,
                ticket: response.ticket,
                confirmation: response.confirmation,
                expiresIn: response.expiresIn.map { TimeInterval($0.value) },
                // Whole seconds, so that the value stays equal after it is stored.
                date: Date(timeIntervalSince1970: self.now().timeIntervalSince1970.rounded(.down))
            )
            try self.commit { $0.pendingSignIn = request }
            return request
        }
    }

    /// Redeems the code in the e-mail, on the device that requested it.
    ///
    /// While the server is still sending the e-mail, the code is sent again automatically, up to ten times, about once
    /// a second.
    ///
    /// - Parameters:
    ///   - ticket: ``SignInRequest/ticket``.
    ///   - code: the eight digits, with or without spaces.
    ///   - onConflict: what to do when the ticket's anonymous user would get an address that another user owns.
    /// - Returns: the user, and whether it is the ticket's anonymous user.
    /// - Throws: ``AuthError/Code/invalidSignInCode`` (three wrong codes end the ticket, unless the server sets another
    ///   number),
    ///   ``AuthError/Code/codePaused``, ``AuthError/Code/mailPending``, ``AuthError/Code/mailFailed``,
    ///   ``AuthError/Code/ticketSpent``, ``AuthError/Code/ticketExpired``, ``AuthError/Code/ticketEnded``,
    ///   ``AuthError/Code/invalidTicket``, ``AuthError/Code/emailAlreadyInUse``, ``AuthError/Code/userDisabled``.
    @discardableResult
    public func signIn(
        withTicket ticket: String,
        code: String,
        onConflict: ConflictPolicy = .error
    ) async throws(AuthError) -> AuthResult {
        try await redeem(.ticket(ticket, code: code), onConflict: onConflict)
    }

    /// Collects the session of a ticket that was approved on another device.
    ///
    /// - Parameters:
    ///   - ticket: ``SignInRequest/ticket``.
    ///   - onConflict: what to do when the ticket's anonymous user would get an address that another user owns.
    /// - Returns: the user, and whether it is the ticket's anonymous user.
    /// - Throws: ``AuthError/Code/ticketPending`` while the ticket is not approved; else as
    ///   ``signIn(withTicket:code:onConflict:)``, except for the errors of codes.
    @discardableResult
    public func collect(
        _ ticket: String,
        onConflict: ConflictPolicy = .error
    ) async throws(AuthError) -> AuthResult {
        try await redeem(.ticket(ticket), onConflict: onConflict)
    }

    /// Redeems a ticket, whether or not a user is signed in.
    ///
    /// While the server answers ``AuthError/Code/mailPending``, the request is sent again, up to ``mailPendingRepeats``
    /// times. Other calls can run in the pauses.
    func redeem(_ ticket: EmailCredential, onConflict: ConflictPolicy) async throws(AuthError) -> AuthResult {
        for _ in 0..<Self.mailPendingRepeats {
            do throws(AuthError) {
                return try await redeemOnce(ticket, onConflict: onConflict)
            } catch {
                guard error.code == .mailPending else { throw error }
                do {
                    try await Task.sleep(
                        for: min(max(error.retryAfter ?? .seconds(1), .milliseconds(100)), .seconds(2))
                    )
                } catch {
                    throw AuthError(.cancelled)
                }
            }
        }
        return try await redeemOnce(ticket, onConflict: onConflict)
    }

    private func redeemOnce(_ ticket: EmailCredential, onConflict: ConflictPolicy) async throws(AuthError) -> AuthResult
    {
        try await exclusively { () async throws(AuthError) -> AuthResult in
            try await self.redeem(ticket, presentingUser: false, onConflict: onConflict)
        }
    }

    /// The number of times that a code is sent again while the server is still sending the e-mail.
    private static let mailPendingRepeats = 10
}
