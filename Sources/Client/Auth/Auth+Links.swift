extension Auth {
    /// Whether a link answers the sign-in e-mail that was requested here last (``pendingSignIn``).
    ///
    /// If it does, redeem the link at once, with the address in ``pendingSignIn``. If it does not, another device asked
    /// for it, or another person: show ``describe(_:)``, and let the person choose.
    ///
    /// The server is not asked. The link's parameter is not signed. Redeeming a link with the stored address, and never
    /// with one that came with the link, keeps a link of another address from signing in here.
    ///
    /// - Parameter link: a link that opened the app.
    /// - Returns: `false` also for a bare code, which carries no ID. If neither the link nor the request has an ID,
    ///   because the server is of a version before, any sign-in link counts as requested here.
    public func isRequestedHere(_ link: String) -> Bool {
        guard let link = SignInLink(link), link.mode == "signIn", let pending = pendingSignIn else { return false }
        return link.requestID == pending.id
    }

    /// Describes the request of a sign-in link, without using the link.
    ///
    /// ```swift
    /// guard !auth.isRequestedHere(link) else { return try await redeem(link) }
    /// let request = try await auth.describe(link)
    /// switch request.state {
    /// case .waiting: offer(approveAt: request.approveURL, orDeny: link)
    /// default: explain(request.state)
    /// }
    /// ```
    ///
    /// - Parameter link: the link, or the bare action code.
    /// - Returns: the masked address, the device that asked, and what has become of the request.
    /// - Throws: ``AuthError/Code/invalidActionCode`` also for a link that a newer e-mail replaced,
    ///   ``AuthError/Code/tooManyRequests``, ``AuthError/Code/networkRequestFailed``; from servers without this call
    ///   another code.
    public func describe(_ link: String) async throws(AuthError) -> SignInLinkDescription {
        let response = try await api.describe(SignInLinkBody(oobCode: try SignInLink.forSignIn(link).oobCode))
        guard let description = SignInLinkDescription(response) else {
            throw AuthError(.networkRequestFailed, detail: "the server's description of the link cannot be read")
        }
        return description
    }

    /// Ends the request of a sign-in link that the person did not make.
    ///
    /// The link, its code and the asking device's request stop working, and the asking device gets no other e-mail to
    /// the address for a day. The call returns also if the request had ended already.
    ///
    /// - Parameter link: the link, or the bare action code.
    /// - Throws: ``AuthError/Code/ticketSpent`` when the link was used already: show the person where the account is
    ///   signed in (``sessions()``). Otherwise as ``describe(_:)``.
    public func deny(_ link: String) async throws(AuthError) {
        do throws(AuthError) {
            try await api.deny(SignInLinkBody(oobCode: try SignInLink.forSignIn(link).oobCode))
        } catch {
            guard error.code == .ticketEnded else { throw error }
        }
    }
}
