import Accounts
import Foundation
import Testing

@testable import AccountDatabase
@testable import Server

@Suite("Looks for waiting e-mails")
struct MailHorizonTests {
    private static let now: Int64 = 1_900_000_000_000
    private static let none = WaitingMails(counts: [.notice: 0, .known: 0, .unknown: 0], hasPostponed: false)

    private static func rank(_ kind: MailRank.Kind, after milliseconds: Int64) -> Int64 {
        MailRank(kind, at: now + milliseconds).value
    }

    private static func row(_ kind: MailRank.Kind, after milliseconds: Int64) -> LeasedRow {
        LeasedRow(id: 1, mail: "m", payload: "p", attempts: 0, rank: rank(kind, after: milliseconds))
    }

    @Test func `the first look is at all ranks`() {
        #expect(MailHorizon().beginLook().lowest == LowestMailRanks())
    }

    @Test func `the next one begins a second before the lowest rank that waited`() {
        let look = MailHorizon().beginLook()
        var waiting = Self.none
        waiting.counts[.unknown] = 2
        let leased = [MailRank.Kind.unknown: [Self.row(.unknown, after: -4000), Self.row(.unknown, after: -5000)]]
        let next = look.next(waiting: waiting, leased: leased, at: Self.now)
        #expect(next[.unknown] == Self.rank(.unknown, after: -6000))
        // None of these waited.
        #expect(next[.notice] == Self.rank(.notice, after: -1000))
        #expect(next[.known] == Self.rank(.known, after: -1000))
    }

    @Test func `e-mails of a busy network, which rank later than now, hide no new one`() {
        let look = MailHorizon().beginLook()
        var waiting = Self.none
        waiting.counts[.unknown] = 1
        let leased = [MailRank.Kind.unknown: [Self.row(.unknown, after: 90_000)]]
        #expect(
            look.next(waiting: waiting, leased: leased, at: Self.now)[.unknown] == Self.rank(.unknown, after: -1000)
        )
    }

    @Test func `a kind that waits and of which none was leased keeps its lowest rank`() {
        let look = MailHorizon().beginLook()
        var waiting = Self.none
        waiting.counts[.known] = 3
        #expect(look.next(waiting: waiting, leased: [:], at: Self.now)[.known] == MailRank.Kind.known.first)
    }

    @Test func `a clock that was set back lowers the lowest rank`() {
        var look = MailHorizon().beginLook()
        look.lowest[.known] = Self.rank(.known, after: 0)
        let next = look.next(waiting: Self.none, leased: [:], at: Self.now - 3_600_000)
        #expect(next[.known] == Self.rank(.known, after: -3_601_000))
    }

    @Test func `after a look at all ranks others begin later, and then comes one at all ranks again`() async throws {
        let horizon = MailHorizon()
        var lowest = LowestMailRanks()
        lowest[.known] = Self.rank(.known, after: 0)
        let first = horizon.beginLook()
        // The pause is a multiple of how long the look took.
        try await Task.sleep(for: .milliseconds(100))
        let ended = ContinuousClock.now
        horizon.end(first, next: lowest)
        #expect(horizon.beginLook().lowest == lowest || ContinuousClock.now - ended >= .seconds(2))
        let deadline = ContinuousClock.now + .seconds(60)
        while horizon.beginLook().lowest == lowest, ContinuousClock.now < deadline {
            try await Task.sleep(for: .milliseconds(20))
        }
        #expect(horizon.beginLook().lowest == LowestMailRanks())
    }
}
