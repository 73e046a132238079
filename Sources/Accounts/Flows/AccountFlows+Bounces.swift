internal import Tokens

/// A report that an e-mail was not delivered.
package struct Bounce: Sendable, Equatable {
    /// The identifier of the e-mail, whose Message-ID has been checked.
    package let mail: String
    /// The recipient that the report names; `nil` if it names none.
    package let recipient: EmailAddress?
    /// The status of RFC 3463, such as `5.1.1`.
    package let status: String
    /// The mail server's words, without addresses; `nil` if there are none.
    package let diagnosis: String?

    /// Makes a report from its parts.
    package init(mail: String, recipient: EmailAddress?, status: String, diagnosis: String?) {
        self.mail = mail
        self.recipient = recipient
        self.status = status
        self.diagnosis = diagnosis
    }

    /// Whether the status says that the recipient's mailbox does not exist: 5.1.x, except 5.1.7 and 5.1.8, which are
    /// about the sender.
    package var saysNoSuchMailbox: Bool {
        status.hasPrefix("5.1.") && status != "5.1.7" && status != "5.1.8"
    }
}

/// What a report of a failed delivery has changed.
package enum BounceOutcome: String, Sendable {
    /// It was written into the trace.
    case traced
    /// It was written into the trace, and the address gets no e-mail for ``AccountFlows/suppression``.
    case suppressed
    /// The trace has a report about this e-mail already.
    case repeated
    /// The trace does not have the e-mail, or not any more.
    case unknown
}

extension AccountFlows {
    /// Records a report that an e-mail was not delivered, the first one of each e-mail.
    ///
    /// If the mailbox does not exist, no e-mail is sent to its address for ``suppression``. A report that names another
    /// recipient, such as the target of a forwarding, is only traced.
    package func record(_ bounce: Bounce, in store: some AccountStore) throws -> BounceOutcome {
        guard let queued = try store.queuedTrace(ofMail: bounce.mail), let mailbox = queued.address else {
            return .unknown
        }
        let earlier = try store.traces(of: .request(queued.request), before: nil, limit: 1).flatMap(\.events)
        guard !earlier.contains(where: { $0.event == .bounced && $0.mail == bounce.mail }) else { return .repeated }
        let detail = [bounce.status, bounce.diagnosis].compactMap(\.self).joined(separator: " ")
        try store.trace(TraceEntry(.bounced, of: queued.request, mail: bounce.mail, detail: detail))
        guard bounce.saysNoSuchMailbox else { return .traced }
        guard let recipient = bounce.recipient else {
            try store.suppress(mailbox, for: Self.suppression)
            return .suppressed
        }
        guard try KeyedHash.verify(mailbox, of: recipient.canonical, purpose: "mailboxes", secrets: secrets) else {
            return .traced
        }
        try store.suppress(try suppressionKey(of: recipient.canonical), for: Self.suppression)
        return .suppressed
    }
}
