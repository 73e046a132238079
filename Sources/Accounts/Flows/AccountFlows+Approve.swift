package import Tokens

/// What the page behind a sign-in link shows beside its main content.
package struct SignInLinkNotes: Sendable, Equatable {
    /// Whether a guest requested the link, and the link's address has an account that the guest's data may move to.
    package var meetsAccount: Bool
    /// Whether another request for a sign-in e-mail to the same address is open.
    package var hasOtherRequests: Bool

    /// Makes notes.
    package init(meetsAccount: Bool = false, hasOtherRequests: Bool = false) {
        self.meetsAccount = meetsAccount
        self.hasOtherRequests = hasOtherRequests
    }
}

/// What the page behind a sign-in link shows.
package enum SignInLinkStatus: Sendable, Equatable {
    /// A device waits for approval of a sign-in to the link's address, by this link's request or another: ask the user
    /// to type the digits that the device shows. The ticket is the link's own.
    case awaitsApproval(Ticket, SignInLinkNotes)
    /// No device is waiting: show the code to type into the app.
    case showsCode(Ticket, digits: String, SignInLinkNotes)
    /// No device is waiting, and codes are paused until a time (milliseconds since 1970).
    case pausesCodes(Ticket, until: Int64, SignInLinkNotes)
    case approved(Ticket)
    /// The link has expired; the page may offer a new e-mail.
    case expired(Ticket)
    /// The link's ticket was redeemed, and the session that this began is alive.
    case used(Ticket, Session)
    /// The link's ticket was redeemed, and the session that this began is over; `canResend` if the page may offer a new
    /// e-mail.
    case signedOut(Ticket, canResend: Bool)
    /// The owner of the mailbox denied the request, by its link's page or by an app.
    case denied(Ticket)
    /// The request was stopped by wrong digits or by wrong codes; `canResend` if the page may offer a new e-mail.
    case ended(Ticket, canResend: Bool)
    /// A new e-mail for the same request replaced the link.
    case replaced
    /// There is no such sign-in link, or it was deleted long after it had expired.
    case unknown
}

/// The outcome of an answer on the page behind a sign-in link.
package enum SignInLinkAnswer: Sendable, Equatable {
    case approved(Ticket)
    case denied(Ticket)
    /// No request, or more than one, shows the digits. The page's own ticket, the ids of the tickets that have ended,
    /// and whether the page may offer a new e-mail.
    case wrongDigits(Ticket, ended: [String], canResend: Bool)
    /// The typed text cannot be the digits of a device, which is not a wrong guess: the user may type again.
    case mistyped(SignInLinkStatus)
    case resent(Ticket)
    /// The session that the link's request began was ended; with the UID of its user.
    case signedOut(Ticket, uid: String)
    /// The link's state no longer allows the answer.
    case stale(SignInLinkStatus)
}

extension AccountFlows {
    /// The maximum number of open requests of an address that a page considers.
    ///
    /// By default an address gets ten e-mails an hour, and a request is open for 10 minutes.
    private static let mostOpenRequests: Int64 = 100

