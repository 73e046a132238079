internal import Crypto
internal import Tokens

/// A call of the ticket's holder, decoded: with the sign-in code, or to collect what was approved elsewhere.
package struct TicketRedemption: Sendable {
    /// The ticket's id, whose signature has been checked.
    package let ticket: String
    /// The code from the mail, or a review address's fixed code.
    package let code: String?
    /// The breakers that the node remembers as full.
    package let pauses: CodePauses
    package let onConflict: OnConflict
    package let uid: String
    package let opening: SessionOpening
    package let notice: NoticeOpening
    package let mergeID: String

    /// Makes a redemption; `uid`, `opening`, `notice` and `mergeID` are fresh, for the case that a new user, session, mail or
    /// merge comes of it.
    package init(
        ticket: String,
        code: String?,
        pauses: CodePauses = CodePauses(),
        onConflict: OnConflict,
        uid: String,
        opening: SessionOpening,
        notice: NoticeOpening,
        mergeID: String
    ) {
        self.ticket = ticket
        self.code = code
        self.pauses = pauses
        self.onConflict = onConflict
        self.uid = uid
        self.opening = opening
        self.notice = notice
        self.mergeID = mergeID
    }
}

/// What came of a redemption by a ticket.
package struct TicketOutcome: Sendable {
    package let decision: Decision<SignedIn>
    /// The breaker that the redemption has found or made full, for the node to remember.
    package let fullBreaker: FullBreaker?

    /// Makes an outcome.
    package init(_ decision: Decision<SignedIn>, fullBreaker: FullBreaker? = nil) {
        self.decision = decision
        self.fullBreaker = fullBreaker
    }

    static func refused(_ refusal: Refusal, fullBreaker: FullBreaker? = nil) -> Self {
        Self(.refused(refusal), fullBreaker: fullBreaker)
    }
}

extension AccountFlows {
    /// Redeems a ticket for its holder: by the sign-in code, or once it has been approved on another device.
    ///
    /// Only the session that asked for the ticket counts. Where that has ended, the holder is signed in without linking. The
    /// holder of a ticket that remembers a session may repeat the call for a while and gets the same answer.
    ///
    /// - Returns: the session, or a refusal that keeps what was counted: INVALID_SIGN_IN_CODE, TICKET_PENDING,
    ///   CODE_PAUSED.
    /// - Throws: ``Refusal`` INVALID_TICKET, TICKET_SPENT, TICKET_ENDED, TICKET_EXPIRED, MAIL_FAILED, MAIL_PENDING,
    ///   CODE_PAUSED, TOO_MANY_ATTEMPTS_TRY_LATER, CREDENTIAL_TOO_OLD_LOGIN_AGAIN, EMAIL_EXISTS, USER_DISABLED,
    ///   OPERATION_NOT_ALLOWED, or those of ``checkMerge(of:into:by:)``; or ``MergeBlocked``.
    package func redeemTicket(
        _ redemption: TicketRedemption,
        in store: some AccountStore
    ) throws -> TicketOutcome {
        guard policy.emailLinkSignIn else { throw Refusal(.operationNotAllowed) }
        guard let ticket = try store.ticket(redemption.ticket) else { throw Refusal(.invalidTicket) }
        switch ticket.state {
        case .ended:
            throw Refusal(.ticketEnded)
        case .spent:
            guard ticket.settledBy == nil, ticket.asking.sid != nil,
                let repeated = try repeatedResult(of: ticket, in: store)
            else { throw Refusal(.ticketSpent) }
            return TicketOutcome(.done(repeated))
        case .open, .approved:
            guard ticket.mailState != .failed else { throw Refusal(.mailFailed) }
            guard !ticket.isExpired(at: store.now) else { throw Refusal(.ticketExpired) }
        }
        if redemption.code != nil { try requireComparableCode(of: ticket, redemption.pauses, in: store) }
        if redemption.code != nil || ticket.state == .approved { try foreseeRedemption(of: ticket, in: store) }
        if let code = redemption.code {
            if let refused = try check(code, of: ticket, in: store) { return refused }
        } else if ticket.state == .open {
            return .refused(try notePolling(of: ticket, in: store))
        }
        return TicketOutcome(.done(try redeem(ticket, redemption, in: store)))
    }

    /// Asks beforehand what a redemption asks.
    private func foreseeRedemption(of ticket: Ticket, in store: some AccountStore) throws {
        try store.foresee { store in
            _ = try store.used(wrongCodes(of: ticket), in: policy.wrongCodesPerAddress.window)
            _ = try store.used(ticket.breaker.counter, in: CodeBreaker.window)
            if let sid = ticket.asking.sid { _ = try store.sessionAndUser(sid) }
            if let uid = ticket.asking.uid {
                _ = try store.identities(of: uid)
                _ = try store.administrators()
            }
            _ = try store.user(email: ticket.email)
            _ = try store.identities(ofOwnerOf: ticket.email)
        }
    }

    /// Signs the holder in and spends the ticket.
    private func redeem(
        _ ticket: Ticket,
        _ redemption: TicketRedemption,
        in store: some AccountStore
    ) throws -> SignedIn {
        if reviewAddress(ticket.email, at: store.now) != nil { try guardReview(ticket.email, in: store) }
        let asker = try asker(of: ticket, in: store)
        if let asker { try judge(redeeming: ticket, for: asker, in: store) }
        let signedIn = try enter(
            ticket,
            presented: asker?.user,
            onConflict: redemption.onConflict,
            uid: redemption.uid,
            opening: redemption.opening,
            notice: redemption.notice,
            mergeID: redemption.mergeID,
            in: store
        )
        try spend(ticket, by: nil, presentedSID: ticket.asking.sid, signedIn: signedIn, in: store)
        return signedIn
    }

    /// The user and the session that asked for the ticket, if that session still lives.
    func asker(of ticket: Ticket, in store: some AccountStore) throws -> (user: User, session: Session)? {
        guard let sid = ticket.asking.sid, let found = try store.sessionAndUser(sid), let user = found.user,
            !user.isDisabled, isAlive(found.session, of: user, at: store.now)
        else { return nil }
        return (user, found.session)
    }

    /// Remembers that somebody waits with this ticket, so that the page offers a button instead of the code.
    private func notePolling(of ticket: Ticket, in store: some AccountStore) throws -> Refusal {
        if ticket.polledAt == nil {
            var polled = ticket
            polled.polledAt = store.now
            _ = try store.update(polled, from: ticket.state)
        }
        return Refusal(.ticketPending)
    }

    /// Keeps a review address away from everyone but the user that it made itself.
    private func guardReview(_ email: String, in store: some AccountStore) throws {
        if let owner = try store.user(email: email) {
            guard owner.reviewSince != nil, try !store.administrators().contains(owner.uid) else {
                throw Refusal(.operationNotAllowed)
            }
        }
        try store.audit(.reviewSignedIn, uid: nil, detail: nil)
    }
}
