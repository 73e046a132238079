internal import AccountDatabase
internal import Accounts
internal import Database

/// The queues of e-mails and of messages to hooks.
extension Operator {
    /// Returns a page of the outbox, newest e-mail first.
    ///
    /// - Parameters:
    ///   - state: `waiting`, `sent`, `failed` or `moot`; `nil`, or any other text, for all.
    ///   - page: the token of the page (``ReportPage/nextPage``); `nil` for the newest e-mails.
    ///   - limit: the maximum number of e-mails.
    /// - Throws: ``Failure/noSuchPage(_:)``.
    package func outbox(state: String?, page: String? = nil, limit: Int) throws -> ReportPage<OutboxReport> {
        let wanted = state.flatMap { $0 == "waiting" ? OutboxState.queued : OutboxState(rawValue: $0) }
        return try store.database.readNow { transaction in
            if let page, try transaction.outboxEntry(page) == nil { throw Failure.noSuchPage(page) }
            // One more than shown tells whether there is another page.
            let found = try transaction.outbox(wanted, limit: Int64(limit) + 1, after: page)
            let items = found.prefix(limit).map(OutboxReport.init)
            return ReportPage(items: items, nextPage: found.count > limit ? items.last?.id : nil)
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

    private func check(_ answer: RequeueResult, of id: String, otherwise failure: Failure) throws(Failure) {
        switch answer {
        case .due: break
        case .leased: throw .beingSent(id)
        case .notFound: throw failure
        }
    }

    /// Returns a page of the messages to hooks, newest first.
    ///
    /// - Parameters:
    ///   - state: `asked`, `waiting`, `delivered` or `failed`; `nil`, or any other text, for all.
    ///   - page: the token of the page (``ReportPage/nextPage``); `nil` for the newest messages.
    ///   - limit: the maximum number of messages.
    /// - Throws: ``Failure/noSuchPage(_:)``.
    package func hookMessages(
        state: String?,
        page: String? = nil,
        limit: Int
    ) throws -> ReportPage<HookMessageReport> {
        let wanted = state.flatMap { $0 == "waiting" ? HookMessageState.queued : HookMessageState(rawValue: $0) }
        return try store.database.readNow { transaction in
            if let page, try !transaction.hasHookMessage(page) { throw Failure.noSuchPage(page) }
            let found = try transaction.hookMessages(wanted, limit: Int64(limit) + 1, after: page)
            let items = found.prefix(limit).map(HookMessageReport.init)
            return ReportPage(items: items, nextPage: found.count > limit ? items.last?.id : nil)
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
