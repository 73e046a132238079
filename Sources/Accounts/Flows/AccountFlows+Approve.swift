package import Tokens

/// What the page behind a sign-in link says beside its main content.
package struct SignInLinkNotes: Sendable, Equatable {
    /// A guest asked, and the address has an account that what the guest made may move to.
    package var meetsAccount: Bool
    /// More than one request for the address is open.
    package var hasOtherRequests: Bool

    /// Makes notes.
    package init(meetsAccount: Bool = false, hasOtherRequests: Bool = false) {
        self.meetsAccount = meetsAccount
        self.hasOtherRequests = hasOtherRequests
    }
}

/// What the page behind a sign-in link has to show.
package enum SignInLinkStatus: Sendable, Equatable {
    /// A device that asked for this address is waiting: have the person type the digits it shows.
    case awaitsApproval(Ticket, SignInLinkNotes)
    /// No device is waiting: show the code, to be typed into the app.
    case showsCode(Ticket, digits: String, SignInLinkNotes)
    /// No device is waiting, and codes are paused until a time (milliseconds since 1970).
    case pausesCodes(Ticket, until: Int64, SignInLinkNotes)
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
    /// What was typed has not the form of the digits that a device shows: no guess, so let the person type again.
    case mistyped(SignInLinkStatus)
    case resent(Ticket)
    /// The link's state no longer allows the answer.
    case stale(SignInLinkStatus)
}

extension AccountFlows {
    /// The maximum number of open requests of an address that a page looks at.
    ///
    /// An address gets ten mails an hour by default, and a request is open for 10 minutes.
    private static let mostOpenRequests: Int64 = 100

    /// What the page behind a sign-in link shows.
    ///
    /// Writes nothing.
    package func signInLinkStatus(of code: ActionCode, in store: some AccountStore) throws -> SignInLinkStatus {
        guard let ticket = try signInTicket(of: code, in: store) else { return .unknown }
        switch ticket.state {
        case .spent, .ended: return .gone(ticket, canResend: ticket.continueURL != nil)
        case .open, .approved: break
        }
        guard !isExpired(code, of: ticket, at: store.now) else { return .expired(ticket, canResend: true) }
        if ticket.state == .approved { return .approved(ticket) }
        let open = try openRequests(beside: ticket, in: store)
        let notes = SignInLinkNotes(
            meetsAccount: try meetsAccount(ticket, in: store),
            hasOtherRequests: open.count > 1
        )
        // The code of this page's request must not be typed into a device that waits for another request's approval.
        if open.contains(where: { $0.polledAt != nil }) { return .awaitsApproval(ticket, notes) }
        if let full = try fullBreaker(of: ticket, in: store) { return .pausesCodes(ticket, until: full.end, notes) }
        return .showsCode(ticket, digits: SignInCode.grouped(try signInCode(of: ticket)), notes)
    }

    /// The open requests of a ticket's address, this ticket first.
    private func openRequests(beside ticket: Ticket, in store: some AccountStore) throws -> [Ticket] {
        [ticket] + (try store.openTickets(of: ticket.email, limit: Self.mostOpenRequests).filter { $0.id != ticket.id })
    }

    /// Whether a guest asked for the ticket and its address is that of another user.
    ///
    /// Told only to who has opened the mailbox.
    private func meetsAccount(_ ticket: Ticket, in store: some AccountStore) throws -> Bool {
        guard let guest = try asker(of: ticket, in: store)?.user, guest.isAnonymous,
            let owner = try store.user(email: ticket.email)
        else { return false }
        return owner.uid != guest.uid
    }

