internal import AccountDatabase
internal import Accounts
internal import Synchronization

/// The ranks below which a node looks for waiting e-mails only now and then.
///
/// PostgreSQL keeps the index entries of sent e-mails while an older transaction is open anywhere. A look at all ranks
/// walks over all of these entries. So most looks begin at the lowest rank that waited at the last one.
///
/// An e-mail may get a lower rank afterwards: its worker gave it back or died, an operator has it retried, or its request
/// took longer than a second to commit. A look at all ranks finds it, which comes after five seconds at the latest.
final class MailHorizon: Sendable {
    /// One look for waiting e-mails.
    struct Look: Sendable {
        /// The lowest ranks that are looked at.
        var lowest: LowestMailRanks
        fileprivate let began: ContinuousClock.Instant
        fileprivate let isOfAll: Bool

        /// The milliseconds that a request for an e-mail usually has from its rank to its commit.
        private static let margin: Int64 = 1000

        /// Returns the lowest ranks for the next look.
        ///
        /// - Parameters:
        ///   - waiting: the waiting e-mails that were counted.
        ///   - leased: the e-mails that were leased after that, of each kind those of the lowest ranks.
        ///   - now: milliseconds since 1970.
        func next(waiting: WaitingMails, leased: [MailRank.Kind: [LeasedRow]], at now: Int64) -> LowestMailRanks {
            var next = lowest
            for kind in MailRank.Kind.allCases {
                let newest = kind.first + now
                if let rank = leased[kind]?.lazy.map(\.rank).min() {
                    next[kind] = min(rank, newest) - Self.margin
                } else if waiting.counts[kind] == 0 {
                    next[kind] = newest - Self.margin
                }
            }
            return next
        }
    }

    private struct State {
        var lowest = LowestMailRanks()
        var nextOfAll = ContinuousClock.now
    }

    private let state = Mutex(State())

    /// The time between two looks at all ranks, as a multiple of how long one takes.
    private static let pause = 20
    private static let longestPause = Duration.seconds(5)

    func beginLook() -> Look {
        let now = ContinuousClock.now
        return state.withLock { state in
            let isOfAll = now >= state.nextOfAll
            return Look(lowest: isOfAll ? LowestMailRanks() : state.lowest, began: now, isOfAll: isOfAll)
        }
    }

    /// Ends a look.
    ///
    /// - Parameters:
    ///   - look: the look.
    ///   - lowest: the lowest ranks for the next one, unless that is at all ranks.
    func end(_ look: Look, next lowest: LowestMailRanks) {
        let now = ContinuousClock.now
        state.withLock { state in
            state.lowest = lowest
            guard look.isOfAll else { return }
            state.nextOfAll = now + min((now - look.began) * Self.pause, Self.longestPause)
        }
    }
}
