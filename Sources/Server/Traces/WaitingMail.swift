internal import AccountDatabase
internal import Accounts
internal import Database

/// An e-mail in the outbox, and what it waits for.
struct WaitingMail: Sendable {
    let relay: RelayState
    let queuedAt: Int64
    /// When it is due, or while a server sends it, the end of that server's lease.
    let dueAt: Int64
    /// The number of e-mails that are sent before it if it was not tried yet, counted up to ``mostBefore``.
    let before: Int64
    let now: Int64

    /// The number up to which e-mails are counted.
    static let mostBefore: Int64 = 10_000
    /// The milliseconds after which a due e-mail has waited for long, because servers look for e-mails every few seconds.
    private static let long: Int64 = 60_000

    /// In one sentence or two, why an e-mail was not tried yet.
    var summary: String {
        switch relay {
        case .away(let since, let lastAt, let reason):
            "The e-mail was not tried yet, because the relay has been away since \(time(since))\(line). "
                + "The last attempt, at \(time(lastAt)): \(reason)"
        case _ where dueAt > now: "A server is sending the e-mail right now."
        case .answers(let at) where isBehindOthers(at):
            "The e-mail waits for its first attempt\(line). The relay answered last at \(time(at))."
        case _ where now - queuedAt >= Self.long:
            "No server has tried to send the e-mail since \(time(queuedAt))\(line)."
        default: "The e-mail waits in the outbox for its first attempt\(line)."
        }
    }

    /// What to do about an e-mail that was not tried yet.
    ///
    /// - Parameter test: the command that shows the dialogue with the relay.
    func advice(test: String) -> String {
        switch relay {
        case .away: "Latchkey tries the relay again by itself. To see what is wrong with it, run: \(test)"
        case .answers(let at) where isBehindOthers(at):
            "Wait: the relay takes the e-mails one after another. For the queue, run: latchkey outbox list --state waiting"
        case _ where dueAt <= now && now - queuedAt >= Self.long:
            "See whether a server runs on this database. If one does, look for 'mail' lines with level error in its log."
        default: "Run this command again in a minute."
        }
    }

    /// When an e-mail is tried again whose last attempt failed.
    var retry: String {
        if dueAt > now { return "; next attempt at \(time(dueAt))" }
        guard case .away(let since, let lastAt, _) = relay else { return "; it is due again" }
        return "; it is due again. The relay has been away since \(time(since)), last tried at \(time(lastAt))"
    }

    private func isBehindOthers(_ answeredAt: Int64) -> Bool { before > 0 && now - answeredAt < Self.long }

    private func time(_ milliseconds: Int64) -> String { Timestamp.rfc3339(milliseconds: milliseconds) }

    private var line: String {
        switch before {
        case 0: ""
        case 1: ", behind 1 other e-mail"
        case Self.mostBefore...: ", behind \(Self.mostBefore) or more other e-mails"
        default: ", behind \(before) other e-mails"
        }
    }
}

extension Transaction {
    /// Describes requests for e-mails.
    ///
    /// - Parameters:
    ///   - requests: the requests.
    ///   - address: their address, for commands that the advice names; `nil` if it is unknown.
    func reports(on requests: some Sequence<TracedRequest>, address: String?) throws -> [TracedRequestReport] {
        var relay: RelayState?
        return try requests.map { request in
            var waiting: WaitingMail?
            let mail = request.events.last { $0.event == .queued }?.mail
            if let entry = try mail.flatMap({ try outboxEntry($0) }), entry.state == .queued {
                let known = try relay ?? RelayState(in: self)
                relay = known
                waiting = WaitingMail(
                    relay: known,
                    queuedAt: entry.createdAt,
                    dueAt: entry.dueAt,
                    before: try mails(before: entry.mail, upTo: WaitingMail.mostBefore),
                    now: now
                )
            }
            return TracedRequestReport(request, waiting: waiting, address: address)
        }
    }
}
