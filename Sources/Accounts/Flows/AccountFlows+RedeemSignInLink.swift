package import Tokens

/// What a sign-in does when the presented user may not take the address because somebody else has it.
package enum OnConflict: String, Sendable {
    /// Answer EMAIL_EXISTS; nothing is lost or spent.
    case error
    /// Move the anonymous user's assets to the owner of the address.
    case merge
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

    /// Makes a redemption; `uid`, `opening`, `notice` and `mergeID` are fresh, for the case that a new user, session, mail or
    /// merge comes of it.
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
    /// Redeems a sign-in link: signs in, links the address to the presented user (contract, 3.3), or merges them.
    ///
    /// Only the session presented in this call counts, never the ticket's. The link is spent by success alone. A call that
    /// presented a session may be repeated for a while and gets the same answer, so that a lost reply costs nothing.
    ///
    /// A wrong address counts against the link, on all nodes together, and against nothing else: the holder of the link cannot
    /// search for its address, and locks no other user out by trying.
    ///
    /// - Returns: `refused` with INVALID_EMAIL for a wrong address.
    /// - Throws: ``Refusal`` INVALID_OOB_CODE, EXPIRED_OOB_CODE, TOO_MANY_ATTEMPTS_TRY_LATER, CREDENTIAL_TOO_OLD_LOGIN_AGAIN,
    ///   EMAIL_EXISTS, USER_DISABLED, OPERATION_NOT_ALLOWED, or those of ``authenticate(_:in:)`` and
    ///   ``checkMerge(of:into:by:)``; or ``MergeBlocked``.
    package func redeemSignInLink(
        _ redemption: SignInLinkRedemption,
        in store: some AccountStore
    ) throws -> Decision<SignedIn> {
        guard policy.emailLinkSignIn else { throw Refusal(.operationNotAllowed) }
        let code = redemption.code
        try store.foresee { store in
            _ = try signInTicket(of: code, in: store)
            _ = try store.user(email: redemption.email.canonical)
            _ = try store.identities(ofOwnerOf: redemption.email.canonical)
            guard let token = redemption.token else { return }
            _ = try store.sessionAndUser(token.sid)
            _ = try store.identities(of: token.uid)
            _ = try store.administrators()
        }
        let ticket = try signInTicket(of: code, in: store)
        if let ticket, let repeated = try repeatedResult(of: ticket, redemption, in: store) { return .done(repeated) }
        let presented = try redemption.token.map { try authenticate($0, in: store) }

        guard let ticket, ticket.state == .open || ticket.state == .approved else {
            throw Refusal(.invalidOobCode)
        }
        guard !isExpired(code, of: ticket, at: store.now) else { throw Refusal(.expiredOobCode) }
        guard ticket.wrongAddresses < policy.wrongAddressesPerLink else {
            throw tooMany(code.expiry * 1000 - store.now, limit: "wrongAddressesPerLink")
        }
        guard redemption.email.canonical == ticket.email else {
            var tried = ticket
            tried.wrongAddresses += 1
            guard try store.update(tried, from: ticket.state) else { throw Refusal(.invalidOobCode) }
            let detail = "The email provided does not match the sign-in email address."
            return .refused(Refusal(.invalidEmail, detail: detail).ofValid())
        }
        if let presented { try judge(redeeming: ticket, for: presented, in: store) }
        let signedIn = try enter(
            ticket,
            presented: presented?.user,
            onConflict: redemption.onConflict,
            uid: redemption.uid,
            opening: redemption.opening,
            notice: redemption.notice,
            mergeID: redemption.mergeID,
            in: store
        )
        try spend(
            ticket,
            by: code.id.text,
            presentedSID: redemption.token?.sid,
            signedIn: signedIn,
            in: store
        )
        return .done(signedIn)
    }

    /// The ticket that a sign-in link belongs to; `nil` where the code is unknown or for something else.
    func signInTicket(of code: ActionCode, in store: some AccountStore) throws -> Ticket? {
        guard code.purpose == .emailSignIn else { return nil }
        return try store.ticket(ofCode: code.id.text)
    }

    /// Whether a sign-in link no longer works: it has an end of its own, and ends with its ticket at the latest.
    func isExpired(_ code: ActionCode, of ticket: Ticket, at now: Int64) -> Bool {
        now >= code.expiry * 1000 || ticket.isExpired(at: now)
    }

    /// What the same call answered before, where it may be repeated.
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

    /// The outcome of a spent ticket, while it may be repeated and its session lives.
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

    /// Spends a ticket, and with it every link and the code that it owns.
    ///
    /// - Throws: ``Refusal`` INVALID_OOB_CODE where another redemption came first.
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
        guard try store.update(spent, from: ticket.state) else { throw Refusal(.invalidOobCode) }
    }
}
