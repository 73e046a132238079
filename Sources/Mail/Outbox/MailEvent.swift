package import Accounts

/// An event of e-mail delivery, for the operator's log.
///
/// An event never contains an address, a code or a link. `id` is the e-mail's identifier in the outbox, the trace and
/// its Message-ID.
package enum MailEvent: Sendable, Equatable, CustomStringConvertible {
    /// The mail server accepted the e-mail; the transfer took this many milliseconds.
    case sent(id: String, kind: MailKind, milliseconds: Int64)
    /// The e-mail was dropped without being sent, because it is no longer needed.
    case moot(id: String, kind: MailKind)
    /// The e-mail will be retried after this many milliseconds.
    case postponed(id: String, kind: MailKind, reason: String, milliseconds: Int64)
    /// The connection was lost after the message had been sent. It will be sent again and may arrive twice.
    case outcomeUnknown(id: String, kind: MailKind, reason: String)
    /// The e-mail was given up and will never be sent.
    case failed(id: String, kind: MailKind, reason: String)
    /// The mail server cannot be used. All e-mails wait for this many milliseconds.
    case serverUnavailable(reason: String, milliseconds: Int64)
    /// The mail server rejects the connection or an e-mail because of the configuration, which the operator must check.
    case misconfigured(reason: String)
    /// A mail server refuses e-mails of the sender's domain, which the operator must mend; at most one an hour.
    case senderRefused(reason: String)
    /// The mail server is usable again.
    case serverRecovered
    /// Another worker took e-mails over, because their leases could not be renewed in time.
    case lost(count: Int)
    /// E-mails could not be leased from the queue or prepared. Only the error's type is reported.
    case queueUnreadable(error: String)
    /// Outcomes cannot be recorded. They are kept and retried.
    case recordingFailed(count: Int, error: String)
    /// Outcomes were given up when stopping. These e-mails may be sent twice.
    case outcomesLost(count: Int)

    /// The severities of events in the log.
    package enum Level: Sendable, Equatable {
        case info, warning, error
    }

    package var level: Level {
        switch self {
        case .sent, .moot, .serverRecovered: .info
        case .postponed, .outcomeUnknown, .serverUnavailable, .lost, .queueUnreadable: .warning
        case .failed, .misconfigured, .senderRefused, .recordingFailed, .outcomesLost: .error
        }
    }

    package var description: String {
        switch self {
        case .sent(let id, let kind, let milliseconds): "e-mail \(id) (\(kind.rawValue)) sent in \(milliseconds) ms"
        case .moot(let id, let kind): "e-mail \(id) (\(kind.rawValue)) is no longer needed"
        case .postponed(let id, let kind, let reason, let milliseconds):
            "e-mail \(id) (\(kind.rawValue)) postponed by \(milliseconds / 1000) s: \(reason)"
        case .outcomeUnknown(let id, let kind, let reason):
            "e-mail \(id) (\(kind.rawValue)) may have been delivered and is sent again: \(reason)"
        case .failed(let id, let kind, let reason): "e-mail \(id) (\(kind.rawValue)) failed: \(reason)"
        case .serverUnavailable(let reason, let milliseconds):
            "mail server unavailable, trying again in \(milliseconds) ms: \(reason)"
        case .misconfigured(let reason): "mail server rejects this server; check the mail configuration: \(reason)"
        case .senderRefused(let reason): "\(SenderDomainAdvice.text): \(reason)"
        case .serverRecovered: "mail server available again"
        case .lost(let count): "\(count) e-mails went to another worker: their leases could not be renewed in time"
        case .queueUnreadable(let error): "outbox cannot be read: \(error)"
        case .recordingFailed(let count, let error): "the outcomes of \(count) e-mails cannot be recorded yet: \(error)"
        case .outcomesLost(let count):
            "the outcomes of \(count) e-mails could not be recorded, so these e-mails may be sent twice"
        }
    }
}