    /// Approves the one open request of the link's address whose device shows these digits.
    ///
    /// If several requests show the digits, all of these end. If no request does, only the link's own request ends.
    package func approve(
        _ code: ActionCode,
        digits: String,
        in store: some AccountStore
    ) throws -> SignInLinkAnswer {
        let status = try signInLinkStatus(of: code, in: store)
        guard case .awaitsApproval(let own, _) = status else { return .stale(status) }
        let open = try openRequests(beside: own, in: store)
        guard Self.areDigits(digits, ofAnyOf: open) else { return .mistyped(status) }
        let shown = try open.filter { try isConfirmation(digits, of: $0) }
        if shown.count == 1 {
            guard let approved = try settle(shown[0], as: .approved, in: store) else {
                return .stale(try signInLinkStatus(of: code, in: store))
            }
            return .approved(approved)
        }
        for ticket in shown.isEmpty ? [own] : shown { _ = try settle(ticket, as: .ended, in: store) }
        return .wrongDigits(own)
    }

    /// Whether a text is as long as the digits that one of the requests shows, and nothing but ASCII digits.
    private static func areDigits(_ text: String, ofAnyOf tickets: [Ticket]) -> Bool {
        tickets.contains { $0.codeForm.confirmationLength == text.utf8.count }
            && text.utf8.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
    }

    /// Approves or ends an open request on behalf of the mailbox.
    ///
    /// - Returns: the request as it is now; `nil` if it was open no longer.
    private func settle(_ ticket: Ticket, as state: TicketState, in store: some AccountStore) throws -> Ticket? {
        var settled = ticket
        settled.state = state
        settled.settledAt = store.now
        guard try store.update(settled, from: .open) else { return nil }
        try store.audit(
            state == .approved ? .ticketApproved : .ticketWrongDigits,
            uid: ticket.asking.uid,
            detail: nil
        )
        return settled
    }

    /// Ends a ticket that its address's owner did not ask for, and counts it against the asker.
    package func deny(_ code: ActionCode, in store: some AccountStore) throws -> SignInLinkAnswer {
        let status = try signInLinkStatus(of: code, in: store)
        let ticket: Ticket
        switch status {
        case .awaitsApproval(let open, _), .showsCode(let open, _, _), .pausesCodes(let open, _, _),
            .approved(let open), .expired(let open, _):
            ticket = open
        case .gone, .unknown:
            return .stale(status)
        }
        var settled = ticket
        settled.state = .ended
        settled.settledAt = store.now
        guard try store.update(settled, from: ticket.state) else { return .stale(status) }
        try countDenial(of: ticket.email, client: ticket.asking.client, session: ticket.asking.sid, in: store)
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
        traffic: MailTraffic = MailTraffic(),
        ids: MailIDs,
        in store: some AccountStore
    ) throws -> SignInLinkAnswer {
        let status = try signInLinkStatus(of: code, in: store)
        switch status {
        case .expired(var ticket, canResend: true) where ticket.state == .open:
            let standing = try countMail(to: ticket.email, from: client, presented: nil, in: store)
            let rank = try rank(traffic, for: standing, in: store)
            ticket.expiresAt = store.now + policy.signInLinkLife
            ticket.mailState = .queued
            // A device that was told TICKET_EXPIRED waits no longer. One that still asks says so again.
            ticket.polledAt = nil
            guard try store.update(ticket, from: ticket.state) else { return .stale(status) }
            // The new life of the ticket is not one of a link whose signature is still in time.
            if store.now < code.expiry * 1000 { _ = try store.useActionCode(code.id.text) }
            try queueSignInMail(for: ticket, rank, code: ids.actionCode, mail: ids.mail, in: store)
            return .resent(ticket)
        case .expired(let old, canResend: true), .gone(let old, canResend: true):
            let standing = try countMail(to: old.email, from: client, presented: nil, in: store)
            let rank = try rank(traffic, for: standing, in: store)
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
                expiresAt: store.now + policy.signInLinkLife,
                trustedAt: standing.isTrusted ? store.now : nil
            )
            try store.insert(ticket)
            try queueSignInMail(for: ticket, rank, code: ids.actionCode, mail: ids.mail, in: store)
            return .resent(ticket)
        default:
            return .stale(status)
        }
    }
}
