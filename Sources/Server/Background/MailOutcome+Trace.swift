internal import Accounts
internal import Mail

extension MailOutcome {
    /// The event that the trace gets for this outcome; `nil` for an e-mail that was only released.
    ///
    /// It is written even if the worker's lease is lost by then, because the attempt was made.
    var traceEntry: TraceEntry? {
        guard let attempt else { return nil }
        let event: TraceEvent
        switch result {
        case .sent: event = .sent
        case .moot: event = .moot
        case .blocked: event = .blocked
        case .failed, .noMailbox(_, isNews: true, _): event = .failed
        case .noMailbox: event = .suppressed
        case .retry: event = .postponed
        case .released: return nil
        }
        return TraceEntry(
            event,
            of: attempt.ticket ?? attempt.mail,
            mail: attempt.mail,
            detail: attempt.detail
        )
    }
}
