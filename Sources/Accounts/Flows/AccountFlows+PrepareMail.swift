internal import FoundationEssentials
package import Tokens

/// What the mail worker does with an e-mail that is due.
package enum PreparedMail: Sendable, Equatable {
    /// Sends it. `digits` is the sign-in code that a ticket's e-mail shows, formatted for people.
    case send(QueuedMail, digits: String?)
    /// Drops it, because it is a sign-in e-mail whose ticket no longer exists or is no longer open.
    case moot
    /// Fails it, because it has waited too long or too little of its link's life is left.
    case expired
}

extension AccountFlows {
    /// Decides what happens to an e-mail that is due, and stores a new link for it if needed.
    ///
    /// If another user has the new address of a ``MailKind/changeEmail`` by now, ``MailKind/emailInUse`` is sent
    /// instead.
    ///
    /// A sign-in e-mail whose link has less than ``Policy/signInLinkLife`` left gets a new link for the same ticket,
    /// and fails once it has waited for ``Policy/longestMailDelay``, or for ``Policy/signInLinkLife`` if that is
    /// longer. Other e-mails fail if too little of their link's life is left (``Policy/shortestLinkLife``).
    ///
    /// - Parameters:
    ///   - mail: the e-mail as queued.
    ///   - code: a fresh identifier for a new link.
    ///   - store: the transaction.
    /// - Throws: ``Refusal`` TICKET_EXPIRED if a sign-in e-mail can never be sent, because the server's secret for its
    ///   code was removed.
    package func prepare(_ mail: QueuedMail, code: TokenID, in store: some AccountStore) throws -> PreparedMail {
        switch mail.kind {
        case .signIn, .signInLink:
            return try prepareSignIn(mail, code: code, in: store)
        case .changeEmail:
            // Also limits the notice that replaces it, which would otherwise be retried forever.
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

    /// Prefetches what ``prepare(_:code:in:)`` reads for an e-mail, so that all e-mails of a batch cost one round trip.
    package func prefetch(for mail: QueuedMail, in store: some AccountStore) throws {
        switch mail.kind {
        case .signIn, .signInLink: if let ticket = mail.ticket { _ = try store.ticket(ticket) }
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
        let digits = mail.showsCode == false ? nil : SignInCode.grouped(try signInCode(of: ticket))
        let life = policy.signInLinkLife
        // Checked first, because a link that is signed for longer than it lives may be valid beyond a short delay.
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
            mail: mail.id,
            expiresAt: ticket.expiresAt + policy.signInLinkMargin,
            in: store
        )
        return .send(renewed, digits: digits)
    }

    /// Whether too little of the life of an e-mail's link is left: less than ``Policy/shortestLinkLife``, and less than
    /// two thirds of the link's life from when the e-mail was queued.
    private func isStale(_ mail: QueuedMail, at now: Int64) -> Bool {
        guard let expiresAt = mail.linkExpiresAt else { return false }
        return expiresAt - now < min(policy.shortestLinkLife, (expiresAt - mail.queuedAt) / 3 * 2)
    }

    /// Returns an e-mail in its stored form: sealed, and bound to its row.
    ///
    /// While nodes are upgraded one by one, a worker of the released version does not know the kinds
    /// ``MailKind/methodAdded`` and ``MailKind/methodRemoved``. It sends such a notice as ``MailKind/emailChanged``,
    /// with the right link, instead of failing it.
    package func seal(_ mail: QueuedMail) throws -> String {
        var stored = mail
        if [.methodAdded, .methodRemoved].contains(mail.kind) {
            stored.noticeKind = mail.kind
            stored.kind = .emailChanged
        }
        return try sealer.seal([UInt8](JSONEncoder().encode(stored)), table: "outbox", column: "payload", row: mail.id)
    }

    /// Returns the purpose of the link in an e-mail; `nil` if the e-mail has no link, or its code is not valid under
    /// the server's secrets.
    package func linkPurpose(of mail: QueuedMail) throws -> ActionPurpose? {
        guard let text = mail.actionCode else { return nil }
        switch try ActionCode.verify(text, secrets: secrets, now: mail.queuedAt / 1000) {
        case .valid(let code), .expired(let code): return code.purpose
        case nil: return nil
        }
    }

    /// Opens the sealed form of a stored e-mail.
    ///
    /// - Throws: an error if it was sealed under another secret or for another row.
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