    /// Returns what the page behind a sign-in link must show now.
    ///
    /// Writes nothing.
    package func signInLinkStatus(of code: ActionCode, in store: some AccountStore) throws -> SignInLinkStatus {
        guard let ticket = try signInTicket(of: code, in: store) else {
            let isReplaced = try store.actionCode(code.id.text)?.usedAt != nil
            return isReplaced && code.purpose == .emailSignIn ? .replaced : .unknown
        }
        switch state(of: code, of: ticket, at: store.now) {
        case .used:
            guard let session = try sessionBegun(by: ticket, in: store) else {
                return .signedOut(ticket, canResend: canResend(ticket))
            }
            return .used(ticket, session)
        case .ended:
            return ticket.settledBy == nil ? .ended(ticket, canResend: canResend(ticket)) : .denied(ticket)
        case .expired: return .expired(ticket)
        case .approved: return .approved(ticket)
        case .waiting: break
        }
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

    /// Whether a new e-mail, whose ticket no device waits with, leads its reader anywhere: its link opens the app.
    private func canResend(_ ticket: Ticket) -> Bool {
        ticket.continueURL != nil || policy.linksOpenApps
    }

    /// Returns the session that a spent ticket has begun; `nil` if it is over, or its user is disabled or gone.
    private func sessionBegun(by ticket: Ticket, in store: some AccountStore) throws -> Session? {
        guard let result = ticket.result, let found = try store.sessionAndUser(result.sid), let user = found.user,
            !user.isDisabled, isAlive(found.session, of: user, at: store.now)
        else { return nil }
        return found.session
    }

    /// Returns the open requests of a ticket's address, this ticket first.
    private func openRequests(beside ticket: Ticket, in store: some AccountStore) throws -> [Ticket] {
        [ticket] + (try store.openTickets(of: ticket.email, limit: Self.mostOpenRequests).filter { $0.id != ticket.id })
    }

    /// Whether a guest whose session is still alive asked for the ticket, and its address belongs to another user.
    ///
    /// The page shows it only to a reader of the mailbox.
    private func meetsAccount(_ ticket: Ticket, in store: some AccountStore) throws -> Bool {
        guard let guest = try asker(of: ticket, in: store)?.user, guest.isAnonymous,
            let owner = try store.user(email: ticket.email)
        else { return false }
        return owner.uid != guest.uid
    }

    /// Approves the open request for a sign-in e-mail to the link's address whose device shows these digits.
    ///
    /// If the devices of several requests show the digits, all of these requests end. If none does, only the link's own
    /// request ends.
    ///
    /// - Returns: `approved` with the approved request, `wrongDigits`, `mistyped` for a text that cannot be the digits
    ///   of any of the devices, or `stale` if the page no longer asks for digits.
    package func approve(
        _ code: ActionCode,
        digits: String,
        by reader: TracedDevice = TracedDevice(),
        in store: some AccountStore
    ) throws -> SignInLinkAnswer {
        let status = try signInLinkStatus(of: code, in: store)
        guard case .awaitsApproval(let own, _) = status else { return .stale(status) }
        let open = try openRequests(beside: own, in: store)
        guard Self.areDigits(digits, ofAnyOf: open) else { return .mistyped(status) }
        let shown = try open.filter { try isConfirmation(digits, of: $0) }
        if shown.count == 1 {
            guard let approved = try finish(shown[0], as: .approved, by: reader, in: store) else {
                return .stale(try signInLinkStatus(of: code, in: store))
            }
            return .approved(approved)
        }
        let wrong = shown.isEmpty ? [own] : shown
        for ticket in wrong { _ = try finish(ticket, as: .ended, by: reader, in: store) }
        return .wrongDigits(own, ended: wrong.map(\.id), canResend: shown.isEmpty && canResend(own))
    }

    /// Whether a text consists of ASCII digits only, as many as the device of any of the tickets shows.
    private static func areDigits(_ text: String, ofAnyOf tickets: [Ticket]) -> Bool {
        tickets.contains { $0.codeForm.confirmationLength == text.utf8.count }
            && text.utf8.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
    }

    /// Approves an open ticket, or ends it for wrong digits, and records this in the audit log.
    ///
    /// - Returns: the ticket as it is now; `nil` if it was no longer open.
    private func finish(
        _ ticket: Ticket,
        as state: TicketState,
        by reader: TracedDevice,
        in store: some AccountStore
    ) throws -> Ticket? {
        var finished = ticket
        finished.state = state
        finished.settledAt = store.now
        guard try store.update(finished, from: .open) else { return nil }
        try audit(
            state == .approved ? .ticketApproved : .ticketWrongDigits,
            uid: ticket.asking.uid,
            in: store
        )
        try trace(
            state == .approved ? .approved : .ended,
            of: ticket.id,
            by: reader,
            detail: state == .approved ? nil : "wrong digits",
            in: store
        )
        return finished
    }

    /// Ends the ticket of a sign-in link that the owner of the mailbox did not request, and counts the denial against
    /// the session and the client that asked.
    ///
    /// - Returns: `denied`, or `stale` if the ticket was redeemed or has ended, or there is no such link.
    package func deny(
        _ code: ActionCode,
        by reader: TracedDevice = TracedDevice(),
        in store: some AccountStore
    ) throws -> SignInLinkAnswer {
        let status = try signInLinkStatus(of: code, in: store)
        let ticket: Ticket
        switch status {
        case .awaitsApproval(let open, _), .showsCode(let open, _, _), .pausesCodes(let open, _, _),
            .approved(let open), .expired(let open):
            ticket = open
        case .used, .signedOut, .denied, .ended, .replaced, .unknown:
            return .stale(status)
        }
        var finished = ticket
        finished.state = .ended
        finished.settledAt = store.now
        finished.settledBy = code.id.text
        guard try store.update(finished, from: ticket.state) else { return .stale(status) }
        try countDenial(of: ticket.email, client: ticket.asking.client, session: ticket.asking.sid, in: store)
        try audit(.ticketDenied, uid: ticket.asking.uid, in: store)
        try trace(.denied, of: ticket.id, by: reader, in: store)
        return .denied(finished)
    }

    /// Ends the session that a sign-in link's request has begun, because the owner of the mailbox did not sign in, and
    /// counts the denial against the session and the client that asked.
    ///
    /// - Returns: `signedOut`, or `stale` if there is no such session, or not any more.
    package func endSignIn(
        by code: ActionCode,
        from reader: TracedDevice = TracedDevice(),
        in store: some AccountStore
    ) throws -> SignInLinkAnswer {
        let status = try signInLinkStatus(of: code, in: store)
        guard case .used(let ticket, let session) = status else { return .stale(status) }
        try store.endSession(session.sid, of: session.uid, reason: .ended)
        try countDenial(of: ticket.email, client: ticket.asking.client, session: ticket.asking.sid, in: store)
        try audit(.sessionEnded, uid: session.uid, detail: session.sid, in: store)
        try trace(.denied, of: ticket.id, by: reader, detail: "the session was ended", in: store)
        return .signedOut(ticket, uid: session.uid)
    }

    /// Queues a new sign-in e-mail for the reader of an outdated one.
    ///
    /// While the old link's ticket is open, the e-mail is for the same ticket, so that the device that asked need not
    /// ask again. Otherwise the e-mail is for a new ticket without a session.
    ///
    /// - Returns: `resent` with the ticket, or `stale` if the link's page may not offer a new e-mail
    ///   (``SignInLinkStatus``).
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
        case .expired(var ticket) where ticket.state == .open:
            ticket.expiresAt = store.now + policy.signInLinkLife
            ticket.mailState = .queued
            // Only the mailbox has the new link.
            ticket.wrongAddresses = 0
            // A device that got TICKET_EXPIRED no longer waits. A device that still polls is recorded again.
            ticket.polledAt = nil
            // The ticket's renewal does not extend a link whose signature has not expired. Codes come before tickets, in
            // the order in which redemptions lock them.
            if store.now < code.expiry * 1000 { _ = try store.useActionCode(code.id.text) }
            guard try store.update(ticket, from: ticket.state) else { return .stale(status) }
            // Counters come after tickets, in the order in which denials lock them.
            let standing = try countMail(to: ticket.email, from: client, presented: nil, in: store)
            try queueSignInMail(
                for: ticket,
                try rank(traffic, for: standing, in: store),
                code: ids.actionCode,
                mail: ids.mail,
                network: traffic.network,
                in: store
            )
            return .resent(ticket)
        case .expired(let old), .signedOut(let old, canResend: true), .ended(let old, canResend: true):
            let standing = try countMail(to: old.email, from: client, presented: nil, in: store)
            let rank = try rank(traffic, for: standing, in: store)
            var asking = old.asking
            asking.sid = nil
            asking.uid = nil
            asking.client = client
            var ticket = Ticket(
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
            ticket.linkOnlyAt = old.linkOnlyAt == nil ? nil : store.now
            try store.insert(ticket)
            try queueSignInMail(
                for: ticket,
                rank,
                code: ids.actionCode,
                mail: ids.mail,
                network: traffic.network,
                in: store
            )
            return .resent(ticket)
        default:
            return .stale(status)
        }
    }
}
