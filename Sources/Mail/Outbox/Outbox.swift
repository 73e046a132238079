package import Accounts

/// The queue of mails, as the delivery sees it; fulfilled with a database, so several nodes may work on one queue.
///
/// Nothing here blocks: an implementation that waits does so on threads of its own.
package protocol Outbox: Sendable {
    /// Takes due mails, so that no other worker gets them until the lease ends.
    ///
    /// Called often and mostly in vain: look before you write.
    ///
    /// - Parameters:
    ///   - limit: how many at most.
    ///   - worker: who takes them; the same in `renew` and `record`.
    ///   - milliseconds: how long the lease lasts, unless it is renewed.
    ///   - takingOver: whether also those that another worker took and left until its lease ran out.
    /// - Returns: the mails, in the order in which to send them; none if nothing is due.
    /// - Throws: whatever keeps it from the queue; asked again later.
    func lease(limit: Int, worker: String, milliseconds: Int64, takingOver: Bool) async throws -> [LeasedMail]

    /// Makes leases last so long from now, also where they have run out and nobody came; of those that the worker still has.
    ///
    /// - Returns: the mails that it still has.
    func renew(_ mails: [Int64], worker: String, milliseconds: Int64) async throws -> [Int64]

    /// Decides for leased mails, right before they are sent, what depends on the account or on the time: renews a link
    /// that would soon be over (`AccountFlows.prepare`), chooses the kind, finds a mail moot.
    ///
    /// - Returns: one decision for each mail, in the same order.
    func prepare(_ mails: [LeasedMail], worker: String) async throws -> [MailPreparation]

    /// Writes down what became of mails, all in one transaction; only of those whose lease the worker still has.
    ///
    /// Called again with the same outcomes if it throws.
    func record(_ outcomes: [MailOutcome], worker: String) async throws
}

/// A mail that a worker has taken.
package struct LeasedMail: Sendable, Equatable {
    package let id: Int64
    /// How many attempts have counted before this one.
    package let attempts: Int
    /// What it was asked to say; what it will say, `prepare` decides.
    package let queued: QueuedMail

    package init(id: Int64, attempts: Int, queued: QueuedMail) {
        self.id = id
        self.attempts = attempts
        self.queued = queued
    }
}

/// What to do with a leased mail.
package enum MailPreparation: Sendable, Equatable {
    /// Send it, as it is now.
    case send(MailPayload)
    /// Nobody needs it any more.
    case moot
    /// It is too late for it; the reason names no address.
    case fail(String)
    /// A mail server said lately that there is no such mailbox, so it is not asked again; the reason names no address.
    case noMailbox(String)
}

/// What became of a leased mail.
package struct MailOutcome: Sendable, Equatable {
    package enum Result: Sendable, Equatable {
        /// A server took it: erase its body.
        case sent
        /// Nobody needed it any more: erase its body.
        case moot
        /// It will never be sent: erase its body, tell its ticket.
        case failed(reason: String)
        /// There is no such mailbox: as `failed`, and nothing more is sent to the address for a while.
        ///
        /// `isNews` where a server has just said so, rather than some time ago.
        case noMailbox(address: String, isNews: Bool, reason: String)
        /// Due again after so many milliseconds of the database's clock; a counted one is one more attempt.
        case retry(afterMilliseconds: Int64, isCounted: Bool, reason: String)
        /// Not tried: due again at once, for whoever comes.
        case released
    }

    package let id: Int64
    package let result: Result

    package init(id: Int64, result: Result) {
        self.id = id
        self.result = result
    }
}
