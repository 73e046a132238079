internal import Accounts
internal import Database
internal import Synchronization

/// Whose turn it is when mails of both kinds wait, those that clients with history asked for and all others.
///
/// The two take turns. So of every two mails taken, at least one was asked for without history, and a flood of either kind never
/// holds the other up by more than its own share.
struct MailTurns: Sendable, Equatable {
    private var lastWasKnown = true

    /// How many mails of each kind to take.
    ///
    /// - Parameters:
    ///   - room: how many in all.
    ///   - waiting: how many there are of each kind.
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

    /// The order in which to send mails that were taken: notices first, then the two kinds by turns.
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

/// The turns of a node, which its one loop that takes mails goes on with.
final class MailTurnKeeper: Sendable {
    private let turns = Mutex(MailTurns())

    var current: MailTurns {
        get { turns.withLock { $0 } }
        set { turns.withLock { $0 = newValue } }
    }
}
