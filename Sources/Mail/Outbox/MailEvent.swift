package import Accounts

/// What the delivery tells its operator: never an address, a code or a link.
package enum MailEvent: Sendable, Equatable, CustomStringConvertible {
    /// A server took the mail, after so many milliseconds in the queue's worker.
    case sent(id: Int64, kind: MailKind, milliseconds: Int64)
    /// Nobody needed the mail any more.
    case moot(id: Int64, kind: MailKind)
    /// The mail will be tried again.
    case postponed(id: Int64, kind: MailKind, reason: String, milliseconds: Int64)
    /// The connection was lost when the message had been sent: it will be sent again and may arrive twice.
    case outcomeUnknown(id: Int64, kind: MailKind, reason: String)
    /// The mail will never be sent.
    case failed(id: Int64, kind: MailKind, reason: String)
    /// The mail server cannot be used; all mails wait.
    case serverUnavailable(reason: String, milliseconds: Int64)
    /// The mail server refuses us: an operator must look at the configuration.
    case misconfigured(reason: String)
    /// The mail server is usable again.
    case serverRecovered
    /// Mails went to another worker, since their leases could not be renewed in time.
    case lost(count: Int)
    /// The queue cannot be read; the error's type alone is told.
    case queueUnreadable(error: String)
    /// Outcomes cannot be written down; they are kept and tried again.
    case recordingFailed(count: Int, error: String)
    /// Outcomes were given up at the stop: these mails may go twice.
    case outcomesLost(count: Int)

    /// How grave it is.
    package enum Level: Sendable, Equatable {
        case info, warning, error
    }

    package var level: Level {
        switch self {
        case .sent, .moot, .serverRecovered: .info
        case .postponed, .outcomeUnknown, .serverUnavailable, .lost, .queueUnreadable: .warning
        case .failed, .misconfigured, .recordingFailed, .outcomesLost: .error
        }
    }

    package var description: String {
        switch self {
        case .sent(let id, let kind, let milliseconds): "mail \(id) (\(kind.rawValue)) sent in \(milliseconds) ms"
        case .moot(let id, let kind): "mail \(id) (\(kind.rawValue)) is no longer needed"
        case .postponed(let id, let kind, let reason, let milliseconds):
            "mail \(id) (\(kind.rawValue)) postponed by \(milliseconds / 1000) s: \(reason)"
        case .outcomeUnknown(let id, let kind, let reason):
            "mail \(id) (\(kind.rawValue)) may have been delivered, is sent again: \(reason)"
        case .failed(let id, let kind, let reason): "mail \(id) (\(kind.rawValue)) failed: \(reason)"
        case .serverUnavailable(let reason, let milliseconds):
            "mail server unavailable, trying again in \(milliseconds) ms: \(reason)"
        case .misconfigured(let reason): "mail server refuses us, check the mail configuration: \(reason)"
        case .serverRecovered: "mail server available again"
        case .lost(let count): "\(count) mails went to another worker: their leases could not be renewed in time"
        case .queueUnreadable(let error): "outbox cannot be read: \(error)"
        case .recordingFailed(let count, let error): "\(count) mail outcomes cannot be recorded yet: \(error)"
        case .outcomesLost(let count): "\(count) mail outcomes could not be recorded: these mails may go twice"
        }
    }
}
