internal import FoundationEssentials
package import Tokens

/// What the mail worker is to do with a mail whose turn has come.
package enum PreparedMail: Sendable, Equatable {
    /// Send it. `digits` is the sign-in code of a ticket's mail, as people read it.
    case send(QueuedMail, digits: String?)
    /// Drop it: what it was for is over.
    case moot
    /// Give it up, for this reason.
    case expired
}

extension AccountFlows {
    /// Decides what a mail says when it leaves: everything that depends on accounts happens here, not in the request.
    ///
    /// A sign-in mail whose link has less than its whole life left gets a fresh one for the same ticket, for as long as mails may
    /// be delayed; then the ticket's holder learns that the mail failed.
    ///
    /// - Parameters:
    ///   - mail: the mail as queued.
    ///   - code: a fresh identifier, in case that a new link is made.
    ///   - store: the transaction.
    /// - Throws: ``Refusal`` where the mail can never be sent, since the secret that its ticket was made under is gone.
    package func prepare(_ mail: QueuedMail, code: TokenID, in store: some AccountStore) throws -> PreparedMail {
        switch mail.kind {
        case .signIn:
            return try prepareSignIn(mail, code: code, in: store)
        case .changeEmail:
            // Also of use to the notice that takes its place, or that would be tried for ever.
            guard !isStale(mail, at: store.now) else { return .expired }
            guard let newEmail = mail.newEmail, try store.user(email: newEmail) != nil else {
                return .send(mail, digits: nil)
            }
            var inUse = mail
            inUse.kind = .emailInUse
            inUse.actionCode = nil
            return .send(inUse, digits: nil)
        case .verifyEmail, .emailChanged, .emailInUse, .methodAdded, .methodRemoved:
            return isStale(mail, at: store.now) ? .expired : .send(mail, digits: nil)
        }
    }

    /// Announces what ``prepare(_:code:in:)`` asks about a mail, so that all mails of a batch cost one round trip.
    package func prefetch(for mail: QueuedMail, in store: some AccountStore) throws {
        switch mail.kind {
        case .signIn: if let ticket = mail.ticket { _ = try store.ticket(ticket) }
        case .changeEmail: if let newEmail = mail.newEmail { _ = try store.user(email: newEmail) }
        case .verifyEmail, .emailChanged, .emailInUse, .methodAdded, .methodRemoved: break
        }
    }

    private func prepareSignIn(
        _ mail: QueuedMail,
        code: TokenID,
        in store: some AccountStore
    ) throws -> PreparedMail {
        guard let id = mail.ticket, var ticket = try store.ticket(id), ticket.state == .open else { return .moot }
        let digits = SignInCode.grouped(try signInCode(of: ticket))
        let life = policy.signInLinkLife
        // First, because a link that is signed for longer than it lives may be good beyond a short delay.
        guard store.now - mail.queuedAt < max(policy.longestMailDelay, life) else { return .expired }
        guard let expiresAt = mail.linkExpiresAt, expiresAt - store.now < life else {
            return .send(mail, digits: digits)
        }
        ticket.expiresAt = store.now + life
        guard try store.update(ticket, from: .open) else { return .moot }
        var renewed = mail
        renewed.linkExpiresAt = ticket.expiresAt + policy.signInLinkMargin
        renewed.actionCode = try addSignInLink(
            to: ticket,
            code: code,
            expiresAt: ticket.expiresAt + policy.signInLinkMargin,
            in: store
        )
        return .send(renewed, digits: digits)
    }

    /// Whether a mail's link has too little time left; a link that is short-lived by itself may have used a third of it.
    private func isStale(_ mail: QueuedMail, at now: Int64) -> Bool {
        guard let expiresAt = mail.linkExpiresAt else { return false }
        return expiresAt - now < min(policy.shortestLinkLife, (expiresAt - mail.queuedAt) / 3 * 2)
    }

    /// A mail as it may be stored: sealed, bound to its row.
    ///
    /// While nodes are upgraded one by one, a worker of the released version sends a notice whose kind it does not know as
    /// ``MailKind/emailChanged``, with the right link, where it would give the mail up otherwise.
    package func seal(_ mail: QueuedMail) throws -> String {
        var stored = mail
        if [.methodAdded, .methodRemoved].contains(mail.kind) {
            stored.noticeKind = mail.kind
            stored.kind = .emailChanged
        }
        return try sealer.seal([UInt8](JSONEncoder().encode(stored)), table: "outbox", column: "payload", row: mail.id)
    }

    /// What the link in a mail is for; `nil` where the mail has none.
    package func linkPurpose(of mail: QueuedMail) throws -> ActionPurpose? {
        guard let text = mail.actionCode else { return nil }
        switch try ActionCode.verify(text, secrets: secrets, now: mail.queuedAt / 1000) {
        case .valid(let code), .expired(let code): return code.purpose
        case nil: return nil
        }
    }

    /// A stored mail, opened.
    ///
    /// - Throws: where it was sealed under another secret or for another row.
    package func open(_ payload: String, mail id: String) throws -> QueuedMail {
        let bytes = try sealer.open(payload, table: "outbox", column: "payload", row: id)
        var mail = try JSONDecoder().decode(QueuedMail.self, from: Data(bytes))
        if let kind = mail.noticeKind {
            mail.kind = kind
            mail.noticeKind = nil
        }
        return mail
    }
}
