internal import AccountDatabase
internal import Accounts
internal import Database
internal import Mail
internal import Tokens

/// The trace of requested e-mails.
extension Operator {
    /// Returns what happened to the e-mails that were requested for an address, by or for a user, or by one request.
    ///
    /// - Parameters:
    ///   - name: an address, a UID, a username, a ticket, an e-mail's identifier, or a Message-ID of this server.
    ///   - page: the token of the page (``TraceReport/nextPage``); `nil` for the newest requests.
    ///   - limit: the maximum number of requests.
    /// - Throws: ``Failure/noTrace(_:)`` if there is neither a user nor a request of that name, and no address;
    ///   ``Failure/noSuchPage(_:)``.
    package func trace(_ name: String, page: String? = nil, limit: Int = 20) throws -> TraceReport {
        let position = try page.map { page in
            guard let position = Int64(page), position > 0 else { throw Failure.noSuchPage(page) }
            return position
        }
        return try store.database.readNow { [flows] transaction in
            let (subject, known) = try traced(name, in: transaction)
            // One more than shown tells whether there is another page.
            let found = try transaction.traces(of: subject, before: position, limit: limit + 1)
            let shown = found.prefix(limit)
            let address = try known ?? shown.first.flatMap { try transaction.ticket($0.request)?.email }
            let items = try transaction.reports(on: shown, address: address)
            let suppression = try address.flatMap { address in
                try transaction.suppressions(among: flows.traceKeys(of: address)).first
            }
            let answer = Self.answer(items)
            return TraceReport(
                subject: name,
                summary: answer?.summary ?? Self.nothing(address),
                advice: answer.map(\.advice) ?? Self.hint,
                suppressedUntil: suppression.map { Timestamp.rfc3339(milliseconds: $0.until) },
                items: items,
                nextPage: found.count > limit ? shown.last.map { String($0.position) } : nil
            )
        }
    }

    /// The outcome of ``allowMails(to:)``.
    package struct AllowedMails: Sendable, Encodable {
        package let address: String
        /// Whether the address was suppressed before.
        package let wasSuppressed: Bool
    }

    /// Allows e-mails again to an address that a mail server reported as nonexistent.
    ///
    /// - Throws: ``Failure/noAddress(_:)``.
    package func allowMails(to text: String) throws -> AllowedMails {
        guard let address = try? EmailAddress(parsing: text).canonical else { throw Failure.noAddress(text) }
        let request = try TokenID.random().text
        return try store.database.writeNow { [flows] transaction in
            let keys = try flows.traceKeys(of: address)
            let wasSuppressed = try !transaction.suppressions(among: keys).isEmpty
            try flows.endSuppression(of: address, in: transaction)
            if wasSuppressed {
                try flows.audit(.mailAllowed, in: transaction)
                try transaction.trace(TraceEntry(.allowed, of: request, address: flows.suppressionKey(of: address)))
            }
            return AllowedMails(address: address, wasSuppressed: wasSuppressed)
        }
    }

    /// Records a report that an e-mail was not delivered (``DeliveryReport``).
    ///
    /// - Parameter message: the report, as a mail server sent it.
    /// - Returns: one outcome for each e-mail of this server that the report says has failed; empty if it is no such
    ///   report, or forged.
    package func recordBounce(_ message: [UInt8]) throws -> [BounceReport] {
        let bounces = try flows.bounces(in: message)
        guard !bounces.isEmpty else { return [] }
        return try store.database.writeNow { [flows] transaction in
            try bounces.map { BounceReport($0, try flows.record($0, in: transaction)) }
        }
    }

    private func traced(_ name: String, in transaction: Transaction) throws -> (TraceSubject, address: String?) {
        if let id = MessageID(parsing: name), try flows.isMessageProof(id.proof, of: id.mail) {
            return (.request(id.mail), nil)
        }
        if let address = try? EmailAddress(parsing: name).canonical {
            return (.address(try flows.traceKeys(of: address)), address)
        }
        let holder = try Username(name).flatMap { try transaction.holder(of: $0) }
        if let user = try transaction.user(name) ?? holder.flatMap({ try transaction.user($0.uid) }) {
            return (try flows.traceSubject(of: user), user.email)
        }
        let request = (try TicketToken.verify(name, secrets: store.secrets))?.id.text ?? name
        guard try !transaction.traces(of: .request(request), before: nil, limit: 1).isEmpty else {
            throw Failure.noTrace(name)
        }
        return (.request(request), nil)
    }

    /// What became of the newest request, and what to do about it; `nil` without a request.
    ///
    /// A user without an e-mail asks again until a limit refuses that. What became of the e-mail before says more then.
    private static func answer(_ items: [TracedRequestReport]) -> (summary: String, advice: String?)? {
        guard let newest = items.first else { return nil }
        guard newest.isRefused, let before = items.first(where: { !$0.isRefused }) else {
            return (newest.summary, newest.advice)
        }
        return ("\(newest.summary). The request before: \(before.summary)", before.advice ?? newest.advice)
    }

    private static func nothing(_ address: String?) -> String {
        address == nil
            ? "The user has neither asked for an e-mail nor got one." : "No e-mail was requested for the address."
    }

    private static let hint =
        "The user typed another address, the request did not reach this server, or it is older than the trace keeps it "
        + "(life.trace). Compare the spelling, and search the server's log for 'failures' at the time of the request."
}

/// What a report of a failed delivery has changed.
package struct BounceReport: Sendable, Encodable {
    /// The identifier of the e-mail.
    package let mail: String
    package let status: String
    /// `traced`, `suppressed`, `repeated` or `unknown` (``BounceOutcome``).
    package let outcome: String

    init(_ bounce: Bounce, _ outcome: BounceOutcome) {
        mail = bounce.mail
        status = bounce.status
        self.outcome = outcome.rawValue
    }
}
