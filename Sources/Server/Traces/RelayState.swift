internal import AccountDatabase
internal import Accounts
internal import Database
internal import Transfer

/// Whether the relay takes e-mails, by the newest attempts in the trace.
enum RelayState: Sendable, Equatable {
    /// The trace has no recent attempt.
    case unknown
    /// The relay answered the newest attempt at this time, whatever it said about the e-mail.
    case answers(at: Int64)
    /// No attempt since a time has reached the point where the relay judges an e-mail.
    ///
    /// Until the relay is back, one e-mail at a time is tried, and all others wait without an attempt of their own.
    case away(since: Int64, lastAt: Int64, reason: String)

    /// Judges attempts.
    ///
    /// - Parameter transaction: the trace.
    init(in transaction: Transaction) throws {
        var state = RelayState.unknown
        try transaction.forEachAttempt { attempt in
            let at = attempt.at ?? 0, detail = attempt.detail ?? ""
            let step = attempt.event == .sent ? .message : SMTPStep(beginning: detail)
            // Without a step, as for an e-mail that waited too long, the relay was not asked.
            guard let step, step >= .sender || attempt.event == .postponed else { return true }
            guard step < .sender else {
                if case .unknown = state { state = .answers(at: at) }
                return false
            }
            if case .away(_, let lastAt, let reason) = state {
                state = .away(since: at, lastAt: lastAt, reason: reason)
            } else {
                state = .away(since: at, lastAt: at, reason: detail)
            }
            return true
        }
        self = state
    }
}
