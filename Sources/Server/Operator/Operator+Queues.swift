internal import AccountDatabase
internal import Accounts
internal import Database

/// The queues of e-mails and of messages to hooks.
extension Operator {
    /// Returns the e-mails of the outbox, newest first.
    ///
    /// - Parameters:
    ///   - state: `waiting`, `sent`, `failed` or `moot`; `nil`, or any other text, for all.
    ///   - limit: the maximum number of e-mails.
    package func outbox(state: String?, limit: Int) throws -> [OutboxReport] {
        let wanted = state.flatMap { $0 == "waiting" ? OutboxState.queued : OutboxState(rawValue: $0) }
        return try store.database.readNow { transaction in
            try transaction.outbox(wanted, limit: Int64(limit)).map(OutboxReport.init)
        }
    }

    /// Returns one e-mail of the outbox.
    ///
    /// - Throws: ``Failure/noSuchMail(_:)``.
    package func mail(_ id: String) throws -> OutboxReport {
        let mail = try store.database.readNow { try $0.outboxEntry(id) }
        guard let mail else { throw Failure.noSuchMail(id) }
        return OutboxReport(mail)
    }

    /// The result of retrying an e-mail.
    package enum RetriedMail: Sendable, Equatable {
        /// The e-mail is due at once.
        case due
        /// The e-mail had failed, because its mailbox was reported not to exist, and is not sent. New e-mails to that
        /// address are sent again.
        case mailboxReleased
    }

    /// Makes a waiting e-mail due at once, and allows e-mails to its address again if they were suppressed.
    ///
    /// - Throws: ``Failure/noSuchMail(_:)``; ``Failure/beingSent(_:)``.
    package func retryMail(_ id: String) throws -> RetriedMail {
        switch try store.database.writeNow({ [flows] in try flows.retryMail(id, in: $0) }) {
        case .due: return .due
        case .mailboxReleased: return .mailboxReleased
        case .beingSent: throw Failure.beingSent(id)
        case nil: throw Failure.noSuchMail(id)
        }
    }

    private func check(_ answer: RetryAnswer, of id: String, otherwise failure: Failure) throws(Failure) {
        switch answer {
        case .due: break
        case .inHand: throw .beingSent(id)
        case .noneWaits: throw failure
        }
    }

    /// Returns the messages to hooks, newest first.
    ///
    /// - Parameters:
    ///   - state: `asked`, `waiting`, `delivered` or `failed`; `nil`, or any other text, for all.
    ///   - limit: the maximum number of messages.
    package func hookMessages(state: String?, limit: Int) throws -> [HookMessageReport] {
        let wanted = state.flatMap { $0 == "waiting" ? HookMessageState.queued : HookMessageState(rawValue: $0) }
        return try store.database.readNow { transaction in
            try transaction.hookMessages(wanted, limit: Int64(limit)).map(HookMessageReport.init)
        }
    }

    /// Makes a message due at once, even a failed one.
    ///
    /// - Throws: ``Failure/noSuchMessage(_:)``; ``Failure/beingSent(_:)``.
    package func retryHookMessage(_ id: String) throws {
        let answer = try store.database.writeNow { [flows] transaction in
            let answer = try transaction.retryMessage(id)
            if answer == .due { try flows.audit(.hookRetried, detail: id, in: transaction) }
            return answer
        }
        try check(answer, of: id, otherwise: .noSuchMessage(id))
    }
}
