package import Tokens

/// What a sign-in does when the presented user cannot have the address, or the identity at a provider, because another
/// user has it.
package enum OnConflict: String, Sendable {
    /// Refuses the sign-in with EMAIL_EXISTS, or FEDERATED_USER_ID_ALREADY_LINKED for an identity; nothing is lost or
    /// used up.
    case error
    /// Merges the presented user into the owner of the address or identity.
    ///
    /// The presented user must be a guest.
    case merge
    /// Refuses the sign-in as ``error`` does, and adds the report of what ``merge`` would do (``Refusal/mergeReport``).
    case report
}

/// A request to redeem a sign-in link, decoded.
package struct SignInLinkRedemption: Sendable {
    package let email: EmailAddress
    package let code: ActionCode
    package let token: PresentedToken?
    package let onConflict: OnConflict
    package let uid: String
    package let opening: SessionOpening
    package let notice: NoticeOpening
    package let mergeID: String

    /// Makes a redemption.
    ///
    /// `uid`, `opening`, `notice` and `mergeID` are fresh, in case the redemption makes a new user, session, e-mail or
    /// merge.
    package init(
        email: EmailAddress,
        code: ActionCode,
        token: PresentedToken?,
        onConflict: OnConflict,
        uid: String,
        opening: SessionOpening,
        notice: NoticeOpening,
        mergeID: String
    ) {
        self.email = email
        self.code = code
        self.token = token
        self.onConflict = onConflict
        self.uid = uid
        self.opening = opening
        self.notice = notice
        self.mergeID = mergeID
    }
}

extension AccountFlows {
    /// Redeems a sign-in link: signs in, links the address to the presented user (contract, 3.3), or merges the users.
    ///
    /// Only the session presented in this call counts, never the ticket's. The link is used up only by success. A call
    /// that presented a session may be repeated for a while with the same answer, so that a lost reply does no harm.
    ///
    /// A wrong address counts against the link, on all nodes together, and against nothing else. The holder of the link
    /// cannot search for its address, and does not lock out other users by trying.
    ///
    /// - Returns: the session, or `refused` with INVALID_EMAIL for a wrong address, whose transaction must commit
    ///   because it counts the attempt.
    /// - Throws: ``Refusal`` INVALID_OOB_CODE, EXPIRED_OOB_CODE, TOO_MANY_ATTEMPTS_TRY_LATER,
    ///   CREDENTIAL_TOO_OLD_LOGIN_AGAIN, EMAIL_EXISTS, USER_DISABLED, MERGE_IN_PROGRESS, OPERATION_NOT_ALLOWED, those
    ///   of ``authenticate(_:in:)``, or what ``merge(_:into:id:isDryRun:in:)`` throws.
    package func redeemSignInLink(
        _ redemption: SignInLinkRedemption,
        in store: some AccountStore
    ) throws -> Decision<SignedIn> {
        guard policy.emailLinkSignIn else { throw Refusal.emailSignInIsOff }
        let code = redemption.code
        try store.prefetch { store in
            _ = try ticketToRedeem(of: code, in: store)
            _ = try store.lockedOwner(of: redemption.email.canonical, redeeming: code.id.text)
            _ = try store.identities(ofOwnerOf: redemption.email.canonical)
            guard let token = redemption.token else { return }
            _ = try store.sessionAndUser(token.sid)
            _ = try store.identities(of: token.uid)
            _ = try store.administrators()
        }
        let ticket = try ticketToRedeem(of: code, in: store)
        if let ticket, let repeated = try repeatedResult(of: ticket, redemption, in: store) { return .done(repeated) }
        let presented = try redemption.token.map { try authenticate($0, in: store) }

        guard let ticket else { throw Refusal(.invalidOobCode) }
        try check(ticket, redeemedBy: code, at: store.now)
        guard redemption.email.canonical == ticket.email else {
            var tried = ticket
            tried.wrongAddresses += 1
            guard try store.update(tried, from: ticket.state) else { throw Refusal(.invalidOobCode) }
            let detail = "The email provided does not match the sign-in email address."
            return .refused(Refusal(.invalidEmail, detail: detail).ofValid())
        }
        if let presented { try judge(redeeming: ticket, for: presented, in: store) }
        var signedIn = try enter(
            ticket,
            owner: try store.lockedOwner(of: ticket.email, redeeming: code.id.text),
            presented: presented?.user,
            onConflict: redemption.onConflict,
            uid: redemption.uid,
            opening: redemption.opening,
            notice: redemption.notice,
            mergeID: redemption.mergeID,
            in: store
        )
        signedIn.redeemed = RedeemedTicket(id: ticket.id, way: .link)
        try spend(
            ticket,
            by: code.id.text,
            presentedSID: redemption.token?.sid,
            signedIn: signedIn,
            in: store
        )
        return .done(signedIn)
    }

