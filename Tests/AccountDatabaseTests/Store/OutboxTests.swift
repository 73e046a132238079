import Accounts
import DatabaseHarness
import Testing

@testable import AccountDatabase
@testable import Database

@Suite("Outbox")
struct OutboxTests {
    private func withMail(_ body: (FreshStore, LeasedRow) async throws -> Void) async throws {
        let fresh = try FreshStore()
        defer { fresh.remove() }
        try await fresh.database.write { try $0.queue(Example.mail, rank: Example.rank, payload: "sealed") }
        #expect(try fresh.database.readNow { try !$0.waitingMails(upTo: 9, takingOver: true).isEmpty })
        let leased = try await fresh.database.write {
            try $0.leaseMails(.unknown, limit: 9, worker: "w", milliseconds: 1_000, takingOver: true)
        }
        #expect(leased.count == 1)
        guard let row = leased.first else { return }
        try await body(fresh, row)
    }

    private func entry(
        _ state: OutboxState,
        attempts: Int64 = 0,
        dueAt: Int64,
        settledAt: Int64? = nil,
        reason: String? = nil
    ) -> OutboxEntry {
        OutboxEntry(
            mail: "mail-1",
            kind: "sign-in",
            ticket: "ticket-1",
            state: state,
            attempts: attempts,
            dueAt: dueAt,
            createdAt: moment,
            settledAt: settledAt,
            reason: reason
        )
    }

    @Test func `a queued mail is taken by one worker at a time`() async throws {
        try await withMail { fresh, row in
            #expect((row.mail, row.payload, row.attempts) == ("mail-1", "sealed", 0))
            let again = try await fresh.database.write {
                try $0.leaseMails(.unknown, limit: 9, worker: "v", milliseconds: 1, takingOver: true)
            }
            #expect(again.isEmpty)
            #expect(try fresh.database.readNow { try $0.waitingMails(upTo: 9, takingOver: true).isEmpty })
            let seen = try fresh.database.readNow { (try $0.outboxEntry("mail-1"), try $0.outbox(.queued, limit: 9)) }
            #expect(seen.0 == entry(.queued, dueAt: moment + 1_000))
            #expect(seen.1 == [entry(.queued, dueAt: moment + 1_000)])
        }
    }

    @Test func `a mail that a worker has in hand is not tried beside it, until its lease is over`() async throws {
        try await withMail { fresh, row in
            #expect(try await fresh.database.write { try $0.retryMail("mail-1") } == .leased)
            #expect(try fresh.database.readNow { try $0.waitingMails(upTo: 9, takingOver: true).isEmpty })
            try await fresh.database.write { _ = try $0.renewMails([row.id], worker: "w", milliseconds: 0) }
            #expect(try await fresh.database.write { try $0.retryMail("mail-1") } == .due)
        }
    }

    @Test func `a sent mail is settled by its worker only, and what it said is gone`() async throws {
        try await withMail { fresh, row in
            let tickets = try await fresh.database.write {
                [
                    try $0.finishMail(row.id, worker: "v", as: .failed, reason: "not mine"),
                    try $0.finishMail(row.id, worker: "w", as: .sent, reason: nil),
                    try $0.finishMail(row.id, worker: "w", as: .failed, reason: "too late"),
                ]
            }
            #expect(tickets == [nil, "ticket-1", nil])
            let seen = try fresh.database.readNow {
                (try $0.outbox(nil, limit: 9), try $0.outbox(.queued, limit: 9), try $0.waitingPayloads().count)
            }
            #expect(seen.0 == [entry(.sent, attempts: 1, dueAt: moment + 1_000, settledAt: moment)])
            #expect(seen.1 == [] && seen.2 == 0)
        }
    }

    @Test func `a failed mail tells why`() async throws {
        try await withMail { fresh, row in
            _ = try await fresh.database.write { try $0.finishMail(row.id, worker: "w", as: .failed, reason: "550") }
            let seen = try fresh.database.readNow { try $0.outboxEntry("mail-1") }
            #expect(seen == entry(.failed, dueAt: moment + 1_000, settledAt: moment, reason: "550"))
        }
    }

