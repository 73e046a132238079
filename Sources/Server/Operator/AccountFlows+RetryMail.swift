internal import AccountDatabase
internal import Accounts
internal import Database

/// The outcome of retrying an e-mail.
enum MailRetry: Sendable {
    /// The e-mail is due at once.
    case due
    /// The e-mail had failed, because its mailbox was reported not to exist, and is not sent. New e-mails to that
    /// address are sent again.
    case mailboxReleased
    /// A server is sending the e-mail now.
    case beingSent
}

extension AccountFlows {
    /// Makes a waiting e-mail due at once, and allows e-mails to its address again if they were suppressed.
    ///
    /// - Returns: `nil` if no such e-mail waits and its address is not suppressed.
    func retryMail(_ id: String, in transaction: Transaction) throws -> MailRetry? {
        if let payload = try transaction.waitingPayload(of: id), let mail = try? open(payload, mail: id) {
            try endSuppression(of: mail.to, in: transaction)
        }
        switch try transaction.retryMail(id) {
        case .due:
            try audit(.mailRetried, detail: id, in: transaction)
            return .due
        case .inHand: return .beingSent
        case .noneWaits:
            guard try transaction.endSuppression(ofMail: id) else { return nil }
            try audit(.mailRetried, detail: id, in: transaction)
            return .mailboxReleased
        }
    }
}