    /// Checks that a ticket may be redeemed by one of its links.
    ///
    /// - Throws: ``Refusal`` INVALID_OOB_CODE, EXPIRED_OOB_CODE, TOO_MANY_ATTEMPTS_TRY_LATER.
    func check(_ ticket: Ticket, redeemedBy code: ActionCode, at now: Int64) throws {
        guard ticket.state == .open || ticket.state == .approved else { throw Refusal(.invalidOobCode) }
        guard !isExpired(code, of: ticket, at: now) else { throw Refusal(.expiredOobCode) }
        guard ticket.wrongAddresses < policy.wrongAddressesPerLink else {
            throw tooMany(code.expiry * 1000 - now, limit: "wrongAddressesPerLink")
        }
    }

    /// Returns the ticket that a sign-in link belongs to; `nil` if the code is unknown, replaced or has another
    /// purpose.
    func signInTicket(of code: ActionCode, in store: some AccountStore) throws -> Ticket? {
        guard code.purpose == .emailSignIn else { return nil }
        return try store.ticket(ofCode: code.id.text)
    }

    /// Returns the ticket like ``signInTicket(of:in:)``, and locks it.
    private func ticketToRedeem(of code: ActionCode, in store: some AccountStore) throws -> Ticket? {
        guard code.purpose == .emailSignIn else { return nil }
        return try store.lockedTicket(ofCode: code.id.text)
    }

    /// Whether a sign-in link has expired: at its own end, or at the end of its ticket if that is earlier.
    func isExpired(_ code: ActionCode, of ticket: Ticket, at now: Int64) -> Bool {
        now >= code.expiry * 1000 || ticket.isExpired(at: now)
    }

    /// Returns the earlier answer to the same call (link, address and presented session), if the call may be repeated;
    /// otherwise `nil`.
    private func repeatedResult(
        of ticket: Ticket,
        _ redemption: SignInLinkRedemption,
        in store: some AccountStore
    ) throws -> SignedIn? {
        guard let token = redemption.token, ticket.presentedSID == token.sid,
            ticket.settledBy == redemption.code.id.text, ticket.email == redemption.email.canonical
        else { return nil }
        return try repeatedResult(of: ticket, in: store)
    }

    /// Returns the outcome of a spent ticket again; `nil` if the ticket is not spent, ``Policy/repeatLife`` has passed,
    /// its session is over, or its user is disabled or gone.
    func repeatedResult(of ticket: Ticket, in store: some AccountStore) throws -> SignedIn? {
        guard ticket.state == .spent, let result = ticket.result, let settledAt = ticket.settledAt,
            store.now - settledAt <= policy.repeatLife,
            let found = try store.sessionAndUser(result.sid), let user = found.user, !user.isDisabled,
            isAlive(found.session, of: user, at: store.now)
        else { return nil }
        return SignedIn(
            user: user,
            session: found.session,
            identities: try store.identities(of: user.uid),
            isNewUser: result.isNewUser,
            linked: result.linked,
            wasAnonymous: false,
            merged: try result.mergeID.flatMap { try store.merge($0) }.flatMap { Merged(repeating: $0, for: user) }
        )
    }

    /// Spends a ticket, and with it all its links and its code, and stores the outcome for repeated calls.
    ///
    /// - Parameters:
    ///   - ticket: the ticket.
    ///   - settledBy: the id of the action code whose link spends it; `nil` for a code or an approval.
    ///   - presentedSID: the `sid` of the session that the link was redeemed with, or that had asked.
    ///   - signedIn: the outcome.
    ///   - store: the transaction.
    func spend(
        _ ticket: Ticket,
        by settledBy: String?,
        presentedSID: String?,
        signedIn: SignedIn,
        in store: some AccountStore
    ) throws {
        var spent = ticket
        spent.state = .spent
        spent.settledAt = store.now
        spent.settledBy = settledBy
        spent.presentedSID = presentedSID
        spent.result = TicketResult(
            uid: signedIn.user.uid,
            sid: signedIn.session.sid,
            isNewUser: signedIn.isNewUser,
            linked: signedIn.linked,
            mergeID: signedIn.merged?.id
        )
        // The ticket was locked by the query that read it, or the transaction is serializable.
        try store.storeRedemption(of: spent, from: ticket.state)
    }
}
