internal import Crypto
internal import Tokens

/// A call of the device that requested a sign-in e-mail, decoded: with the sign-in code, or to ask whether the request
/// has been approved.
package struct TicketRedemption: Sendable {
    /// The ticket's id, whose signature has been checked.
    package let ticket: String
    /// The code from the e-mail, or a review address's fixed code; `nil` to ask for an approval.
    package let code: String?
    /// Whether the call waits for an approval, so that its answer is easily lost.
    package let waits: Bool
    /// The breakers that the node remembers as full.
    package let pauses: CodePauses
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
        ticket: String,
        code: String?,
        waits: Bool = false,
        pauses: CodePauses = CodePauses(),
        onConflict: OnConflict,
        uid: String,
        opening: SessionOpening,
        notice: NoticeOpening,
        mergeID: String
    ) {
        self.ticket = ticket
        self.code = code
        self.waits = waits
        self.pauses = pauses
        self.onConflict = onConflict
        self.uid = uid
        self.opening = opening
        self.notice = notice
        self.mergeID = mergeID
    }
}

/// The outcome of redeeming a ticket.
package struct TicketOutcome: Sendable {
    package let decision: Decision<SignedIn>
    /// The breaker (``CodeBreaker``) that the redemption found full or filled, for the node to remember; `nil` if none.
    package let fullBreaker: FullBreaker?
    /// The ticket, if it waits for an approval, so that the decision is TICKET_PENDING.
    package let pending: PendingTicket?

    /// Makes an outcome.
    package init(
        _ decision: Decision<SignedIn>,
        fullBreaker: FullBreaker? = nil,
        pending: PendingTicket? = nil
    ) {
        self.decision = decision
        self.fullBreaker = fullBreaker
        self.pending = pending
    }

    static func refused(_ refusal: Refusal, fullBreaker: FullBreaker? = nil) -> Self {
        Self(.refused(refusal), fullBreaker: fullBreaker)
    }
}

/// A ticket whose holder waits for an approval.
package struct PendingTicket: Sendable, Equatable {
    package let id: String
    /// The UID of the user whose session requested the ticket; `nil` without one.
    package let askingUID: String?
}

extension AccountFlows {
    /// Redeems a ticket for its holder: by the sign-in code, or once it has been approved on another device.
    ///
    /// The address is linked to the user of the session that requested the ticket. If that session has ended, or there
    /// was none, the holder is signed in without linking. The holder of a ticket that remembers a session may repeat
    /// the call for a while with the same answer (``Policy/repeatLife``), and so may any holder who waited, in a call
    /// that waits.
    ///
    /// - Returns: the session, or a refusal that keeps what was counted: INVALID_SIGN_IN_CODE, TICKET_PENDING,
    ///   CODE_PAUSED.
    /// - Throws: ``Refusal`` INVALID_TICKET, TICKET_SPENT, TICKET_ENDED, TICKET_EXPIRED, MAIL_FAILED, MAIL_PENDING,
    ///   CODE_PAUSED, TOO_MANY_ATTEMPTS_TRY_LATER, CREDENTIAL_TOO_OLD_LOGIN_AGAIN, EMAIL_EXISTS, USER_DISABLED,
    ///   MERGE_IN_PROGRESS, INVALID_OOB_CODE (another redemption came first), OPERATION_NOT_ALLOWED, or what
    ///   ``merge(_:into:id:isDryRun:in:)`` throws.
    package func redeemTicket(
        _ redemption: TicketRedemption,
        in store: some AccountStore
    ) throws -> TicketOutcome {
        guard policy.emailLinkSignIn else { throw Refusal.emailSignInIsOff }
        try store.lockTicket(redemption.ticket, ifApproved: redemption.code == nil)
        try store.prefetch { store in
            _ = try store.ticket(redemption.ticket)
            try store.prefetchUsers(ofTicket: redemption.ticket)
            _ = try store.administrators()
        }
        guard let ticket = try store.ticket(redemption.ticket) else { throw Refusal(.invalidTicket) }
        store.assignPrefetchedUsers(to: ticket)
        switch ticket.state {
        case .ended:
            throw Refusal(.ticketEnded)
        case .spent:
            let mayRepeat = ticket.asking.sid != nil || (redemption.waits && ticket.polledAt != nil)
            guard ticket.settledBy == nil, mayRepeat,
                let repeated = try repeatedResult(of: ticket, in: store)
            else { throw Refusal(.ticketSpent) }
            return TicketOutcome(.done(repeated))
        case .open, .approved:
            guard ticket.mailState != .failed else { throw Refusal(.mailFailed) }
            guard !ticket.isExpired(at: store.now) else { throw Refusal(.ticketExpired) }
        }
        if redemption.code != nil { try requireComparableCode(of: ticket, redemption.pauses, in: store) }
        if let code = redemption.code {
            if let refused = try check(code, of: ticket, in: store) { return refused }
        } else if ticket.state == .open {
            return TicketOutcome(
                .refused(try recordPolling(of: ticket, in: store)),
                pending: PendingTicket(id: ticket.id, askingUID: ticket.asking.uid)
            )
        }
        return TicketOutcome(.done(try redeem(ticket, redemption, in: store)))
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
        var signedIn = try enter(
            ticket,
            owner: try store.user(email: ticket.email),
            presented: asker?.user,
            onConflict: redemption.onConflict,
            uid: redemption.uid,
            opening: redemption.opening,
            notice: redemption.notice,
            mergeID: redemption.mergeID,
            in: store
        )
        signedIn.redeemed = RedeemedTicket(id: ticket.id, way: redemption.code == nil ? .approval : .code)
        try spend(ticket, by: nil, presentedSID: ticket.asking.sid, signedIn: signedIn, in: store)
        return signedIn
    }

    /// Returns the user and the session that asked for the ticket; `nil` if there was no session, it is over, or its
    /// user is disabled or gone.
    func asker(of ticket: Ticket, in store: some AccountStore) throws -> (user: User, session: Session)? {
        guard let sid = ticket.asking.sid, let found = try store.sessionAndUser(sid), let user = found.user,
            !user.isDisabled, isAlive(found.session, of: user, at: store.now)
        else { return nil }
        return (user, found.session)
    }

    /// Records that a device is waiting with this ticket, so that the page behind the link asks for the device's digits
    /// instead of showing the code.
    ///
    /// - Returns: the refusal TICKET_PENDING.
    private func recordPolling(of ticket: Ticket, in store: some AccountStore) throws -> Refusal {
        if ticket.polledAt == nil {
            var polled = ticket
            polled.polledAt = store.now
            _ = try store.update(polled, from: ticket.state)
        }
        return Refusal(.ticketPending)
    }

    /// Refuses a review address that belongs to an administrator or to a user whom it did not create
    /// (``User/reviewSince``), and records its use in the audit log.
    private func guardReview(_ email: String, in store: some AccountStore) throws {
        if let owner = try store.user(email: email) {
            guard owner.reviewSince != nil, try !store.administrators().contains(owner.uid) else {
                throw Refusal(.operationNotAllowed, detail: "A review address must not have an account of its own.")
            }
        }
        try audit(.reviewSignedIn, in: store)
    }
}
