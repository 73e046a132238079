internal import AccountDatabase
internal import Accounts
internal import Database
internal import Synchronization

/// The order in which a node leases and sends e-mails: notices first, then in turns those of known and of unknown
/// clients (``MailRank/Kind``).
///
/// While e-mails of both kinds of clients wait, every second one is of an unknown client. A flood of either kind
/// therefore delays the other by no more than its own share.
struct MailTurns: Sendable, Equatable {
    private var lastWasKnown = true

    /// Returns the number of e-mails of each kind to lease.
    ///
    /// - Parameters:
    ///   - room: the total number to lease.
    ///   - waiting: the number of waiting e-mails of each kind.
    func shares(of room: Int, waiting: [MailRank.Kind: Int]) -> [MailRank.Kind: Int] {
        let notices = min(room, waiting[.notice] ?? 0)
        var turns = self
        var taken = [MailRank.Kind.known: 0, .unknown: 0]
        for _ in 0..<max(0, room - notices) {
            let left = { kind in (taken[kind] ?? 0) < (waiting[kind] ?? 0) }
            guard let kind = turns.next(hasKnown: left(.known), hasUnknown: left(.unknown)) else { break }
            taken[kind, default: 0] += 1
        }
        taken[.notice] = notices
        return taken
    }

    /// Orders leased e-mails for sending: notices first, then those of known and unknown clients in turns, each kind by
    /// rank.
    mutating func order(_ taken: [MailRank.Kind: [LeasedRow]]) -> [LeasedRow] {
        func ranked(_ kind: MailRank.Kind) -> ArraySlice<LeasedRow> {
            (taken[kind] ?? []).sorted { ($0.rank, $0.id) < ($1.rank, $1.id) }[...]
        }
        var ordered = Array(ranked(.notice))
        var known = ranked(.known), unknown = ranked(.unknown)
        while let kind = next(hasKnown: !known.isEmpty, hasUnknown: !unknown.isEmpty) {
            ordered.append(kind == .known ? known.removeFirst() : unknown.removeFirst())
        }
        return ordered
    }

    private mutating func next(hasKnown: Bool, hasUnknown: Bool) -> MailRank.Kind? {
        guard hasKnown || hasUnknown else { return nil }
        lastWasKnown = hasKnown && (!hasUnknown || !lastWasKnown)
        return lastWasKnown ? .known : .unknown
    }
}

/// Keeps a node's ``MailTurns`` between two rounds of the loop that leases e-mails.
final class MailTurnKeeper: Sendable {
    private let turns = Mutex(MailTurns())

    var current: MailTurns {
        get { turns.withLock { $0 } }
        set { turns.withLock { $0 = newValue } }
    }
}