    @Test func `a postponed mail waits, counts what counts, and is due at once when told`() async throws {
        try await withMail { fresh, row in
            let after = try await fresh.after {
                try $0.postponeMail(row.id, worker: "w", by: 60_000, isCounted: true, reason: "451")
                try $0.postponeMail(row.id, worker: "w", by: 1, isCounted: true, reason: "no longer held")
            } read: {
                (
                    try $0.outboxEntry("mail-1"), try !$0.waitingMails(upTo: 9, takingOver: true).isEmpty,
                    try $0.waitingPayloads()
                )
            }
            #expect(after.0 == entry(.queued, attempts: 1, dueAt: moment + 60_000, reason: "451") && !after.1)
            #expect(after.2.map(\.mail) == ["mail-1"] && after.2.map(\.payload) == ["sealed"])
            #expect(try await fresh.database.write { try $0.retryMail("mail-1") } == .due)
            #expect(try await fresh.database.write { try $0.retryMail("mail-2") } == .notFound)
            #expect(try fresh.database.readNow { try !$0.waitingMails(upTo: 9, takingOver: true).isEmpty })
            let second = try await fresh.database.write {
                try $0.wakePostponedMails(limit: 9)
                return try $0.leaseMails(.unknown, limit: 1, worker: "w", milliseconds: 1, takingOver: true)
            }
            #expect(second.map(\.attempts) == [1])
            try await fresh.database.write {
                try $0.postponeMail(row.id, worker: "w", by: 1, isCounted: false, reason: nil)
            }
            let last = try fresh.database.readNow { try $0.outboxEntry("mail-1") }
            #expect(last == entry(.queued, attempts: 1, dueAt: moment + 1, reason: "451"))
        }
    }

    @Test func `a postponed mail ranks as if it were queued when it is due, in its own kind`() async throws {
        try await withMail { fresh, row in
            func rank() throws -> Int64? {
                try fresh.database.readNow { try $0.first("SELECT rank FROM outbox") { try $0.integer(0) } }
            }
            #expect(row.rank == Example.rank.value)
            try await fresh.database.write {
                try $0.postponeMail(row.id, worker: "w", by: 60_000, isCounted: true, reason: "451")
            }
            #expect(try rank() == MailRank.postponed + MailRank(.unknown, at: moment + 60_000).value)
            let waiting = try fresh.database.readNow { try $0.waitingMails(upTo: 9, takingOver: true) }
            #expect(waiting.isEmpty && waiting.counts[.unknown] == 0)
            #expect(try await fresh.database.write { try $0.retryMail("mail-1") } == .due)
            #expect(try fresh.database.readNow { try $0.waitingMails(upTo: 9, takingOver: true).hasPostponed })
            let taken = try await fresh.database.write {
                try $0.wakePostponedMails(limit: 9)
                return try $0.leaseMails(.unknown, limit: 9, worker: "w", milliseconds: 1_000, takingOver: true)
            }
            #expect(taken.map(\.rank) == [MailRank(.unknown, at: moment).value], "as old as the retry by hand")
            // An e-mail with a much later rank keeps its place.
            let late = MailRank(.unknown, at: moment, earlier: 100).value
            try await fresh.database.write { transaction in
                try transaction.execute("UPDATE outbox SET rank = \(late)")
                try transaction.postponeMail(row.id, worker: "w", by: 1_000, isCounted: true, reason: "451")
            }
            #expect(try rank() == MailRank.postponed + late)
        }
    }

    @Test func `a mail that is given back keeps its rank`() async throws {
        try await withMail { fresh, row in
            try await fresh.database.write {
                try $0.postponeMail(row.id, worker: "w", by: 0, isCounted: false, reason: nil)
            }
            let again = try await fresh.database.write {
                try $0.leaseMails(.unknown, limit: 9, worker: "v", milliseconds: 1, takingOver: false)
            }
            #expect(again.map(\.rank) == [Example.rank.value])
        }
    }

    @Test func `a mailbox is left alone for as long as it was told, and until it is released`() async throws {
        let fresh = try FreshStore()
        defer { fresh.remove() }
        try await fresh.database.write { transaction in
            try transaction.suppress("gone", for: 1_000)
            try transaction.suppress("gone", for: 500)
            try transaction.suppress("over", for: 0)
        }
        func suppressed() throws -> Set<String> {
            Set(
                try fresh.database.readNow { try $0.suppressions(among: ["gone", "over", "other"]).map(\.mailbox) }
            )
        }
        #expect(try suppressed() == ["gone"])
        #expect(try await fresh.database.write { try !$0.endSuppression(ofMail: "mail-1") })
        try await fresh.database.write { transaction in
            try transaction.queue(Example.mail, rank: Example.rank, payload: "sealed")
            try transaction.execute("UPDATE outbox SET leased_by = 'w'")
            let id = try transaction.first("SELECT id FROM outbox") { try $0.integer(0) } ?? 0
            _ = try transaction.finishMail(id, worker: "w", as: .failed, reason: "5.1.1", mailbox: "gone")
        }
        #expect(try await fresh.database.write { try $0.endSuppression(ofMail: "mail-1") })
        #expect(try suppressed() == [])
    }

    @Test func `a mail's content is replaced by its holder only`() async throws {
        try await withMail { fresh, row in
            let payloads = try await fresh.after {
                try $0.replaceMail(row.id, worker: "w", payload: "renewed")
                try $0.replaceMail(row.id, worker: "v", payload: "not mine")
            } read: {
                try $0.waitingPayloads().map(\.payload)
            }
            #expect(payloads == ["renewed"])
        }
    }
}
