package import Accounts

/// The queue of e-mails, as the delivery uses it.
///
/// A database implements it, so several nodes may work on one queue. Its methods must not block; an implementation that
/// waits does so on its own threads.
package protocol Outbox: Sendable {
    /// Leases due e-mails, so that no other worker gets them until the lease ends.
    ///
    /// The delivery calls this often, and usually nothing is due, so an implementation should check before it writes.
    ///
    /// - Parameters:
    ///   - limit: the maximum number of e-mails.
    ///   - worker: the worker that leases them; the same in `renew` and `record`.
    ///   - milliseconds: the duration of the lease, unless it is renewed.
    ///   - takingOver: whether to include e-mails whose lease by another worker has expired.
    /// - Returns: the e-mails, in the order in which to send them; none if nothing is due.
    /// - Throws: any error of the queue. The call is repeated later.
    func lease(limit: Int, worker: String, milliseconds: Int64, takingOver: Bool) async throws -> [LeasedMail]

    /// Renews the leases that the worker still owns, including expired ones that no other worker took over.
    ///
    /// - Parameters:
    ///   - mails: the numbers of the e-mails' rows.
    ///   - worker: the worker that leased them.
    ///   - milliseconds: the duration of the leases from now.
    /// - Returns: the numbers of the e-mails that the worker still owns.
    /// - Throws: any error of the queue. The call is repeated later.
    func renew(_ mails: [Int64], worker: String, milliseconds: Int64) async throws -> [Int64]

    /// Decides what depends on the account or the time, right before leased e-mails are sent.
    ///
    /// An implementation renews links that would expire soon, chooses the kind, and drops e-mails that are no longer
    /// needed (`AccountFlows.prepare`).
    ///
    /// - Returns: one decision for each e-mail, in the same order.
    /// - Throws: any error of the queue. The e-mails are then released.
    func prepare(_ mails: [LeasedMail], worker: String) async throws -> [MailPreparation]

    /// Records the outcomes of e-mails in one transaction, except those whose lease the worker no longer owns.
    ///
    /// - Throws: any error of the queue. The call is repeated with the same outcomes.
    func record(_ outcomes: [MailOutcome], worker: String) async throws
}

/// An e-mail that a worker leases.
package struct LeasedMail: Sendable, Equatable {
    /// The number of the e-mail's row in the outbox.
    package let id: Int64
    /// The number of counted attempts to send the e-mail before this one.
    package let attempts: Int
    /// The e-mail as it was queued.
    ///
    /// ``Outbox/prepare(_:worker:)`` decides what is sent.
    package let queued: QueuedMail

    package init(id: Int64, attempts: Int, queued: QueuedMail) {
        self.id = id
        self.attempts = attempts
        self.queued = queued
    }
}

/// What to do with a leased e-mail.
package enum MailPreparation: Sendable, Equatable {
    /// Send the e-mail with this content.
    case send(MailPayload)
    /// Drop the e-mail, because it is no longer needed.
    case moot
    /// Give the e-mail up, because it can no longer be sent. The reason contains no address.
    case fail(String)
    /// Do not send the e-mail, because a list of the operator does not admit its address. The reason contains no address.
    case blocked(String)
    /// Give the e-mail up, because a mail server recently reported that the mailbox does not exist. The reason contains
    /// no address.
    case noMailbox(String)
}

/// The outcome of a leased e-mail.
package struct MailOutcome: Sendable, Equatable {
    package enum Result: Sendable, Equatable {
        /// A mail server accepted the e-mail. Erase its body.
        case sent
        /// The e-mail was no longer needed. Erase its body.
        case moot
        /// A list of the operator does not admit the address. Erase the body, and record on its ticket that the e-mail was
        /// sent.
        case blocked(reason: String)
        /// The e-mail will never be sent. Erase its body, and record the failure on its ticket.
        case failed(reason: String)
        /// The mailbox does not exist. Handle it like `failed`, and send no e-mail to the address for a while.
        ///
        /// `isNews` is true if a mail server has just reported it, rather than some time ago.
        case noMailbox(address: String, isNews: Bool, reason: String)
        /// The e-mail was not accepted, or that is unknown. It is due again after this many milliseconds of the
        /// database's clock; `isCounted` tells whether to count the attempt.
        case retry(afterMilliseconds: Int64, isCounted: Bool, reason: String)
        /// The e-mail was certainly not sent, mostly because it was not tried, so it is due again at once, for any
        /// worker.
        case released
    }

    package let id: Int64
    package let result: Result
    /// The e-mail and what was said about it, for the trace; `nil` if nothing is to be traced.
    package let attempt: MailAttempt?

    package init(id: Int64, result: Result, attempt: MailAttempt? = nil) {
        self.id = id
        self.result = result
        self.attempt = attempt
    }
}

/// An attempt to send an e-mail, as the trace describes it.
package struct MailAttempt: Sendable, Equatable {
    /// The e-mail's identifier.
    package let mail: String
    /// The id of the ticket of a sign-in e-mail; `nil` for other e-mails.
    package let ticket: String?
    /// The mail server's reply without addresses, or what went wrong; `nil` if the e-mail was not tried.
    package let detail: String?
    /// Whether the e-mail was handed to the mail server.
    package let isTried: Bool

    package init(_ mail: QueuedMail, detail: String? = nil, isTried: Bool = false) {
        self.mail = mail.id
        ticket = mail.ticket
        self.detail = detail
        self.isTried = isTried
    }
}
