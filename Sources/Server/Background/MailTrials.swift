internal import Synchronization

/// The e-mails that this node sends to suppressed mailboxes, to see whether these exist again.
///
/// A node that is killed forgets them; the next e-mail to such a mailbox is sent a day later.
final class MailTrials: Sendable {
    private let mailboxes = Mutex<[Int64: String]>([:])

    /// Returns the mailbox, by its keyed hash, that an e-mail is sent to although it is suppressed; `nil` for other
    /// e-mails.
    subscript(id: Int64) -> String? { mailboxes.withLock { $0[id] } }

    /// Adds e-mails, by the numbers of their rows, with the keyed hashes of their mailboxes.
    func add(_ trials: [Int64: String]) {
        guard !trials.isEmpty else { return }
        mailboxes.withLock { $0.merge(trials) { $1 } }
    }

    /// Forgets e-mails whose outcomes are recorded.
    func remove(_ ids: [Int64]) {
        mailboxes.withLock { mailboxes in for id in ids { mailboxes[id] = nil } }
    }
}
