#if canImport(FoundationEssentials)
    internal import FoundationEssentials
#else
    internal import Foundation
#endif

extension Auth {
    /// Asks for a mail with a sign-in link and code.
    ///
    /// The answer is the same whether or not the address has an account. Keep it: its ticket redeems the code, and
    /// collects the session once the link was approved on another device. ``pendingSignIn`` remembers the last one.
    ///
    /// - Parameters:
    ///   - email: Where the mail goes.
    ///   - settings: How.
    /// - Returns: The ticket, and the three digits to show.
    /// - Throws: ``AuthError/Code/invalidEmail``, ``AuthError/Code/operationNotAllowed``,
    ///   ``AuthError/Code/tooManyRequests``, ``AuthError/Code/unauthorizedContinueURI``.
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
            // Only an anonymous user is to be linked: a ticket of a user with an address would replace that address.
            let presentsUser = settings.linksAnonymousUser && self.currentUser?.isAnonymous == true
            let response = try await presentsUser ? self.presentingToken(asks) : asks(nil)
            let request = SignInRequest(
                email: response.email,
                ticket: response.ticket,
                confirmation: response.confirmation,
                expiresIn: response.expiresIn.map { TimeInterval($0.value) },
                // Whole seconds, so that it is the same value after it was stored.
                date: Date(timeIntervalSince1970: self.now().timeIntervalSince1970.rounded(.down))
            )
            try self.commit { $0.pendingSignIn = request }
            return request
        }
    }

    /// Redeems the code in the mail, on the device that asked for it.
    ///
    /// While the server is still sending the mail, the call repeats by itself for up to ten seconds.
    ///
    /// - Parameters:
    ///   - ticket: ``SignInRequest/ticket``.
    ///   - code: The eight digits, with or without spaces.
    ///   - onConflict: What to do when the ticket's anonymous user would get an address that another user owns.
    /// - Returns: The user, and whether it is the ticket's anonymous user.
    /// - Throws: ``AuthError/Code/invalidSignInCode`` (three wrong codes end the ticket),
    ///   ``AuthError/Code/codePaused``, ``AuthError/Code/mailPending``, ``AuthError/Code/ticketSpent``, ``AuthError/Code/ticketExpired``, ``AuthError/Code/ticketEnded``,
    ///   ``AuthError/Code/emailAlreadyInUse``.
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
    ///   - onConflict: What to do when the ticket's anonymous user would get an address that another user owns.
    /// - Returns: The user, and whether it is the ticket's anonymous user.
    /// - Throws: ``AuthError/Code/ticketPending`` while it is not approved; ``AuthError/Code/mailFailed``; else as
    ///   ``signIn(withTicket:code:onConflict:)``.
    @discardableResult
    public func collect(
        _ ticket: String,
        onConflict: ConflictPolicy = .error
    ) async throws(AuthError) -> AuthResult {
        try await redeem(.ticket(ticket), onConflict: onConflict)
    }

    /// Waits until a ticket is approved on another device, and collects its session.
    ///
    /// Asks at intervals; slows down when the server says so (`Retry-After`) or cannot be reached. Other calls go on
    /// meanwhile.
    ///
    /// - Parameters:
    ///   - ticket: ``SignInRequest/ticket``.
    ///   - onConflict: What to do when the ticket's anonymous user would get an address that another user owns.
    ///   - interval: The pause between two questions.
    ///   - timeout: When to give up; `nil` for when the server says that the ticket has expired. A ticket lives from when its e-mail
    ///     leaves (``SignInRequest/expiresIn``), which this device does not know.
    /// - Returns: The user, and whether it is the ticket's anonymous user.
    /// - Throws: ``AuthError/Code/ticketExpired``; ``AuthError/Code/ticketPending`` when `timeout` is over, ``AuthError/Code/cancelled`` when the task was
    ///   cancelled: in both cases the ticket stays good. Else as ``collect(_:onConflict:)``.
    @discardableResult
    public func waitForApproval(
        of ticket: String,
        onConflict: ConflictPolicy = .error,
        every interval: Duration = .seconds(2),
        timeout: Duration? = nil
    ) async throws(AuthError) -> AuthResult {
        let deadline = timeout.map { ContinuousClock.now + $0 }
        var trouble = interval
        while true {
            var pause = interval
            do throws(AuthError) {
                return try await collect(ticket, onConflict: onConflict)
            } catch {
                switch error.code {
                case .ticketPending:
                    trouble = interval
                case .tooManyRequests:
                    trouble = min(trouble * 2, .seconds(30))
                    pause = error.retryAfter ?? trouble
                case _ where error.isTransient:
                    trouble = min(trouble * 2, .seconds(30))
                    pause = trouble
                default:
                    throw error
                }
                if let deadline, ContinuousClock.now + pause >= deadline { throw error }
            }
            do {
                try await Task.sleep(for: pause)
            } catch {
                throw AuthError(.cancelled)
            }
        }
    }

    /// Redeems a ticket, whoever is signed in.
    ///
    /// A code that the server does not compare yet, because its mail is still being sent, is sent again. Other calls go on
    /// in the pauses.
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

    /// How often a code is sent again while the server is still sending the mail.
    private static let mailPendingRepeats = 10
}
