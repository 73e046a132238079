internal import Accounts

/// The trace of an address, a user or one request, as operators see it.
package struct TraceReport: Sendable, Encodable {
    /// What the trace was searched for.
    package let subject: String
    /// In one sentence, what became of the newest request.
    package let summary: String
    /// What to do about it; `nil` if nothing is to be done.
    package let advice: String?
    /// Until when the address gets no e-mail, because a mail server said that there is no such mailbox; `nil` if it gets
    /// e-mails.
    package let suppressedUntil: String?
    /// The requests, newest first.
    package let items: [TracedRequestReport]
    /// The token of the next page, with older requests; `nil` on the last page.
    package let nextPage: String?
}

/// A request for an e-mail, as operators see it.
package struct TracedRequestReport: Sendable, Encodable {
    /// The ticket of a sign-in e-mail, otherwise the e-mail's own id.
    package let request: String
    package let kind: String?
    package let at: String
    /// In one sentence, what became of the request.
    package let summary: String
    /// What to do about it; `nil` if nothing is to be done.
    package let advice: String?
    /// What happened, oldest first.
    package let events: [TraceEventReport]

    /// Whether a limit refused the request.
    var isRefused: Bool { events.last?.event == TraceEvent.refused.rawValue }

    /// Describes a request.
    ///
    /// - Parameters:
    ///   - traced: the request.
    ///   - waiting: its e-mail, if that still waits in the outbox.
    ///   - address: its address, for commands that the advice names; `nil` if it is unknown.
    init(_ traced: TracedRequest, waiting: WaitingMail?, address: String?) {
        request = traced.request
        kind = traced.events.lazy.compactMap(\.kind).first?.rawValue
        at = Timestamp.rfc3339(milliseconds: traced.events.first?.at ?? 0)
        let verdict = TraceVerdict(traced.events, waiting: waiting, address: address)
        (summary, advice) = (verdict.summary, verdict.advice)
        var sentAt: Int64?
        events = traced.events.map { event in
            if event.event == .sent { sentAt = event.at }
            return TraceEventReport(event, sentAt: sentAt)
        }
    }
}

/// One event of a request, as operators see it.
package struct TraceEventReport: Sendable, Encodable {
    package let at: String
    /// The name of the event, such as `queued` (``TraceEvent``).
    package let event: String
    /// The identifier of the e-mail, as in the log, the outbox and the Message-ID; `nil` if there is none.
    package let mail: String?
    package let uid: String?
    package let device: String?
    /// A label of the network, equal for equal networks.
    package let network: String?
    /// The mail server's reply, the limit or another detail.
    package let detail: String?
    /// How often the event happened.
    package let count: Int64
    /// Whether a program probably opened the link; `nil` for other events.
    package let looksLikeScanner: Bool?

    /// A person takes longer than this many milliseconds after the hand-over to read an e-mail and open its link.
    private static let tooSoon: Int64 = 3000

    init(_ entry: TraceEntry, sentAt: Int64?) {
        at = Timestamp.rfc3339(milliseconds: entry.at ?? 0)
        event = entry.event.rawValue
        mail = entry.mail
        uid = entry.uid
        device = entry.device
        network = entry.network
        let isOpening = entry.event == .opened
        detail = isOpening ? nil : entry.detail
        count = entry.occurrences
        let isSoon = sentAt.map { (entry.at ?? 0) - $0 < Self.tooSoon } ?? false
        looksLikeScanner = isOpening ? entry.detail == TraceEvent.scanner || isSoon : nil
    }
}
