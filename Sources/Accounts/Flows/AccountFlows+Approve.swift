package import Tokens

/// What the page behind a sign-in link has to show.
package enum SignInLinkStatus: Sendable, Equatable {
    /// The device that asked is waiting: have the person type the digits it shows.
    ///
    /// `meetsAccount`: a guest asked, and the address has an account that what the guest made may move to.
    case awaitsApproval(Ticket, meetsAccount: Bool)
    /// Nobody is waiting: show the code, to be typed into the app.
    case showsCode(Ticket, digits: String, meetsAccount: Bool)
    case approved(Ticket)
    /// Its time is over; `canResend` where a fresh mail would be of use.
    case expired(Ticket, canResend: Bool)
    /// Used, stopped or replaced.
    case gone(Ticket, canResend: Bool)
    /// Not one of ours.
    case unknown
}

/// What came of an answer on the page behind a sign-in link.
package enum SignInLinkAnswer: Sendable, Equatable {
    case approved(Ticket)
    case denied(Ticket)
    case wrongDigits(Ticket)
    case resent(Ticket)
    /// The link's state no longer allows the answer.
    case stale(SignInLinkStatus)
}

extension AccountFlows {
    /// What the page behind a sign-in link shows.
    ///
    /// Writes nothing.
    package func signInLinkStatus(of code: ActionCode, in store: some AccountStore) throws -> SignInLinkStatus {
        guard let ticket = try signInTicket(of: code, in: store) else { return .unknown }
        switch ticket.state {
        case .spent, .ended: return .gone(ticket, canResend: ticket.continueURL != nil)
        case .open, .approved: break
        }
        guard store.now < code.expiry * 1000 else { return .expired(ticket, canResend: true) }
        if ticket.state == .approved { return .approved(ticket) }
        let meetsAccount = try meetsAccount(ticket, in: store)
        if ticket.polledAt != nil { return .awaitsApproval(ticket, meetsAccount: meetsAccount) }
        return .showsCode(ticket, digits: try signInCode(of: ticket), meetsAccount: meetsAccount)
    }

    /// Whether a guest asked for the ticket and its address is that of another user.
    ///
    /// Told only to who has opened the mailbox.
    private func meetsAccount(_ ticket: Ticket, in store: some AccountStore) throws -> Bool {
        guard let guest = try askingUser(of: ticket, in: store), guest.isAnonymous,
            let owner = try store.user(email: ticket.email)
        else { return false }
        return owner.uid != guest.uid
    }

    /// Approves a ticket by the two digits that the asking device shows.
    ///
    /// One wrong entry ends it.
    package func approve(
        _ code: ActionCode,
        digits: String,
        in store: some AccountStore
    ) throws -> SignInLinkAnswer {
        let status = try signInLinkStatus(of: code, in: store)
        guard case .awaitsApproval(let ticket, _) = status else { return .stale(status) }
        let isRight = try isConfirmation(digits, of: ticket)
        var settled = ticket
        settled.state = isRight ? .approved : .ended
        settled.settledAt = store.now
        guard try store.update(settled, from: .open) else { return .stale(try signInLinkStatus(of: code, in: store)) }
        try store.audit(isRight ? .ticketApproved : .ticketWrongDigits, uid: ticket.asking.uid, detail: nil)
        return isRight ? .approved(settled) : .wrongDigits(settled)
    }

    /// Ends a ticket that its address's owner did not ask for, and counts it against the asker.
    package func deny(_ code: ActionCode, in store: some AccountStore) throws -> SignInLinkAnswer {
        let status = try signInLinkStatus(of: code, in: store)
        let ticket: Ticket
        switch status {
        case .awaitsApproval(let open, _), .showsCode(let open, _, _), .approved(let open), .expired(let open, _):
            ticket = open
        case .gone, .unknown:
            return .stale(status)
        }
        var settled = ticket
        settled.state = .ended
        settled.settledAt = store.now
        guard try store.update(settled, from: ticket.state) else { return .stale(status) }
        try countDenial(of: ticket, in: store)
        try store.audit(.ticketDenied, uid: ticket.asking.uid, detail: nil)
        return .denied(settled)
    }

    /// Sends a fresh mail in place of a stale one: for the same ticket while that is open, so that its holder need
    /// not ask again, else for a new ticket without a session.
    ///
    /// An approval that came to nothing is not given new life.
    ///
    /// - Throws: ``Refusal`` TOO_MANY_ATTEMPTS_TRY_LATER.
    package func resend(
        _ code: ActionCode,
        client: String,
        ids: MailIDs,
        in store: some AccountStore
    ) throws -> SignInLinkAnswer {
        let status = try signInLinkStatus(of: code, in: store)
        switch status {
        case .expired(var ticket, canResend: true) where ticket.state == .open:
            try countMail(to: ticket.email, from: client, presented: nil, in: store)
            ticket.expiresAt = store.now + policy.signInLinkLife
            ticket.mailState = .queued
            guard try store.update(ticket, from: ticket.state) else { return .stale(status) }
            try queueSignInMail(for: ticket, code: ids.actionCode, mail: ids.mail, in: store)
            return .resent(ticket)
        case .expired(let old, canResend: true), .gone(let old, canResend: true):
            try countMail(to: old.email, from: client, presented: nil, in: store)
            var asking = old.asking
            asking.sid = nil
            asking.uid = nil
            asking.client = client
            let ticket = Ticket(
                id: ids.ticket.text,
                keyID: secrets.newest.keyID,
                email: old.email,
                mailState: .queued,
                asking: asking,
                continueURL: old.continueURL,
                createdAt: store.now,
                expiresAt: store.now + policy.signInLinkLife
            )
            try store.insert(ticket)
            try queueSignInMail(for: ticket, code: ids.actionCode, mail: ids.mail, in: store)
            return .resent(ticket)
        default:
            return .stale(status)
        }
    }
}
